package tools

import (
	"fmt"
	"math/big"
	"strings"
)

// units has each unit as a factor of the basic ones: metre, kilogram, second, byte. A name in the plural is found too.
const units = `
m meter metre          L 1
km kilometer kilometre L 1000
cm centimeter          L 1/100
mm millimeter          L 1/1000
um micrometer          L 1/1000000
nm nanometer           L 1/1000000000
mi mile                L 1609344/1000
yd yard                L 9144/10000
ft foot feet           L 3048/10000
inch inches            L 254/10000
nmi                    L 1852
g gram                 M 1/1000
kg kilogram            M 1
mg milligram           M 1/1000000
ton tonne              M 1000
lb pound               M 45359237/100000000
oz ounce               M 45359237/1600000000
s sec second           T 1
ms millisecond         T 1/1000
us microsecond         T 1/1000000
ns nanosecond          T 1/1000000000
min minute             T 60
h hr hour              T 3600
day d                  T 86400
week                   T 604800
b byte B               D 1
bit                    D 1/8
kB KB kilobyte         D 1000
MB megabyte            D 1000000
GB gigabyte            D 1000000000
TB terabyte            D 1000000000000
PB petabyte            D 1000000000000000
KiB kibibyte           D 1024
MiB mebibyte           D 1048576
GiB gibibyte           D 1073741824
TiB tebibyte           D 1099511627776
kbit Kbit              D 125
Mbit                   D 125000
Gbit                   D 125000000
l liter litre          V 1/1000
ml milliliter          V 1/1000000
gal gallon             V 3785411784/1000000000000
ha hectare             A 10000
acre                   A 40468564224/10000000
kmh kph                S 1000/3600
mph                    S 1609344/3600000
knot                   S 1852/3600
K kelvin               K 1`

// unitNamed returns a unit; ok is false when there is none of that name.
func unitNamed(name string) (v value, ok bool) {
	for _, try := range []string{name, strings.TrimSuffix(name, "s")} {
		for line := range strings.Lines(units) {
			words := strings.Fields(line)
			for i := 0; i < len(words)-2; i++ {
				if words[i] == try && try != "" {
					r, _ := new(big.Rat).SetString(words[len(words)-1])
					v := exact(r)
					v.dims = map[string]dims{"L": {1}, "M": {0, 1}, "T": {0, 0, 1}, "D": {0, 0, 0, 1}, "K": {0, 0, 0, 0, 1}, "V": {3}, "A": {2}, "S": {1, 0, -1}}[words[len(words)-2]]
					return v, true
				}
			}
		}
	}
	return value{}, false
}

// degrees are the temperatures that do not begin at zero: kelvin = (degrees + offset) * factor.
func degrees(name string) (offset, factor *big.Rat, ok bool) {
	switch name {
	case "C", "celsius", "°C":
		return big.NewRat(27315, 100), big.NewRat(1, 1), true
	case "F", "fahrenheit", "°F":
		return big.NewRat(45967, 100), big.NewRat(5, 9), true
	}
	return nil, nil, false
}

// basic names the basic units of a value.
func (d dims) basic() string {
	var parts []string
	for i, name := range []string{"m", "kg", "s", "byte", "K"} {
		switch {
		case d[i] == 1:
			parts = append(parts, name)
		case d[i] != 0:
			parts = append(parts, fmt.Sprintf("%s^%d", name, d[i]))
		}
	}
	return strings.Join(parts, " ")
}
