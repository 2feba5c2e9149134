package main

import (
	"bytes"
	"context"
	"time"
	"unicode/utf8"
)

const (
	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"

	// pasteMarks makes a terminal mark what is pasted; noPasteMarks ends that.
	pasteMarks   = "\x1b[?2004h"
	noPasteMarks = "\x1b[?2004l"
)

// sequenceTime is how long the rest of an escape sequence may take; Escape alone has none.
const sequenceTime = 50 * time.Millisecond

// escaped reads what follows an Escape: a paste, or the sequence of a key. Escape by itself is dropped.
func (r *lineReader) escaped() error {
	seq := []byte{escape}
	for sequence(seq) == 0 {
		within, cancel := context.WithTimeout(context.Background(), sequenceTime)
		key, err := r.next(within)
		late := within.Err() != nil
		cancel()
		if late && err != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if key == ctrlC {
			return r.take(key)
		}
		seq = append(seq, key)
	}
	if string(seq) != pasteBegins {
		r.ready = understood(string(seq))
		return nil
	}
	var text []byte
	for !bytes.HasSuffix(text, []byte(pasteEnds)) {
		key, err := r.next(nil)
		if err != nil {
			return err
		}
		if text = append(text, key); len(text) > longestPaste+len(pasteEnds) {
			text = append(text[:longestPaste], text[len(text)-len(pasteEnds):]...)
		}
	}
	r.ready = []byte(r.editor.pasted(string(text[:len(text)-len(pasteEnds)])))
	return nil
}

// understood is the escape sequence of a key as the line editor reads it; none for a key that means nothing to it.
func understood(seq string) []byte {
	switch seq {
	case "\x1b[1~", "\x1b[7~", "\x1bOH":
		seq = "\x1b[H"
	case "\x1b[4~", "\x1b[8~", "\x1bOF":
		seq = "\x1b[F"
	case "\x1bOA", "\x1bOB", "\x1bOC", "\x1bOD":
		seq = "\x1b[" + seq[2:]
	case "\x1b[1;5C", "\x1b[1;5D", "\x1b[1;3C", "\x1b[1;3D":
		seq = "\x1b[1;3" + seq[5:]
	case "\x1bb", "\x1bf":
		seq = map[string]string{"\x1bb": "\x1b[1;3D", "\x1bf": "\x1b[1;3C"}[seq]
	case "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[3~":
	default:
		return nil
	}
	return []byte(seq)
}

// sequence is the length of the escape sequence at the start of typed bytes; 0 if there is none or it is not complete.
func sequence(typed []byte) int {
	if len(typed) < 2 || typed[0] != escape {
		return 0
	}
	switch {
	case typed[1] == 'O' && len(typed) < 3:
		return 0
	case typed[1] == 'O':
		return 3
	case typed[1] != '[':
		return 2
	}
	for i, b := range typed[2:] {
		if b >= 0x40 && b <= 0x7e {
			return i + 3
		}
	}
	return 0
}

// lastRune takes the last character off a text.
func lastRune(text []byte) (last rune, rest []byte) {
	last, n := utf8.DecodeLastRune(text)
	return last, text[:len(text)-n]
}
