package document

import (
	"encoding/json"
	"io"
	"os"
	"runtime/debug"
)

// Answer is what Serve writes.
type Answer struct {
	Text
	Error string `json:"error,omitempty"`
}

// Serve reads the window that args has as JSON of a document, and writes an Answer as JSON. It is the whole of a helper
// process: it may end for lack of memory, or need more time than it gets.
func Serve(args string, document *os.File, out io.Writer) error {
	debug.SetMemoryLimit(512 << 20)
	var w Window
	if err := json.Unmarshal([]byte(args), &w); err != nil {
		return err
	}
	info, err := document.Stat()
	if err != nil {
		return err
	}
	var a Answer
	if a.Text, err = Read(document, info.Size(), w); err != nil {
		a = Answer{Error: err.Error()}
	}
	return json.NewEncoder(out).Encode(a)
}
