package schema

import (
	"errors"
	"regexp"
	"regexp/syntax"
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

// pattern is a regular expression of a schema.
type pattern struct {
	text   string
	re     *regexp.Regexp // nil: every text matches
	weight int            // instructions
}

// patterns are the different patterns of one schema.
type patterns struct{ list []*pattern }

// add returns the pattern of that text.
func (p *patterns) add(text string) *pattern {
	for _, other := range p.list {
		if other.text == text {
			return other
		}
	}
	made := &pattern{text: text}
	p.list = append(p.list, made)
	return made
}

// compile compiles all patterns. One that RE2 cannot express (look-around, back references) lets every text pass: the
// tool still checks its own input, and a tool that nobody can call would help nobody.
func (p *patterns) compile() error {
	weight, letters := 0, 0
	for _, one := range p.list {
		if letters += len(one.text); letters > maxPatternBytes {
			return errLargePatterns
		}
		tree, err := syntax.Parse(one.text, syntax.Perl)
		if err != nil {
			continue
		}
		if weight += weigh(tree, classShare); weight > maxPatterns {
			return errLargePatterns
		}
		one.weight = weigh(tree, noClasses)
		one.re, _ = regexp.Compile(one.text)
	}
	return nil
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
