package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// ErrBinary is the error for data that is not text.
var ErrBinary = errors.New("binary data, not text")

// Charset is how a file spells its text. The zero value is UTF-8.
type Charset struct {
	Name string // "UTF-8", "UTF-16LE", "GB18030", …; empty means UTF-8
	mark []byte // byte order mark, not part of the text
	enc  encoding.Encoding
}

// String is the name.
func (c Charset) String() string {
	if c.Name == "" {
		return "UTF-8"
	}
	return c.Name
}

// UTF8 means that text and bytes are the same.
func (c Charset) UTF8() bool { return c.enc == nil }

// DecodeText reads a file's bytes. Text that is not Unicode is guessed: by hints, which are texts that are expected in the
// file, else by its letters. Whatever is guessed, Encode gives the same bytes back for what is not changed.
func DecodeText(data []byte, hints ...string) (string, Charset, error) {
	if c, ok := byMark(data); ok {
		return c.decode(data)
	}
	if c, ok := wideWithoutMark(data); ok {
		return c.decode(data)
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", Charset{}, ErrBinary
	}
	if utf8.Valid(data) {
		return string(data), Charset{Name: "UTF-8"}, nil
	}
	if controls(data) {
		return "", Charset{}, ErrBinary
	}
	best := Charset{}
	for _, g := range guesses(data) {
		text, _, err := g.decode(data)
		if err != nil {
			continue
		}
		if best.enc == nil {
			best = g.Charset
		}
		if len(hints) == 0 {
			break
		}
		if hinted(text, hints) {
			best = g.Charset
			break
		}
	}
	return best.decode(data)
}

// Encode writes a text in the charset; the error names the first character that it does not have.
func (c Charset) Encode(text string) ([]byte, error) {
	if c.enc == nil {
		return []byte(text), nil
	}
	out, err := c.enc.NewEncoder().Bytes([]byte(text))
	if err != nil {
		for _, r := range text {
			if _, err := c.enc.NewEncoder().String(string(r)); err != nil {
				return nil, fmt.Errorf("%s, the file's encoding, has no %q (U+%04X)", c.Name, r, r)
			}
		}
		return nil, err
	}
	return append(bytes.Clone(c.mark), out...), nil
}

// decode reads data, and checks that it can be written back the same.
func (c Charset) decode(data []byte) (string, Charset, error) {
	if c.enc == nil {
		return string(data), c, nil
	}
	text, err := c.enc.NewDecoder().Bytes(data[len(c.mark):])
	if err != nil {
		return "", c, err
	}
	back, err := c.Encode(string(text))
	if err != nil || !bytes.Equal(back, data) {
		return "", c, ErrBinary
	}
	return string(text), c, nil
}

func byMark(data []byte) (Charset, bool) {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe, 0, 0}), bytes.HasPrefix(data, []byte{0, 0, 0xfe, 0xff}):
		return Charset{}, false // UTF-32: refused as binary
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return wide("UTF-16LE", unicode.LittleEndian, data[:2]), true
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return wide("UTF-16BE", unicode.BigEndian, data[:2]), true
	}
	return Charset{}, false
}

func wide(name string, e unicode.Endianness, mark []byte) Charset {
	return Charset{Name: name, mark: mark, enc: unicode.UTF16(e, unicode.IgnoreBOM)}
}

// wideWithoutMark recognises UTF-16 without a mark: every other byte is zero in most text.
func wideWithoutMark(data []byte) (Charset, bool) {
	n := min(len(data), 4096) &^ 1
	if n < 16 || len(data)%2 != 0 {
		return Charset{}, false
	}
	even, odd := 0, 0
	for i := 0; i < n; i += 2 {
		if data[i] == 0 {
			even++
		}
		if data[i+1] == 0 {
			odd++
		}
	}
	switch half := n / 2; {
	case odd*10 > half*9 && even == 0:
		return wide("UTF-16LE", unicode.LittleEndian, nil), true
	case even*10 > half*9 && odd == 0:
		return wide("UTF-16BE", unicode.BigEndian, nil), true
	}
	return Charset{}, false
}

// controls means that data has control characters which text has not.
func controls(data []byte) bool {
	n := 0
	for _, c := range data[:min(len(data), 8192)] {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v' && c != 0x1b {
			n++
		}
	}
	return n > 0
}

// hinted means that a text holds a run of letters beyond ASCII of one of the hints.
func hinted(text string, hints []string) bool {
	for _, h := range hints {
		for _, run := range strings.FieldsFunc(h, func(r rune) bool { return r < utf8.RuneSelf }) {
			if utf8.ValidString(run) && strings.Contains(text, run) {
				return true
			}
		}
	}
	return false
}
