package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxLine is the longest line that a batch command reads, in bytes.
const maxLine = 256 << 20

// answerLines reads JSON lines and writes one line for each, in order: what answer returns, or the line's id with the
// error. The output is flushed when the input pauses and at its end. Only an error of the streams ends it early.
func answerLines(in io.Reader, out io.Writer, answer func(line []byte) (any, error)) error {
	r, w := bufio.NewReaderSize(in, 1<<16), bufio.NewWriterSize(out, 1<<16)
	e := json.NewEncoder(newJSONWriter(w))
	e.SetEscapeHTML(false)
	for {
		if r.Buffered() == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
		line, err := readLine(r)
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if werr := e.Encode(answerLine(line, answer)); werr != nil {
				return werr
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return errors.Join(err, w.Flush())
		}
	}
}

func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := r.ReadSlice('\n')
		line = append(line, piece...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > maxLine {
			return nil, fmt.Errorf("a line is longer than %d bytes", maxLine)
		}
	}
}

func answerLine(line []byte, answer func([]byte) (any, error)) any {
	a, err := answer(line)
	if err == nil {
		return a
	}
	var row struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(line, &row) // a line that is no JSON has no id
	return struct {
		ID    json.RawMessage `json:"id"`
		Error string          `json:"error"`
	}{row.ID, err.Error()}
}
