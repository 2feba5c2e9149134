package shell

import "mvdan.cc/sh/v3/syntax"

// calculate applies an operator of arithmetic to two numbers. ok is false where bash reports an error, or the result is not computed.
func calculate(op syntax.BinAritOperator, a, b int64) (int64, bool) {
	switch op {
	case syntax.Add:
		return a + b, true
	case syntax.Sub:
		return a - b, true
	case syntax.Mul:
		return a * b, true
	case syntax.Quo, syntax.Rem:
		if b == 0 || b == -1 {
			return 0, false
		}
		if op == syntax.Quo {
			return a / b, true
		}
		return a % b, true
	case syntax.Pow:
		n := int64(1)
		if b < 0 || b > 64 {
			return 0, false
		}
		for range b {
			n *= a
		}
		return n, true
	case syntax.And:
		return a & b, true
	case syntax.Or:
		return a | b, true
	case syntax.Xor:
		return a ^ b, true
	case syntax.Shl, syntax.Shr:
		if b < 0 || b > 62 {
			return 0, false
		}
		if op == syntax.Shl {
			return a << b, true
		}
		return a >> b, true
	case syntax.Eql:
		return numberOf(a == b), true
	case syntax.Neq:
		return numberOf(a != b), true
	case syntax.Lss:
		return numberOf(a < b), true
	case syntax.Gtr:
		return numberOf(a > b), true
	case syntax.Leq:
		return numberOf(a <= b), true
	case syntax.Geq:
		return numberOf(a >= b), true
	case syntax.Comma:
		return b, true
	}
	return 0, false
}

// numberOf is what a comparison gives.
func numberOf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// assignments are the operators that change their left side, with the operator that computes the new value.
var assignments = map[syntax.BinAritOperator]syntax.BinAritOperator{
	syntax.Assgn: 0, syntax.AddAssgn: syntax.Add, syntax.SubAssgn: syntax.Sub, syntax.MulAssgn: syntax.Mul, syntax.QuoAssgn: syntax.Quo,
	syntax.RemAssgn: syntax.Rem, syntax.AndAssgn: syntax.And, syntax.OrAssgn: syntax.Or, syntax.XorAssgn: syntax.Xor, syntax.ShlAssgn: syntax.Shl, syntax.ShrAssgn: syntax.Shr,
}

// assignOperator returns the operator that an assignment computes its new value with, 0 for a plain one. ok is false for an operator that
// assigns nothing.
func assignOperator(op syntax.BinAritOperator) (with syntax.BinAritOperator, ok bool) {
	with, ok = assignments[op]
	return with, ok
}
