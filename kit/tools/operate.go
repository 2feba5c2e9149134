package tools

import (
	"errors"
	"fmt"
	"math/big"
	"time"
)

// binary calculates v op w. An empty op multiplies, as in 5 km.
func binary(op string, v, w value) (value, error) {
	switch {
	case v.is == instant || w.is == instant:
		return dates(op, v, w)
	case v.is != number || w.is != number:
		return v, errors.New("a list takes part only in functions: sum, mean, …")
	}
	switch op {
	case "+", "-", "−", "%":
		if v.dims != w.dims {
			return v, fmt.Errorf("the units differ: %s and %s", orNone(v.dims.basic()), orNone(w.dims.basic()))
		}
	case "^", "**":
		return power(v, w)
	}
	out := value{dims: v.dims, rounded: v.rounded || w.rounded}
	for i := range out.dims {
		switch op {
		case "", "*", "×":
			out.dims[i] += w.dims[i]
		case "/", "÷", "//":
			out.dims[i] -= w.dims[i]
		}
		if out.dims[i] > 99 || out.dims[i] < -99 {
			return v, errors.New("a unit has a power above 99")
		}
	}
	var err error
	if out.rat, err = rational(op, v.rat, w.rat); err != nil {
		return v, err
	}
	return limited(out)
}

func rational(op string, a, b *big.Rat) (*big.Rat, error) {
	r := new(big.Rat)
	switch op {
	case "+":
		return r.Add(a, b), nil
	case "-", "−":
		return r.Sub(a, b), nil
	case "/", "÷", "//", "%":
		if b.Sign() == 0 {
			return nil, errZero
		}
		r.Quo(a, b)
		if op == "/" || op == "÷" {
			return r, nil
		}
		floor := new(big.Rat).SetInt(new(big.Int).Div(r.Num(), r.Denom())) // the divisor is above zero, so this is the floor
		if op == "//" {
			return floor, nil
		}
		return r.Sub(a, floor.Mul(floor, b)), nil
	}
	return r.Mul(a, b), nil
}

// power calculates v to the power of w.
func power(v, w value) (value, error) {
	if w.dims != (dims{}) {
		return v, errors.New("a power has no unit")
	}
	n, whole := w.small(maxExponent)
	if whole == nil && !v.rounded {
		if v.rat.Sign() == 0 && n < 0 {
			return v, errZero
		}
		bits := max(v.rat.Num().BitLen(), v.rat.Denom().BitLen())
		if abs := max(n, -n); bits*abs <= exactDigits*4 {
			out := value{dims: v.dims}
			for i := range out.dims {
				if out.dims[i] *= n; out.dims[i] > 99 || out.dims[i] < -99 {
					return v, errors.New("a unit has a power above 99")
				}
			}
			num, den := new(big.Int).Exp(v.rat.Num(), big.NewInt(int64(abs)), nil), new(big.Int).Exp(v.rat.Denom(), big.NewInt(int64(abs)), nil)
			if n < 0 {
				num, den = den, num
			}
			out.rat = new(big.Rat).SetFrac(num, den)
			return out, nil
		}
	}
	if v.dims != (dims{}) {
		return v, errors.New("a value with a unit takes only small whole powers")
	}
	return realPower(v.rat, w.rat)
}

func factorial(v value) (value, error) {
	n, err := v.small(1000)
	if err != nil || n < 0 {
		return v, errors.New("a factorial wants a whole number from 0 to 1000")
	}
	return limited(exact(new(big.Rat).SetInt(new(big.Int).MulRange(1, int64(n)))))
}

// dates calculates with instants: an instant and a duration, or two instants. Whole days are days of the calendar.
func dates(op string, v, w value) (value, error) {
	minus := op == "-" || op == "−"
	switch {
	case v.is == instant && w.is == instant && minus:
		seconds := v.date.Sub(w.date).Seconds()
		_, a := v.date.Zone()
		_, b := w.date.Zone()
		out := whole(int64(seconds) + int64(a-b)) // days of the calendar, whatever the clock does between them
		out.dims = dims{0, 0, 1}
		return out, nil
	case v.is == instant && w.is == number && !w.rounded && w.dims == (dims{0, 0, 1}) && (op == "+" || minus):
		r := new(big.Rat).Set(w.rat)
		if minus {
			r.Neg(r)
		}
		days := new(big.Int).Quo(r.Num(), new(big.Int).Mul(r.Denom(), big.NewInt(86400)))
		if !days.IsInt64() || days.Int64() > 4_000_000 || days.Int64() < -4_000_000 {
			return v, errors.New("the date is out of range")
		}
		r.Sub(r, new(big.Rat).SetInt(new(big.Int).Mul(days, big.NewInt(86400))))
		seconds, _ := r.Float64()
		at := v.date.AddDate(0, 0, int(days.Int64())).Add(time.Duration(seconds * float64(time.Second)))
		if at.Year() < 1 || at.Year() > 9999 {
			return v, errors.New("the date is out of range")
		}
		return value{is: instant, date: at}, nil
	case w.is == instant && v.is == number && op == "+":
		return dates(op, w, v)
	}
	return v, errors.New("a date takes + and - with a duration (30 days), and - with a date")
}
