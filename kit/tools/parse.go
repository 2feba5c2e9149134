package tools

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

var (
	errZero     = errors.New("division by zero")
	errNoValue  = errors.New("that has no value")
	errExponent = fmt.Errorf("exponent above %d", maxExponent)
)

// parser reads an expression and calculates it at once.
type parser struct {
	source string
	at     int
	depth  int
	now    time.Time
	unit   string       // of the answer, after "in"
	until  func() error // why the calculation must stop
}

// failure is an error with its place in the expression.
type failure struct {
	at  int
	err error
}

func (f failure) Error() string { return fmt.Sprintf("at %d: %v", f.at+1, f.err) }

// calculate returns the value of an expression, and the name of its unit.
func calculate(source string, now time.Time, until func() error) (v value, unit string, err error) {
	if len(source) > maxSource {
		return v, "", fmt.Errorf("the expression has %d bytes, at most %d", len(source), maxSource)
	}
	p := &parser{source: source, now: now, until: until}
	if v, err = p.expression(0); err == nil {
		if word := p.word(); word == "in" || word == "to" || word == "as" {
			p.at += len(word)
			v, err = p.convert(v)
		}
	}
	if err == nil && p.peek() != 0 {
		err = fmt.Errorf("%q is not understood", rest(p.source[p.at:]))
	}
	if err != nil {
		if f, ok := errors.AsType[failure](err); ok {
			return v, "", f
		}
		return v, "", failure{p.at, err}
	}
	if p.unit == "" && v.is == number {
		p.unit = v.dims.basic()
	}
	return v, p.unit, nil
}

func rest(text string) string {
	if len(text) > 20 {
		text = text[:20] + "…"
	}
	return strings.ToValidUTF8(text, "")
}

// peek returns the next character that is no space; 0 at the end.
func (p *parser) peek() rune {
	for p.at < len(p.source) {
		r, n := utf8.DecodeRuneInString(p.source[p.at:])
		if !unicode.IsSpace(r) {
			return r
		}
		p.at += n
	}
	return 0
}

// word returns the name that comes next, without taking it.
func (p *parser) word() string {
	if r := p.peek(); !unicode.IsLetter(r) && r != '°' && r != '_' {
		return ""
	}
	end := strings.IndexFunc(p.source[p.at:], func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '°'
	})
	if end < 0 {
		end = len(p.source) - p.at
	}
	return p.source[p.at : p.at+end]
}

// operator returns the operator that comes next and how strongly it binds; "" where there is none.
func (p *parser) operator() (op string, left, right int) {
	p.peek()
	for _, o := range []struct {
		text        string
		left, right int
	}{{"**", 9, 8}, {"//", 5, 6}, {"^", 9, 8}, {"*", 5, 6}, {"×", 5, 6}, {"/", 5, 6}, {"÷", 5, 6}, {"%", 5, 6}, {"+", 3, 4}, {"-", 3, 4}, {"−", 3, 4}, {"!", 11, 0}} {
		if strings.HasPrefix(p.source[p.at:], o.text) {
			return o.text, o.left, o.right
		}
	}
	if w := p.word(); w != "" && w != "in" && w != "to" && w != "as" { // 5 km
		return "", 7, 8
	}
	return "", -1, 0
}

// expression reads all that binds more strongly than least.
func (p *parser) expression(least int) (v value, err error) {
	if p.depth++; p.depth > maxDepth {
		return v, fmt.Errorf("more than %d levels", maxDepth)
	}
	defer func() { p.depth-- }()
	if v, err = p.operand(); err != nil {
		return v, err
	}
	for {
		op, left, right := p.operator()
		if left < 0 || left < least {
			return v, nil
		}
		if err := p.until(); err != nil {
			return v, err
		}
		at := p.at
		p.at += len(op)
		if offset, factor, ok := degrees(p.word()); op == "" && ok {
			p.at += len(p.word())
			v, err = kelvin(v, offset, factor)
		} else if op == "!" {
			v, err = factorial(v)
		} else {
			var w value
			if w, err = p.expression(right); err == nil {
				v, err = binary(op, v, w)
			}
		}
		if err != nil {
			if _, placed := errors.AsType[failure](err); !placed {
				err = failure{at, err}
			}
			return v, err
		}
	}
}

// operand reads a number, a name, a call, a list or what is in brackets.
func (p *parser) operand() (v value, err error) {
	switch r := p.peek(); {
	case r == 0:
		return v, errors.New("something is missing at the end")
	case r == '-' || r == '−' || r == '+':
		p.at += utf8.RuneLen(r)
		v, err = p.expression(7)
		if err == nil && r != '+' {
			v, err = binary("*", whole(-1), v)
		}
		return v, err
	case r == '(':
		p.at++
		if v, err = p.expression(0); err == nil {
			err = p.take(')')
		}
		return v, err
	case r == '[':
		p.at++
		items, err := p.items(']')
		return value{is: list, list: items}, err
	case r == '"' || r == '\'':
		return p.quoted(byte(r))
	case r >= '0' && r <= '9' || r == '.':
		return p.number()
	}
	name := p.word()
	if name == "" {
		return v, fmt.Errorf("%q is not understood", rest(p.source[p.at:]))
	}
	at := p.at
	p.at += len(name)
	if p.peek() == '(' {
		p.at++
		args, err := p.items(')')
		if err == nil {
			v, err = p.call(name, args)
		}
		if err != nil {
			if _, placed := errors.AsType[failure](err); !placed {
				err = failure{at, fmt.Errorf("%s: %w", name, err)}
			}
		}
		return v, err
	}
	if v, ok := constant(name, p.now); ok {
		return v, nil
	}
	if v, ok := unitNamed(name); ok {
		return v, nil
	}
	return v, failure{at, fmt.Errorf("there is no %q", rest(name))}
}

