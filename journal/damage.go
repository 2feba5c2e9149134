package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// DamagedName is the name of the file beside a journal that has a copy of its damaged lines.
const DamagedName = "damaged.jsonl"

// Damage is what Open found that is no event. The zero value is a journal without damage.
type Damage struct {
	Torn  string        // the last line, where a crash cut it off; it is no longer in the journal
	Lines []DamagedLine // the damaged lines in the middle, which Read leaves out
}

// DamagedLine is a line of a journal that cannot be read.
type DamagedLine struct {
	Number int // from 1
	Text   string
	Err    error // why
}

// String reports the damage for the user; "" when there is none.
func (d Damage) String() string {
	switch {
	case len(d.Lines) == 1:
		return fmt.Sprintf("line %d of the journal is damaged and was left out; %s has a copy", d.Lines[0].Number, DamagedName)
	case len(d.Lines) > 1:
		return fmt.Sprintf("%d lines of the journal are damaged and were left out, the first is line %d; %s has a copy", len(d.Lines), d.Lines[0].Number, DamagedName)
	case d.Torn != "":
		return "a crash cut off the last line of the journal; " + DamagedName + " has a copy"
	}
	return ""
}

// keep writes a copy of the damaged lines to a file. What an earlier Open kept there stays.
func (d Damage) keep(name string) error {
	if len(d.Lines) == 0 && d.Torn == "" {
		return nil
	}
	kept, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	lost := make([]string, 0, len(d.Lines)+1)
	for _, l := range d.Lines {
		lost = append(lost, l.Text)
	}
	if d.Torn != "" {
		lost = append(lost, d.Torn)
	}
	var more []byte
	for _, text := range lost {
		line := append([]byte(text), '\n')
		if !bytes.Contains(kept, line) {
			more = append(more, line...)
		}
	}
	if len(more) == 0 {
		return nil
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(more)
	return errors.Join(err, f.Sync(), f.Close())
}
