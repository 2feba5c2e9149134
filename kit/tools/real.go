package tools

import "math/big"

// realPrecision is the precision of roots, powers and logarithms: 96 digits, of which the first 50 are used.
const realPrecision = 320

func realOf(r *big.Rat) *big.Float { return new(big.Float).SetPrec(realPrecision).SetRat(r) }

// irrational rounds the result of a function.
func irrational(f *big.Float) (value, error) {
	r, _ := f.Rat(nil)
	return limited(value{rat: r, rounded: true})
}

// squareRoot is exact where the root is a fraction.
func squareRoot(v value) (value, error) {
	if v.rat.Sign() < 0 {
		return v, errNoValue
	}
	n, d := new(big.Int).Sqrt(v.rat.Num()), new(big.Int).Sqrt(v.rat.Denom())
	if root := new(big.Rat).SetFrac(n, d); !v.rounded && new(big.Rat).Mul(root, root).Cmp(v.rat) == 0 {
		return exact(root), nil
	}
	return irrational(new(big.Float).Sqrt(realOf(v.rat)))
}

func cubeRoot(r *big.Rat) (value, error) {
	if r.Sign() == 0 {
		return value{rat: r, rounded: true}, nil
	}
	root, err := realPower(new(big.Rat).Abs(r), big.NewRat(1, 3))
	if err == nil && r.Sign() < 0 {
		root.rat = new(big.Rat).Neg(root.rat)
	}
	return root, err
}

// logarithm is that to a base; nil is the natural one.
func logarithm(r, base *big.Rat) (value, error) {
	if r.Sign() <= 0 || base != nil && base.Sign() <= 0 {
		return value{}, errNoValue
	}
	out := ln(r)
	if base != nil {
		by := ln(base)
		if by.Sign() == 0 {
			return value{}, errZero
		}
		out.Quo(out, by)
	}
	return irrational(out)
}

// realPower calculates base^power; nil is the base e.
func realPower(base, power *big.Rat) (value, error) {
	x := realOf(power)
	negative := false
	if base != nil {
		switch base.Sign() {
		case 0:
			if power.Sign() <= 0 {
				return value{}, errNoValue
			}
			return value{rat: base, rounded: true}, nil
		case -1:
			if !power.IsInt() {
				return value{}, errNoValue
			}
			negative = power.Num().Bit(0) == 1
		}
		x.Mul(x, ln(new(big.Rat).Abs(base)))
	}
	if most := big.NewFloat(maxExponent * 2.4); new(big.Float).Abs(x).Cmp(most) > 0 {
		return value{}, errExponent
	}
	out := exp(x)
	if negative {
		out.Neg(out)
	}
	return irrational(out)
}

// ln is the natural logarithm of a number above 0: that of a number near 1, and of the power of two between them.
func ln(r *big.Rat) *big.Float {
	shift := r.Num().BitLen() - r.Denom().BitLen()
	near := new(big.Rat).SetFrac(new(big.Int).Lsh(r.Num(), uint(max(0, -shift))), new(big.Int).Lsh(r.Denom(), uint(max(0, shift))))
	if near.Cmp(big.NewRat(4, 3)) > 0 {
		near.Quo(near, big.NewRat(2, 1))
		shift++
	}
	one := big.NewRat(1, 1)
	sum := series(realOf(near.Quo(new(big.Rat).Sub(near, one), new(big.Rat).Add(near, one))))
	ln2 := series(realOf(big.NewRat(1, 3)))
	return sum.Add(sum, ln2.Mul(ln2, realOf(big.NewRat(int64(shift), 1))))
}

// series is 2(z + z³/3 + z⁵/5 + …), the logarithm of (1+z)/(1-z).
func series(z *big.Float) *big.Float {
	square := new(big.Float).Mul(z, z)
	sum := new(big.Float).SetPrec(realPrecision)
	power := new(big.Float).Add(z, z)
	for n := int64(1); power.Sign() != 0 && (n == 1 || power.MantExp(nil) > sum.MantExp(nil)-realPrecision); n += 2 {
		sum.Add(sum, new(big.Float).Quo(power, realOf(big.NewRat(n, 1))))
		power.Mul(power, square)
	}
	return sum
}

// exp is e^x: that of what is left after whole powers of two, by 1 + x + x²/2 + x³/6 + …
func exp(x *big.Float) *big.Float {
	ln2 := ln(big.NewRat(2, 1))
	twos, _ := new(big.Float).Quo(x, ln2).Int64()
	left := new(big.Float).Sub(x, ln2.Mul(ln2, realOf(big.NewRat(twos, 1))))
	sum, term := realOf(big.NewRat(1, 1)), realOf(big.NewRat(1, 1))
	for n := int64(1); term.Sign() != 0 && term.MantExp(nil) > -realPrecision; n++ {
		term.Mul(term, left)
		term.Quo(term, realOf(big.NewRat(n, 1)))
		sum.Add(sum, term)
	}
	return sum.SetMantExp(sum, int(twos))
}
