package files

import (
	"bytes"
	"errors"
	"regexp"
	"regexp/syntax"
	"sync"
)

// searchPattern is a compiled expression of Go's RE2 syntax, matched against one line at a time. Several goroutines may use it
// at once.
type searchPattern struct {
	line    *regexp.Regexp
	across  bool    // a match may span lines: see Across
	exact   bool    // the only needle is the whole expression
	needles needles // one of these is in every line that matches; none: nothing is known
	tree    *syntax.Regexp
	idle    sync.Pool // of *machine
}

// patternOptions change how a pattern is read.
type patternOptions struct {
	Fixed bool // plain text, not an expression
	Fold  bool // letter case does not matter
	Lines bool // a match may span lines: . is a line break too, and ^ and $ are those of lines
}

// errLineBreak means that an expression asks for a line break, which no line has.
var errLineBreak = errors.New("the search works line by line, so a line break matches nothing")

// compilePattern reads a pattern. Its errors are those of regexp/syntax, and errLineBreak.
func compilePattern(pattern string, o patternOptions) (*searchPattern, error) {
	if o.Fixed {
		pattern = regexp.QuoteMeta(pattern)
	}
	flags := ""
	if o.Fold {
		flags = "i"
	}
	if o.Lines {
		flags += "sm"
	}
	line, err := regexp.Compile("(?" + flags + ":" + pattern + ")")
	if err != nil {
		// compilePattern it alone, for an error that is about the pattern as it was sent.
		if _, own := regexp.Compile(pattern); own != nil {
			err = own
		}
		return nil, err
	}
	tree, err := syntax.Parse(line.String(), syntax.Perl)
	if err != nil {
		return nil, err
	}
	tree = tree.Simplify()
	if o.Lines {
		return &searchPattern{line: line, across: true}, nil
	}
	p := &searchPattern{line: line, needles: required(tree), tree: tree}
	for _, n := range p.needles.words {
		if bytes.IndexByte(n, '\n') >= 0 {
			return nil, errLineBreak
		}
	}
	p.needles.ready()
	p.exact = len(p.needles.words) == 1 && !p.needles.fold && literal(tree)
	return p, nil
}

// Index returns where in a line the first match is, or nil.
func (p *searchPattern) Index(line []byte) []int { return p.line.FindIndex(line) }

// machine takes one that is idle, or makes one; nil when the expression is too large for one.
func (p *searchPattern) machine() *machine {
	if m, ok := p.idle.Get().(*machine); ok {
		return m
	}
	return newMachine(p.tree)
}

// lineScanner finds the matching lines of one text, in order. A text ends with a line.
type lineScanner struct {
	p       *searchPattern
	machine *machine // for a text in which needles do not help; nil: try every line
	text    []byte
	at      int   // start of the next line to look at
	next    []int // where each needle is next; -1: nowhere
	sift    bool  // the needles find every match
}

// line returns the next matching line, without its ending; ok is false at the end.
func (s *lineScanner) line() (start, end int, ok bool) {
	for s.at < len(s.text) {
		sure := false
		if start, sure = s.candidate(); start < 0 {
			break
		}
		end, s.at = lineAt(s.text, start)
		if sure || s.p.line.Match(s.text[start:end]) {
			return start, end, true
		}
	}
	s.at = len(s.text)
	return 0, 0, false
}

// candidate returns the start of the next line that may match, or -1, and whether it surely does.
func (s *lineScanner) candidate() (start int, sure bool) {
	switch {
	case s.sift:
		hit := s.needle()
		if hit < 0 {
			return -1, false
		}
		return s.at + bytes.LastIndexByte(s.text[s.at:hit], '\n') + 1, s.p.exact
	case s.machine != nil && !s.machine.broken:
		at := s.machine.find(s.text, s.at)
		return at, s.machine.exact && !s.machine.broken
	}
	return s.at, false
}

// needle returns where the first needle is.
func (s *lineScanner) needle() int {
	words := s.p.needles.words
	if s.next == nil {
		s.next = make([]int, len(words))
		for i := range words {
			s.next[i] = s.p.needles.index(s.text, i, 0)
		}
	}
	first := -1
	for i := range words {
		if s.next[i] >= 0 && s.next[i] < s.at {
			s.next[i] = s.p.needles.index(s.text, i, s.at)
		}
		if s.next[i] >= 0 && (first < 0 || s.next[i] < first) {
			first = s.next[i]
		}
	}
	return first
}
