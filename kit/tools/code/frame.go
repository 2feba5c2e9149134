package code

// The interpreter runs a Starlark program in a process of its own: one line of a program can use all memory of its
// process. The program talks with the process that started it over its standard streams, in frames: it asks which names are
// tools, sends calls and waits for their results, and sends what it prints.

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// An interpreterFrame is one message. Exactly one field is set.
type interpreterFrame struct {
	Start *interpreterStart `json:"start,omitempty"` // to the program: its code

	Name string           `json:"name,omitempty"` // of the program: is there a tool of this name?
	Tool *interpreterTool `json:"tool,omitempty"` // to the program: the answer

	Calls   []interpreterCall   `json:"calls,omitempty"`   // of the program: it waits for the results
	Results []interpreterResult `json:"results,omitempty"` // to the program: in the order of the calls

	Print string           `json:"print,omitempty"` // of the program: a piece of what it prints
	Done  *interpreterDone `json:"done,omitempty"`  // of the program: it has ended
}

// interpreterStart begins a program.
type interpreterStart struct {
	Code   string `json:"code"`
	Steps  uint64 `json:"steps"`  // of the interpreter, at most
	Memory int64  `json:"memory"` // bytes that the process may use
}

// interpreterTool says whether there is a tool.
type interpreterTool struct {
	Known    bool     `json:"known"`
	Required []string `json:"required,omitempty"` // names of the arguments that may be given by their position
}

// interpreterCall is a call of a tool.
type interpreterCall struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// interpreterResult is the result of a call.
type interpreterResult struct {
	OK     bool            `json:"ok"`
	Text   string          `json:"text"`
	Kind   string          `json:"kind,omitempty"`   // why it failed
	Notes  []string        `json:"notes,omitempty"`  // of the harness
	Detail json.RawMessage `json:"detail,omitempty"` // as for the screen
}

// interpreterDone is how a program ended.
type interpreterDone struct {
	Error string `json:"error,omitempty"` // "" for a good end; else where and what, and a hint
	Limit string `json:"limit,omitempty"` // the limit that it reached: steps, memory or output
	Steps uint64 `json:"steps,omitempty"`
}

// mostFrame is how many bytes one frame may have.
const mostFrame = 64 << 20

// sendFrame writes a frame.
func sendFrame(w io.Writer, f interpreterFrame) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if len(text) > mostFrame {
		return fmt.Errorf("a message of %d bytes, at most %d", len(text), mostFrame)
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...))
	return err
}

// receiveFrame reads the next frame.
func receiveFrame(r io.Reader) (f interpreterFrame, err error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return f, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > mostFrame {
		return f, fmt.Errorf("a message of %d bytes, at most %d", n, mostFrame)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return f, err
	}
	return f, json.Unmarshal(text, &f)
}
