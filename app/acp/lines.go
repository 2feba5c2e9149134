package acp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"rein/app/internal/rpc"
)

// maxLine is the length of the longest message in bytes. The library's reader ends the connection at a longer one.
const maxLine = 10<<20 - 1

// lineReader gives the library the lines of the client that are messages. The others are answered with an error: the library would leave
// them out.
//
// The library handles a request at once and a notification when it can, so a cancel of a session could miss a prompt that was sent before
// it, or end one that was sent after it. What it handles where it reads it is the cancel of a request: the reader puts one for each prompt
// of the session before the line.
type lineReader struct {
	in    io.Reader
	out   *rpc.Writer
	ready chan struct{} // closed when the connection can read

	once    sync.Once
	lines   rpc.Lines
	rest    []byte            // of what the library gets next
	prompts map[string]string // the session of each prompt that was not cancelled, by the prompt's id as it is written
}

// Read implements io.Reader.
func (l *lineReader) Read(p []byte) (int, error) {
	l.once.Do(func() {
		<-l.ready
		l.lines = rpc.Lines{In: bufio.NewReaderSize(l.in, 64<<10), Out: l.out, Most: maxLine}
		l.prompts = map[string]string{}
	})
	for len(l.rest) == 0 {
		line, err := l.lines.Next()
		if err != nil {
			return 0, err
		}
		if m, wrong := readMessage(line); wrong == nil {
			l.rest = line
			if before := l.cancels(m); before != nil {
				l.rest = append(before, line...)
			}
		} else if err := l.out.Refuse(line, wrong); err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// cancels returns the lines that cancel the prompts of a session, if the message cancels it.
func (l *lineReader) cancels(m envelope) (lines []byte) {
	id := string(m.ID)
	if m.Method != "" && id != "" {
		delete(l.prompts, id) // a client may use an id again
	}
	if m.Method != sdk.AgentMethodSessionPrompt && m.Method != sdk.AgentMethodSessionCancel {
		return nil
	}
	var p sessionParams
	switch {
	case json.Unmarshal(m.Params, &p) != nil: // its method answers with the error
	case m.Method == sdk.AgentMethodSessionCancel:
		for id, session := range l.prompts {
			if session == p.Session {
				lines = fmt.Appendf(lines, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%s}}`+"\n", id)
				delete(l.prompts, id)
			}
		}
	case id != "":
		l.prompts[id] = p.Session
	}
	return lines
}

// envelope is what a message says of itself.
type envelope struct {
	ID     json.RawMessage `json:"id"` // empty: it has none
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// readMessage returns an error for a line that is no message.
func readMessage(line []byte) (m envelope, err error) {
	if err := json.Unmarshal(line, &m); err != nil {
		return m, err
	}
	var id any
	if len(m.ID) > 0 {
		err = json.Unmarshal(m.ID, &id)
	}
	switch id.(type) {
	case nil:
		m.ID = nil
		if m.Method == "" {
			return m, errors.New("it has no method and no id")
		}
	case string, float64:
	default:
		return m, errors.New("its id is neither a text nor a number")
	}
	return m, err
}
