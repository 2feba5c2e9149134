package files

import (
	"bytes"
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// The bounds of a machine: beyond them an expression is matched line by line instead.
const (
	maxInstructions = 3000
	maxStates       = 1500 // of 1 KiB each
)

// machine finds for each line whether it matches, reading every byte once: the states of the expression are worked
// out when they are first reached, and kept. Go's regexp does the work of a state again for every byte. A machine is
// used by one at a time.
type machine struct {
	prog   *syntax.Prog
	exact  bool // what it finds does match; otherwise a line that it finds must be checked
	states map[string]*machineState
	start  *machineState
	accept *machineState // the line matches, whatever follows
	broken bool          // too many states

	// for step
	raw  []uint32
	mark []uint32 // generation in which an instruction was visited
	gen  uint32
	key  []byte
}

// machineState is a set of places in the expression.
type machineState struct {
	next  [utf8.RuneSelf]*machineState
	wide  map[rune]*machineState
	runes []uint32 // instructions that wait for a letter
	ends  bool     // the line matches if it ends here
}

// newMachine returns nil for an expression that is too large.
func newMachine(tree *syntax.Regexp) *machine {
	prog, err := syntax.Compile(tree)
	if err != nil || len(prog.Inst) > maxInstructions {
		return nil
	}
	m := &machine{prog: prog, exact: true, states: map[string]*machineState{}, accept: &machineState{}, mark: make([]uint32, len(prog.Inst))}
	for _, in := range prog.Inst {
		if in.Op == syntax.InstEmptyWidth && syntax.EmptyOp(in.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 {
			m.exact = false // taken for true everywhere
		}
	}
	m.start = m.state([]uint32{uint32(prog.Start)}, true)
	return m
}

// find returns the start of the first line at or behind a position that matches, or may match; -1: there is none.
func (m *machine) find(text []byte, at int) int {
	line, s := at, m.start
	for i := at; ; {
		if i < len(text) && text[i] < utf8.RuneSelf {
			if n := s.next[text[i]]; n != nil {
				s = n
				i++
				continue
			}
		}
		if s == m.accept { // it has no next, so it ends up here
			return line
		}
		if ended, size := lineEnd(text, i); ended {
			if s.ends {
				return line
			}
			if i += size; i >= len(text) {
				return -1
			}
			line, s = i, m.start
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if s = m.step(s, r); m.broken {
			return line
		}
		i += size
	}
}

// lineEnd reports whether a line ends at a position, and the size of the ending.
func lineEnd(text []byte, i int) (ended bool, size int) {
	switch {
	case i >= len(text):
		return true, 0
	case text[i] == '\n':
		return true, 1
	case text[i] == '\r' && i+1 == len(text):
		return true, 1
	case text[i] == '\r' && text[i+1] == '\n':
		return true, 2
	}
	return false, 0
}

// step goes from a state over a letter. A CR is never kept in the table, since it may be part of a line's ending.
func (m *machine) step(s *machineState, r rune) *machineState {
	if n := s.wide[r]; n != nil {
		return n
	}
	m.raw = append(m.raw[:0], uint32(m.prog.Start))
	for _, pc := range s.runes {
		if in := &m.prog.Inst[pc]; in.MatchRune(r) {
			m.raw = append(m.raw, in.Out)
		}
	}
	n := m.state(m.raw, false)
	switch {
	case r < utf8.RuneSelf && r != '\r':
		s.next[r] = n
	case len(s.wide) < 256:
		if s.wide == nil {
			s.wide = map[rune]*machineState{}
		}
		s.wide[r] = n
	}
	return n
}

// machineState returns the state of some places before their empty steps are taken.
func (m *machine) state(raw []uint32, begins bool) *machineState {
	slices.Sort(raw)
	raw = slices.Compact(raw)
	m.key = m.key[:0]
	for _, pc := range raw {
		m.key = binary.LittleEndian.AppendUint32(m.key, pc)
	}
	if !begins { // the first state alone may take "^"; it is never come back to
		if s := m.states[string(m.key)]; s != nil {
			return s
		}
	}
	s := &machineState{}
	var matched bool
	if s.runes, matched = m.closure(raw, begins, false); matched {
		s = m.accept
	} else {
		_, s.ends = m.closure(raw, begins, true)
	}
	if !begins {
		m.states[string(m.key)] = s
		m.broken = m.broken || len(m.states) > maxStates
	}
	return s
}

// closure takes all empty steps from some places.
func (m *machine) closure(raw []uint32, begins, ends bool) (runes []uint32, matched bool) {
	m.gen++
	stack := slices.Clone(raw)
	for len(stack) > 0 {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if m.mark[pc] == m.gen {
			continue
		}
		m.mark[pc] = m.gen
		switch in := &m.prog.Inst[pc]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			stack = append(stack, in.Arg, in.Out)
		case syntax.InstCapture, syntax.InstNop:
			stack = append(stack, in.Out)
		case syntax.InstEmptyWidth:
			if holds(syntax.EmptyOp(in.Arg), begins, ends) {
				stack = append(stack, in.Out)
			}
		case syntax.InstMatch:
			matched = true
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			runes = append(runes, pc)
		}
	}
	return runes, matched
}

// holds reports whether a condition on the place in the line is met.
func holds(op syntax.EmptyOp, begins, ends bool) bool {
	if op&(syntax.EmptyBeginLine|syntax.EmptyBeginText) != 0 && !begins {
		return false
	}
	return op&(syntax.EmptyEndLine|syntax.EmptyEndText) == 0 || ends
}

// lineAt returns the bounds of the line that starts at a position, without its ending, and where the next one starts.
func lineAt(text []byte, start int) (end, next int) {
	end, next = len(text), len(text)
	if n := bytes.IndexByte(text[start:], '\n'); n >= 0 {
		end = start + n
		next = end + 1
	}
	if end > start && text[end-1] == '\r' {
		end--
	}
	return end, next
}
