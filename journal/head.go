package journal

import (
	"bytes"
	"strconv"

	"rein/internal/jsonscan"
)

// head is what a line has at its beginning, as Event.Line writes it.
type head struct {
	kind   []byte
	seq    int64
	format int
}

// headOf reads the head of a line that is JSON and begins as Event.Line writes it. Other lines are decoded as a whole.
func headOf(line []byte) (h head, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"kind":"`))
	if !ok {
		return h, false
	}
	if h.kind, rest, ok = bytes.Cut(rest, []byte(`","time":"`)); !ok || bytes.IndexByte(h.kind, '"') >= 0 {
		return h, false
	}
	if _, rest, ok = bytes.Cut(rest, []byte(`"`)); !ok {
		return h, false
	}
	seq, rest := number(rest, `,"seq":`)
	format, _ := number(rest, `,"format":`)
	h.seq, h.format = seq, int(format)
	return h, jsonscan.Valid(line)
}

// number reads a member that is a number; 0 where another one comes next.
func number(text []byte, member string) (n int64, rest []byte) {
	digits, ok := bytes.CutPrefix(text, []byte(member))
	if !ok {
		return 0, text
	}
	end := 0
	for end < len(digits) && digits[end] >= '0' && digits[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(string(digits[:end]), 10, 64)
	if err != nil {
		return 0, text
	}
	return n, digits[end:]
}
