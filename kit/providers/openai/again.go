package openai

import (
	"rein/internal/jsontext"
	"rein/model"
)

// again remembers an event that held one piece of a text or of a call's arguments and nothing else. The next event mostly is
// the same but for the piece.
type again struct {
	memo   jsontext.Memo
	pieces int // how many were read
	at     jsontext.Span
	text   bool // the piece is of the text, not of a call
	call   int
	other  bool // the event also held something else: such an event is not remembered
}

// remember keeps the envelope of the event that was read, if the next one may be read by it.
func (d *chatDecoder) remember() {
	if d.again.other || d.again.pieces != 1 {
		d.again.memo.Forget()
		return
	}
	d.again.memo.Learn(&d.scan, d.again.at)
}

// repeat reads an event that is as the last one but for its piece. It reports whether it was.
func (d *chatDecoder) repeat(data []byte, emit func(model.Chunk)) bool {
	piece, ok := d.again.memo.Match(data)
	switch {
	case !ok:
		return false
	case len(piece) == 0:
	case d.again.text:
		emit(d.draft.Text(piece))
	default:
		emit(d.draft.Args(d.again.call, piece))
	}
	return true
}
