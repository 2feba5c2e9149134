package tools

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"
)

// The bounds of a calculation.
const (
	maxSource   = 4 << 10
	maxDepth    = 100
	maxList     = 10_000
	maxExponent = 10_000
	exactDigits = 1000 // more digits are rounded
	precision   = 50   // digits of what is rounded; fewer are shown
	maxShown    = 34
)

// dims are the powers of the basic units: metre, kilogram, second, byte, kelvin.
type dims [5]int

// value is a number with a unit, an instant, or a list.
type value struct {
	rat     *big.Rat
	rounded bool // to so many digits as precision says
	dims    dims
	date    time.Time // not zero: an instant
	list    []value
	is      kind
}

type kind uint8

const (
	number kind = iota
	instant
	list
)

func exact(r *big.Rat) value { return value{rat: r} }

func whole(n int64) value { return exact(big.NewRat(n, 1)) }

// large reports whether a number has too many digits to stay exact.
func large(r *big.Rat) bool {
	const bits = exactDigits * 3322 / 1000
	return r.Num().BitLen() > bits || r.Denom().BitLen() > bits
}

// limited rounds a number that is not exact, or has too many digits to stay so.
func limited(v value) (value, error) {
	if v.rounded = v.rounded || large(v.rat); !v.rounded {
		return v, nil
	}
	n, exponent := decimal(v.rat, precision)
	if top := exponent + precision - 1; top > maxExponent || top < -maxExponent {
		return v, errExponent
	}
	v.rat = scaled(new(big.Rat).SetInt(n), exponent)
	return v, nil
}

// decimal returns a number rounded to so many digits: a whole number of them, and the power of ten that it counts.
func decimal(r *big.Rat, digits int) (n *big.Int, exponent int) {
	if r.Sign() == 0 {
		return new(big.Int), 1 - digits
	}
	most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	low := float64(r.Num().BitLen()-r.Denom().BitLen()-1) * math.Log10(2) // the logarithm is up to 0.6 above it
	for exponent = int(math.Floor(low)) + 1 - digits; ; exponent++ {
		if n = nearest(scaled(r, -exponent)); n.CmpAbs(most) < 0 {
			return n, exponent
		}
	}
}

// scaled returns a number times a power of ten.
func scaled(r *big.Rat, exponent int) *big.Rat {
	by := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exponent, -exponent))), nil))
	if exponent < 0 {
		by.Inv(by)
	}
	return by.Mul(by, r)
}

// nearest rounds to a whole number, half away from zero.
func nearest(r *big.Rat) *big.Int {
	up := new(big.Rat).Add(new(big.Rat).Abs(r), big.NewRat(1, 2))
	n := new(big.Int).Quo(up.Num(), up.Denom())
	if r.Sign() < 0 {
		n.Neg(n)
	}
	return n
}

// small returns the number as an int, where it is a whole one up to a bound.
func (v value) small(most int64) (int, error) {
	if v.is != number || v.rounded || !v.rat.IsInt() || !v.rat.Num().IsInt64() || v.rat.Num().Int64() > most || v.rat.Num().Int64() < -most || v.dims != (dims{}) {
		return 0, fmt.Errorf("expected a whole number up to %d", most)
	}
	return int(v.rat.Num().Int64()), nil
}

// plain returns the number where it has no unit.
func (v value) plain() (value, error) {
	switch {
	case v.is != number:
		return v, fmt.Errorf("expected a number")
	case v.dims != (dims{}):
		return v, fmt.Errorf("expected a number without a unit")
	}
	return v, nil
}

// show returns the value as text with at most so many digits, and whether that is all of it.
func (v value) show(digits int) (shown string, whole bool) {
	switch v.is {
	case instant:
		return showDate(v.date), true
	case list:
		whole = true
		parts := make([]string, len(v.list))
		for i, one := range v.list {
			var all bool
			parts[i], all = one.show(digits)
			whole = whole && all
		}
		return "[" + strings.Join(parts, ", ") + "]", whole
	}
	if !v.rounded {
		if v.rat.IsInt() {
			return v.rat.Num().String(), true
		}
		if n, finite := v.rat.FloatPrec(); finite && n <= 100 {
			return v.rat.FloatString(n), true
		}
	}
	n, exponent := decimal(v.rat, digits)
	r := scaled(new(big.Rat).SetInt(n), exponent)
	significant := len(strings.Trim(n.String(), "-0"))
	if exponent += digits - significant; exponent < -60 || exponent > 60 {
		return new(big.Float).SetPrec(realPrecision).SetRat(r).Text('E', significant-1), false
	}
	return r.FloatString(max(0, -exponent)), false
}

func showDate(t time.Time) string {
	if t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 {
		return t.Format("2006-01-02 (Monday)")
	}
	return t.Format("2006-01-02T15:04:05Z07:00 (Monday)")
}
