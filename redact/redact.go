// Package redact hides secrets in text that leaves rein's hands: results for the model, events, journals, logs and
// screens. It knows the values that it is given, in the usual encodings, and the shapes of well-known keys.
package redact

import (
	"io"
	"sync"
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

// Filter hides known values and detected keys. A nil Filter detects keys only. It never changes and may be used at
// once by many.
type Filter struct {
	index index
}

// New returns a filter for values and for all detected shapes. A value is found as it is and as base64 (at any
// alignment) and base32, percent-encoded, hex (also with blanks, colons and \\x between the bytes), JSON-escaped,
// HTML-escaped, and reversed; a value of several lines also line by line.
func New(values []Value) *Filter {
	f := &Filter{}
	for _, v := range values {
		if !v.Declared && looksLikeWord(v.Text) {
			continue
		}
		for _, text := range spellings(v.Text) {
			f.index.add(anchor{prefix: text, known: true, kind: kindOf(v)})
		}
	}
	for _, r := range shapes() {
		f.index.add(r)
	}
	return f
}

func kindOf(v Value) string {
	if v.Name == "" {
		return "secret"
	}
	return v.Name
}

// builtin is the filter that a nil Filter means, made at its first use.
var builtin = sync.OnceValue(func() *Filter { return New(nil) })

func (f *Filter) orBuiltin() *Filter {
	if f == nil || f.index.heads == nil {
		return builtin()
	}
	return f
}

// String returns the text with each secret replaced by a mask like "[hidden: github token]". Text without secrets
// comes back as it is, without a copy.
func (f *Filter) String(text string) string {
	f = f.orBuiltin()
	hits, _ := f.index.scan([]byte(text), 0, true)
	if len(hits) == 0 {
		return text
	}
	return string(replace(nil, []byte(text), hits))
}

// Bytes is String for bytes: text itself when it has no secrets, else a new slice.
func (f *Filter) Bytes(text []byte) []byte {
	f = f.orBuiltin()
	hits, _ := f.index.scan(text, 0, true)
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

// Pending reports how many bytes at the end of a text could be the beginning of a secret that goes on in what comes next.
func (f *Filter) Pending(text []byte) int {
	_, settled := f.orBuiltin().index.scan(text, 0, false)
	return len(text) - settled
}

// Each returns a writer that masks every write by itself and passes it on in one: for logs, whose lines come whole.
// It is as safe for several goroutines as w is. A write of a text that holds secrets may be of another length below.
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
