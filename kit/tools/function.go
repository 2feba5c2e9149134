package tools

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"time"
)

const digitsOfPi = "3.1415926535897932384626433832795028841971693993751"

// constant returns a value that has a name.
func constant(name string, now time.Time) (value, bool) {
	switch name {
	case "pi", "π":
		r, ok := new(big.Rat).SetString(digitsOfPi)
		return value{rat: r, rounded: true}, ok
	case "e":
		v, err := realPower(nil, big.NewRat(1, 1))
		return v, err == nil
	case "now":
		return value{is: instant, date: now}, true
	case "today":
		y, m, d := now.Date()
		return value{is: instant, date: time.Date(y, m, d, 0, 0, 0, 0, now.Location())}, true
	}
	return value{}, false
}

const functions = "sqrt cbrt exp ln log log2 log10 sin cos tan asin acos atan abs round floor ceil factorial gcd lcm min max sum mean median stdev variance percentile count weekday date"

// call calls a function.
func (p *parser) call(name string, args []value) (value, error) {
	if name == "date" || name == "weekday" {
		return ofDate(name, args)
	}
	if len(args) == 0 {
		return value{}, errors.New("expected a value")
	}
	v := args[0]
	switch name {
	case "min", "max", "sum", "mean", "avg", "median", "stdev", "variance", "percentile", "count", "gcd", "lcm":
		return p.overList(name, args)
	case "round", "floor", "ceil":
		return roundTo(name, args)
	case "abs":
		if v.is == number {
			v.rat = new(big.Rat).Abs(v.rat)
			return v, nil
		}
	case "factorial":
		return factorial(v)
	}
	v, err := v.plain()
	if err != nil {
		return v, err
	}
	if f := map[string]func(float64) float64{"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan}[name]; f != nil {
		x, _ := v.rat.Float64()
		if r, ok := new(big.Rat).SetString(strconv.FormatFloat(f(x), 'g', 15, 64)); ok {
			return value{rat: r, rounded: true}, nil
		}
		return v, errNoValue
	}
	return root(name, v, args)
}

// root calculates roots, powers of e, and logarithms.
func root(name string, v value, args []value) (value, error) {
	switch name {
	case "sqrt":
		return squareRoot(v)
	case "cbrt":
		return cubeRoot(v.rat)
	case "exp":
		return realPower(nil, v.rat)
	case "ln":
		return logarithm(v.rat, nil)
	case "log2":
		return logarithm(v.rat, big.NewRat(2, 1))
	case "log10":
		return logarithm(v.rat, big.NewRat(10, 1))
	case "log":
		if len(args) < 2 {
			return logarithm(v.rat, nil)
		}
		base, err := args[1].plain()
		if err != nil {
			return v, err
		}
		return logarithm(v.rat, base.rat)
	}
	return v, fmt.Errorf("there is no such function; there are %s", functions)
}

// roundTo rounds half away from zero, to so many digits after the point.
func roundTo(name string, args []value) (value, error) {
	v, digits := args[0], 0
	if v.is != number {
		return v, errors.New("expected a number")
	}
	if len(args) > 1 {
		var err error
		if digits, err = args[1].small(1000); err != nil {
			return v, err
		}
	}
	x := scaled(v.rat, digits)
	n := new(big.Int)
	switch name {
	case "floor":
		n.Div(x.Num(), x.Denom())
	case "ceil":
		n.Neg(n.Div(new(big.Int).Neg(x.Num()), x.Denom()))
	default:
		n = nearest(x)
	}
	return limited(value{rat: scaled(new(big.Rat).SetInt(n), -digits), dims: v.dims})
}

