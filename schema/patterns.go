package schema

import (
	"errors"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A pattern of twenty letters can mean a program of ten thousand instructions, each of which may be looked at for
// each letter of a text. So the patterns of one schema, and the work of one check with them, have an end.
const (
	maxPatterns     = 50_000     // instructions of all patterns of a schema, about 50 ms to compile
	maxPatternBytes = 16 << 10   // letters of all patterns of a schema
	patternSteps    = 64_000_000 // instructions times letters of one check, below a second
	classShare      = 32         // ends of ranges in a class that cost as much memory as one instruction
	noClasses       = 1 << 30    // weighs instructions alone
)

var errLargePatterns = errors.New("its patterns are too large")

// patterns is the regular expression engine of one schema. It makes each pattern once.
type patterns struct {
	meter         *meter
	made          map[string]jsonschema.Regexp
	weight, bytes int
}

func (p *patterns) tooLarge() bool { return p.bytes > maxPatternBytes || p.weight > maxPatterns }

// compile compiles a pattern. One that RE2 cannot express (look-around, back references) lets every string pass: the
// tool still checks its own input, and a tool that nobody can call would help nobody.
func (p *patterns) compile(pattern string) (jsonschema.Regexp, error) {
	if made, ok := p.made[pattern]; ok {
		return made, nil
	}
	if p.bytes += len(pattern); p.tooLarge() {
		return nil, errLargePatterns
	}
	var made jsonschema.Regexp = lenient(pattern)
	if tree, err := syntax.Parse(pattern, syntax.Perl); err == nil {
		if p.weight += weigh(tree, classShare); p.tooLarge() {
			return nil, errLargePatterns
		}
		if re, err := regexp.Compile(pattern); err == nil {
			made = &metered{re, weigh(tree, noClasses), p.meter}
		}
	}
	p.made[pattern] = made
	return made, nil
}

// weigh estimates how many instructions a pattern has, maxPatterns+1 at most; so many ends of ranges in a class count
// as one more.
func weigh(tree *syntax.Regexp, share int) int {
	n := 1 + len(tree.Rune)/share
	if tree.Op == syntax.OpLiteral {
		n = 1 + len(tree.Rune)
	}
	for _, sub := range tree.Sub {
		n += weigh(sub, share)
	}
	if tree.Op == syntax.OpRepeat {
		n *= max(tree.Min+1, tree.Max, 1)
	}
	return min(n, maxPatterns+1)
}

// metered is a pattern that counts its work.
type metered struct {
	*regexp.Regexp
	weight int
	meter  *meter
}

// MatchString implements jsonschema.Regexp.
func (m *metered) MatchString(text string) bool {
	m.meter.match(m.weight * (len(text) + 1))
	return m.Regexp.MatchString(text)
}

type lenient string

func (lenient) MatchString(string) bool { return true }
func (p lenient) String() string        { return string(p) }
