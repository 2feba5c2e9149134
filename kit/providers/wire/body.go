package wire

import (
	"io"
	"net/http"
)

// setBody lets a request send pieces in order. The transport may ask for them again when a kept connection turns out dead.
func setBody(req *http.Request, pieces [][]byte) {
	for _, p := range pieces {
		req.ContentLength += int64(len(p))
	}
	if req.ContentLength == 0 {
		return
	}
	req.GetBody = func() (io.ReadCloser, error) { return &body{pieces: pieces}, nil }
	req.Body = &body{pieces: pieces}
}

// body reads pieces one after the other.
type body struct {
	pieces [][]byte
	at     int // in the first piece
}

func (b *body) Read(p []byte) (n int, err error) {
	for n < len(p) && len(b.pieces) > 0 {
		m := copy(p[n:], b.pieces[0][b.at:])
		n += m
		if b.at += m; b.at == len(b.pieces[0]) {
			b.pieces, b.at = b.pieces[1:], 0
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (b *body) Close() error { return nil }