// overList calculates statistics of a list, given as one list or as arguments.
func (p *parser) overList(name string, args []value) (value, error) {
	all, share := args, value{}
	if args[0].is == list {
		all = args[0].list
	}
	if name == "percentile" {
		if len(args) != 2 || args[0].is != list {
			return share, errors.New("expected a list and a number from 0 to 100")
		}
		share = args[1]
	}
	if name == "count" {
		return whole(int64(len(all))), nil
	}
	if len(all) == 0 {
		return share, errors.New("the list is empty")
	}
	for _, v := range all {
		if v.is != number || v.dims != all[0].dims {
			return v, errors.New("expected numbers with the same unit")
		}
	}
	switch name {
	case "gcd", "lcm":
		return divisors(name, all)
	case "sum":
		return p.sum(all)
	case "mean", "avg":
		return p.mean(all)
	case "stdev", "variance":
		return p.variance(name, all)
	}
	sorted := slices.Clone(all)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].rat.Cmp(sorted[j].rat) < 0 })
	switch name {
	case "min":
		return sorted[0], nil
	case "max":
		return sorted[len(sorted)-1], nil
	case "median":
		share = whole(50)
	}
	return at(sorted, share)
}

// at returns the value at a share of a sorted list, between its neighbours where it is between two.
func at(sorted []value, percent value) (value, error) {
	if percent.is != number || percent.rat.Sign() < 0 || percent.rat.Cmp(big.NewRat(100, 1)) > 0 {
		return percent, errors.New("expected a number from 0 to 100")
	}
	place := new(big.Rat).Mul(percent.rat, big.NewRat(int64(len(sorted)-1), 100))
	i := int(new(big.Int).Quo(place.Num(), place.Denom()).Int64())
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1], nil
	}
	step, err := binary("-", sorted[i+1], sorted[i])
	if err == nil {
		step, err = binary("*", step, exact(place.Sub(place, big.NewRat(int64(i), 1))))
	}
	if err != nil {
		return percent, err
	}
	return binary("+", sorted[i], step)
}

func (p *parser) sum(all []value) (out value, err error) {
	out = value{rat: new(big.Rat), dims: all[0].dims}
	for _, v := range all {
		if err = p.until(); err == nil {
			out, err = binary("+", out, v)
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

func (p *parser) mean(all []value) (value, error) {
	sum, err := p.sum(all)
	if err != nil {
		return sum, err
	}
	return binary("/", sum, whole(int64(len(all))))
}

// variance is that of a sample: it divides by one less than the number of values.
func (p *parser) variance(name string, all []value) (value, error) {
	if len(all) < 2 {
		return all[0], errors.New("expected two values or more")
	}
	mean, err := p.mean(all)
	if err != nil {
		return mean, err
	}
	squares := make([]value, len(all))
	for i, v := range all {
		d, err := binary("-", v, mean)
		if err == nil {
			squares[i], err = binary("*", d, d)
		}
		if err != nil {
			return v, err
		}
	}
	out, err := p.sum(squares)
	if err == nil {
		out, err = binary("/", out, whole(int64(len(all)-1)))
	}
	if err != nil || name == "variance" {
		return out, err
	}
	unit := all[0].dims
	out.dims = dims{}
	out, err = root("sqrt", out, []value{out})
	out.dims = unit
	return out, err
}

func divisors(name string, all []value) (value, error) {
	out := big.NewInt(0)
	for i, v := range all {
		if v.rounded || !v.rat.IsInt() || v.dims != (dims{}) {
			return v, errors.New("expected whole numbers")
		}
		n := new(big.Int).Abs(v.rat.Num())
		switch {
		case i == 0:
			out = n
		case name == "gcd":
			out.GCD(nil, nil, out, n)
		case out.Sign() != 0 && n.Sign() != 0:
			gcd := new(big.Int).GCD(nil, nil, out, n)
			out = new(big.Int).Mul(new(big.Int).Quo(out, gcd), n)
		default:
			out = big.NewInt(0)
		}
		if out.BitLen() > exactDigits*4 {
			return v, errors.New("more than 1000 digits")
		}
	}
	return exact(new(big.Rat).SetInt(out)), nil
}

// ofDate is date("2026-11-22") and weekday of a date, 1 for Monday to 7.
func ofDate(name string, args []value) (value, error) {
	if len(args) != 1 || args[0].is != instant {
		return value{}, errors.New(`expected a date: "2026-11-22"`)
	}
	if name == "weekday" {
		return whole(int64((args[0].date.Weekday()+6)%7 + 1)), nil
	}
	return args[0], nil
}
