package jsontext

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"
)

// RepairOptions is what is known about a call whose arguments a model wrote as almost JSON. What can mean one thing only is
// repaired and noted, what could mean two is refused. With the zero value nothing that was cut off is completed.
type RepairOptions struct {
	// Reads means that the tool changes nothing, starts nothing and reaches nobody. Only for such a tool are closing
	// brackets added that are missing at the very end of the input.
	Reads bool
	// Truncated means that the model was stopped while it wrote (a length limit). Then only valid JSON passes.
	Truncated bool
	// Schema is the tool's JSON Schema or nil. The types of its properties decide what a bare word is.
	Schema []byte
}

// result is one JSON object.
type result struct {
	JSON  []byte   // strict JSON: the input itself where it was valid, else new bytes
	Notes []string // what was repaired, in words for the model; empty where the input was valid
}

// reason is why an input was refused.
type reason string

// The reasons for a refusal.
const (
	noObject       reason = "no object" // nothing in the input is a JSON object
	truncated      reason = "cut off"   // the input ends too early to be completed safely
	ambiguous      reason = "ambiguous" // it could mean more than one thing
	broken         reason = "broken"    // it is broken in a way that is not repaired
	maxNotes              = 12          // further repairs are only counted
	maxRepairDepth        = 10_000      // nested values
	maxUnwrap             = 2           // times that an object may be encoded as a string
)

// repairError is a refusal. Its text is for the model: what is wrong and where.
type repairError struct {
	Reason reason
	Offset int // in bytes, where reading stopped
	Detail string
}

// repairError returns what is wrong, at which byte, and what to send instead.
func (e *repairError) Error() string {
	if e.Reason == truncated {
		return fmt.Sprintf("the arguments are cut off after %d bytes (%s); send the whole JSON object again, shorter if it is long", e.Offset, e.Detail)
	}
	return fmt.Sprintf("the arguments are not one JSON object: %s at byte %d; send one strict JSON object", e.Detail, e.Offset)
}

func refuse(reason reason, offset int, format string, args ...any) *repairError {
	return &repairError{Reason: reason, Offset: offset, Detail: fmt.Sprintf(format, args...)}
}

// Object returns the one JSON object that input means. A valid object comes back as it is. The error is an *Error.
// It takes time and memory linear in the input's length.
func Object(input []byte, opts RepairOptions) (result, error) {
	if Strict(input) && bytes.TrimLeft(input, " \t\r\n")[0] == '{' {
		return result{JSON: input}, nil
	}
	if !utf8.Valid(input) {
		return result{}, refuse(broken, 0, "the text is not valid UTF-8")
	}
	m := repairer{opts: opts}
	m.hints = readHints(opts.Schema)
	out, err := m.object(input)
	if err != nil {
		return result{}, err
	}
	return result{JSON: out, Notes: m.told()}, nil
}

// repairer collects what is reported about a repair.
type repairer struct {
	opts  RepairOptions
	hints hints
	notes []string
	more  int
}

func (m *repairer) note(format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	if slices.Contains(m.notes, text) {
		return
	}
	if len(m.notes) == maxNotes {
		m.more++
		return
	}
	m.notes = append(m.notes, text)
}

func (m *repairer) told() []string {
	if m.more > 0 {
		return append(m.notes, fmt.Sprintf("and more repairs: %d", m.more))
	}
	return m.notes
}

// object tries the repairs of the whole text first, then the tolerant reader.
func (m *repairer) object(input []byte) ([]byte, error) {
	text := bytes.TrimPrefix(input, []byte("\ufeff"))
	if len(text) < len(input) {
		m.note("dropped the byte order mark")
	}
	text = bytes.TrimSpace(text)
	if len(text) == 0 || string(text) == "null" || string(text) == `""` {
		m.note("read no arguments as {}")
		return []byte("{}"), nil
	}
	text, err := m.unwrap(text)
	if err != nil {
		return nil, err
	}
	if Strict(text) {
		if text[0] != '{' {
			return nil, refuse(noObject, 0, "this is another JSON value than an object")
		}
		return text, nil
	}
	if m.opts.Truncated {
		return nil, refuse(truncated, len(input), "the answer was stopped here")
	}
	return m.find(text)
}
