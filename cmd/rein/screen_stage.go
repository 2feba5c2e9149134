package main

import (
	"bytes"
	"io"
	"sync"
)

// stage keeps the output of running calls off the screen while an approval request is shown: a person reads one thing at
// a time. It shows that output when the request is gone. The zero value is ready.
type stage struct {
	lock   sync.Mutex
	asking bool
	held   []heldText
}

// heldText is what was held back of one writer.
type heldText struct {
	to   io.Writer
	text bytes.Buffer
}

// Over returns a writer whose output is held back while a request is shown.
func (s *stage) Over(out io.Writer) io.Writer { return staged{s, out} }

type staged struct {
	stage *stage
	out   io.Writer
}

// Write writes, or holds back.
func (w staged) Write(text []byte) (int, error) {
	w.stage.lock.Lock()
	defer w.stage.lock.Unlock()
	if !w.stage.asking {
		return w.out.Write(text)
	}
	if n := len(w.stage.held); n == 0 || w.stage.held[n-1].to != w.out {
		w.stage.held = append(w.stage.held, heldText{to: w.out})
	}
	return w.stage.held[len(w.stage.held)-1].text.Write(text)
}

// enter begins to hold output back; leave shows what was held back.
func (s *stage) enter() (leave func()) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.asking = true
	return func() {
		s.lock.Lock()
		defer s.lock.Unlock()
		s.asking = false
		for _, h := range s.held {
			h.to.Write(h.text.Bytes()) // the next line reports a writer that is gone
		}
		s.held = nil
	}
}