func (p *parser) take(want rune) error {
	if p.peek() != want {
		return fmt.Errorf("expected %q", want)
	}
	p.at++
	return nil
}

// items reads values with commas between them, up to the closing bracket.
func (p *parser) items(closing rune) (all []value, err error) {
	if p.peek() == closing {
		p.at++
		return nil, nil
	}
	for {
		v, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		if all = append(all, v); len(all) > maxList {
			return nil, fmt.Errorf("more than %d values", maxList)
		}
		if p.peek() != ',' {
			return all, p.take(closing)
		}
		p.at++
	}
}

// quoted reads a date.
func (p *parser) quoted(mark byte) (v value, err error) {
	end := strings.IndexByte(p.source[p.at+1:], mark)
	if end < 0 {
		return v, errors.New("the quote does not end")
	}
	written := p.source[p.at+1 : p.at+1+end]
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04", time.DateTime} {
		if t, err := time.ParseInLocation(layout, written, p.now.Location()); err == nil {
			p.at += end + 2
			return value{is: instant, date: t}, nil
		}
	}
	return v, fmt.Errorf("%q is not a date: expected \"2026-11-22\" or \"2026-11-22T10:00:00Z\"", rest(written))
}

// number reads 1, 1.5, .5, 1_000, 2e10, 0xff and 0b101.
func (p *parser) number() (v value, err error) {
	end := p.at
	for end < len(p.source) {
		c := p.source[end]
		sign := (c == '+' || c == '-') && (p.source[end-1] == 'e' || p.source[end-1] == 'E') && !strings.HasPrefix(p.source[p.at:end], "0x")
		hex := strings.HasPrefix(p.source[p.at:], "0x") && (c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' || c == 'x')
		exponent := (c == 'e' || c == 'E') && end+1 < len(p.source) && strings.IndexByte("+-0123456789", p.source[end+1]) >= 0
		if !(c >= '0' && c <= '9' || c == '.' || c == '_' || sign && end > p.at || hex || exponent || c == 'b' && p.source[p.at:end] == "0") {
			break
		}
		end++
	}
	if day := p.source[p.at:min(end+len("-01-01"), len(p.source))]; dashed(day) {
		return v, fmt.Errorf("%s may be a date or a difference: write \"%s\" for the date, or spaces around the signs", day, day)
	}
	written := strings.ReplaceAll(p.source[p.at:end], "_", "")
	if _, power, ok := strings.Cut(strings.ToLower(written), "e"); ok && !strings.HasPrefix(written, "0x") && len(strings.TrimLeft(power, "+-0")) > 4 {
		return v, fmt.Errorf("exponent above %d", maxExponent)
	}
	r, ok := new(big.Rat).SetString(written)
	if !ok {
		return v, fmt.Errorf("%q is not a number", rest(written))
	}
	p.at = end
	return limited(exact(r))
}

// dashed reports whether a text has the form of a date.
func dashed(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// convert reads the unit after "in" and returns the value in it.
func (p *parser) convert(v value) (value, error) {
	p.peek()
	start := p.at
	name := strings.TrimSpace(p.source[start:])
	if offset, factor, ok := degrees(name); ok && v.is == number && v.dims == (dims{4: 1}) {
		p.at, p.unit = len(p.source), name
		r := new(big.Rat).Quo(v.rat, factor)
		return limited(value{rat: r.Sub(r, offset), rounded: v.rounded})
	}
	unit, err := p.expression(0)
	if err != nil {
		return v, err
	}
	if unit.is != number || v.is != number || unit.dims != v.dims {
		return v, fmt.Errorf("%s cannot be shown in %s", orNone(v.dims.basic()), rest(name))
	}
	p.unit = strings.TrimSpace(p.source[start:p.at])
	return binary("/", v, unit)
}

func orNone(unit string) string {
	if unit == "" {
		return "a number without a unit"
	}
	return unit
}

// kelvin returns degrees in kelvin.
func kelvin(v value, offset, factor *big.Rat) (value, error) {
	if v.is != number || v.dims != (dims{}) {
		return v, errors.New("expected a number of degrees")
	}
	r := new(big.Rat).Add(v.rat, offset)
	return limited(value{rat: r.Mul(r, factor), rounded: v.rounded, dims: dims{4: 1}})
}
