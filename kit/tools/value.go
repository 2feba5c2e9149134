package tools

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
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

// value is a number with a unit, an instant, or a list. A number is exact while rat is set; else dec has it, rounded.
type value struct {
	rat  *big.Rat
	dec  *apd.Decimal
	dims dims
	date time.Time // not zero: an instant
	list []value
	is   kind
}

type kind uint8

const (
	number kind = iota
	instant
	list
	text
)

func limits() *apd.Context {
	c := apd.BaseContext.WithPrecision(precision)
	c.MaxExponent, c.MinExponent = maxExponent, -maxExponent
	return c
}

func exact(r *big.Rat) value { return value{rat: r} }

func whole(n int64) value { return exact(big.NewRat(n, 1)) }

// large reports whether a number has too many digits to stay exact.
func large(r *big.Rat) bool {
	const bits = exactDigits * 3322 / 1000
	return r.Num().BitLen() > bits || r.Denom().BitLen() > bits
}

// decimal returns the number rounded.
func (v value) decimal() (*apd.Decimal, error) {
	if v.rat == nil {
		return v.dec, nil
	}
	num, den := new(apd.BigInt).SetMathBigInt(v.rat.Num()), new(apd.BigInt).SetMathBigInt(v.rat.Denom())
	return rounded(func(c *apd.Context, d *apd.Decimal) (apd.Condition, error) {
		return c.Quo(d, apd.NewWithBigInt(num, 0), apd.NewWithBigInt(den, 0))
	})
}

// rounded calculates with decimals. An overflow and a value that is not a number are errors.
func rounded(do func(*apd.Context, *apd.Decimal) (apd.Condition, error)) (*apd.Decimal, error) {
	d := new(apd.Decimal)
	condition, err := do(limits(), d)
	switch {
	case condition.Overflow() || condition.Underflow():
		return nil, fmt.Errorf("exponent above %d", maxExponent)
	case condition.DivisionByZero() || condition.DivisionUndefined():
		return nil, errZero
	case err != nil || d.Form != apd.Finite:
		return nil, fmt.Errorf("that has no value")
	}
	return d, nil
}

// small returns the number as an int, where it is a whole one up to a bound.
func (v value) small(most int64) (int, error) {
	if v.is != number || v.rat == nil || !v.rat.IsInt() || !v.rat.Num().IsInt64() || v.rat.Num().Int64() > most || v.rat.Num().Int64() < -most || v.dims != (dims{}) {
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

func (v value) float() float64 {
	d, err := v.decimal()
	if err != nil {
		return 0
	}
	f, _ := d.Float64()
	return f
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
	if v.rat != nil {
		if v.rat.IsInt() {
			return v.rat.Num().String(), true
		}
		if n, finite := v.rat.FloatPrec(); finite && n <= 100 {
			return v.rat.FloatString(n), true
		}
	}
	d, err := v.decimal()
	if err != nil {
		return err.Error(), false
	}
	out := new(apd.Decimal)
	if _, err := limits().WithPrecision(uint32(digits)).Round(out, d); err != nil {
		return err.Error(), false
	}
	out.Reduce(out)
	if e := out.Exponent; e < -60 || e > 60 {
		return out.Text('E'), false
	}
	return out.Text('f'), false
}

func showDate(t time.Time) string {
	if t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 {
		return t.Format("2006-01-02 (Monday)")
	}
	return t.Format("2006-01-02T15:04:05Z07:00 (Monday)")
}
