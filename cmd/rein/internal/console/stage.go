package console

import (
	"bytes"
	"io"
	"sync"
)

// stage keeps what is told of running calls off the screen while a question stands on it: a person reads one thing at a
// time, and single keys are read in a state in which lines would run down the screen like stairs. What was held back is
// shown when the question is gone. The zero value is ready.
type stage struct {
	lock     sync.Mutex
	question bool
	held     []heldText
}

// heldText is what was held back of one writer.
type heldText struct {
	to   io.Writer
	text bytes.Buffer
}

// Over gives a writer that is held back while a question stands.
func (s *stage) Over(out io.Writer) io.Writer { return staged{s, out} }

type staged struct {
	stage *stage
	out   io.Writer
}

// Write writes, or holds back.
func (w staged) Write(text []byte) (int, error) {
	w.stage.lock.Lock()
	defer w.stage.lock.Unlock()
	if !w.stage.question {
		return w.out.Write(text)
	}
	if n := len(w.stage.held); n == 0 || w.stage.held[n-1].to != w.out {
		w.stage.held = append(w.stage.held, heldText{to: w.out})
	}
	return w.stage.held[len(w.stage.held)-1].text.Write(text)
}

// enter begins a question, and gives what ends it.
func (s *stage) enter() (leave func()) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.question = true
	return func() {
		s.lock.Lock()
		defer s.lock.Unlock()
		s.question = false
		for _, h := range s.held {
			h.to.Write(h.text.Bytes()) // a writer that is gone is told so with the next line
		}
		s.held = nil
	}
}
