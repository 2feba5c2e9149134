// Package redact hides secrets in text that leaves rein's hands: results for the model, events, journals, logs and
// screens. It knows the values that it is given, in the usual encodings, and the shapes of well-known keys.
package redact

import (
	"io"
	"strings"
	"sync"
	"sync/atomic"
)

// Value is a secret that is known by its text.
type Value struct {
	Name string // shown in the mask: [hidden: NAME]; empty means "secret"
	Text string // shorter than MinValue bytes: not masked, it would hide ordinary words
	// Declared means that the user called it a secret, and not only the name of its variable: it is masked even when
	// it looks like a word. POSTGRES_PASSWORD=postgres must not take that word out of every text.
	Declared bool
}

// MinValue is the length in bytes below which a known value is left alone.
const MinValue = 6

// MaxValues bounds how many values a filter knows.
const MaxValues = 1000

// Filter hides known values and detected keys. A nil Filter detects keys only. Several goroutines may use it at once.
type Filter struct {
	index atomic.Pointer[index]

	mu     sync.Mutex
	values []Value
	has    map[string]bool // their texts
}

// New returns a filter for values and for all detected shapes. A value is found as it is and as base64 (at any
// alignment), base32 and hex (in lines of five characters or more, with separators, and in dumps), percent-encoded, JSON-escaped,
// HTML-escaped, and reversed; a value of several lines also line by line.
func New(values []Value) *Filter {
	f := &Filter{}
	f.Add(values)
	return f
}

// Add makes the filter hide more values from now on. Those that it has are left out, and it takes MaxValues at most.
func (f *Filter) Add(values []Value) { f.AddShared([][]Value{values}, MaxValues) }

// AddShared is Add for at most so many new values of several groups, such as files. Each group has the same share: a group with many
// values keeps no value of another one out. It returns how many were added, and how many of each group were not.
func (f *Filter) AddShared(groups [][]Value, most int) (added int, left []int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.has == nil {
		f.has = map[string]bool{}
	}
	left = make([]int, len(groups))
	for round, more := 0, true; more; round++ {
		more = false
		for g, values := range groups {
			if round >= len(values) {
				continue
			}
			more = true
			v := values[round]
			v.Text = strings.TrimSpace(v.Text)
			switch {
			case len(v.Text) < MinValue, !v.Declared && looksOrdinary(v.Text), f.has[v.Text]:
			case added >= most || len(f.values) >= MaxValues:
				left[g]++
			default:
				f.values, f.has[v.Text] = append(f.values, v), true
				added++
			}
		}
	}
	if added > 0 {
		f.index.Store(indexOf(f.values))
	}
	return added, left
}

func indexOf(values []Value) *index {
	var all []anchor
	for _, v := range values {
		for _, text := range spellings(v.Text) {
			all = append(all, anchor{prefix: text, known: true, kind: kindOf(v)})
		}
		all = append(all, encoded(v.Text, kindOf(v))...)
	}
	return newIndex(append(all, shapes()...))
}

func kindOf(v Value) string {
	if v.Name == "" {
		return "secret"
	}
	return v.Name
}

// builtin is the index of a filter without values, made at its first use.
var builtin = sync.OnceValue(func() *index { return indexOf(nil) })

// now is the index as it is; values may be added meanwhile.
func (f *Filter) now() *index {
	if f != nil {
		if x := f.index.Load(); x != nil {
			return x
		}
	}
	return builtin()
}

// State is another value after secrets were added: what a filter made of a text before may no longer be all that it hides.
func (f *Filter) State() any { return f.now() }

// Detect returns the keys and passwords that a text shows by their shape or by what is around them, with their kinds as names.
func Detect(text []byte) (all []Value) {
	hits, _ := builtin().scan(text, 0, true)
	for _, h := range hits {
		all = append(all, Value{Name: h.kind, Text: string(text[h.from:h.to])})
	}
	return all
}

// String returns the text with each secret replaced by a mask like "[hidden: github token]". Text without secrets
// comes back as it is, without a copy.
func (f *Filter) String(text string) string {
	hits, _ := f.now().scan([]byte(text), 0, true)
	if len(hits) == 0 {
		return text
	}
	return string(replace(nil, []byte(text), hits))
}

// Bytes is String for bytes: text itself when it has no secrets, else a new slice.
func (f *Filter) Bytes(text []byte) []byte {
	hits, _ := f.now().scan(text, 0, true)
	if len(hits) == 0 {
		return text
	}
	return replace(make([]byte, 0, len(text)), text, hits)
}

// replace appends text to out with the hits masked. The hits are in order and apart.
func replace(out, text []byte, hits []hit) []byte {
	at := 0
	for _, h := range hits {
		out = append(out, text[at:h.from]...)
		out = append(out, "[hidden: "...)
		out = append(out, h.kind...)
		out = append(out, ']')
		at = h.to
	}
	return append(out, text[at:]...)
}

// Pending reports how many bytes at the end of a text could be the beginning of a secret that continues in what comes next.
func (f *Filter) Pending(text []byte) int {
	_, settled := f.now().scan(text, 0, false)
	return len(text) - settled
}

// Each returns a writer that masks every write by itself and passes it on in one: for logs, whose lines come whole.
// It is as safe for several goroutines as w is. The length of a write that reaches w differs where the text holds
// secrets.
func (f *Filter) Each(w io.Writer) io.Writer { return each{f, w} }

type each struct {
	filter *Filter
	out    io.Writer
}

func (e each) Write(p []byte) (int, error) {
	if _, err := e.out.Write(e.filter.Bytes(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
