package document

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// workbook is an Excel file: what its cells refer to.
type workbook struct {
	strings []string
	dates   []bool // by style: its numbers are dates
	first   time.Time
	out     *Output
	wide    bool // columns were left out
}

// The limits of a workbook.
const (
	mostStrings = 1 << 20
	mostShared  = 64 << 20 // bytes of all shared strings
)

func readXLSX(z *archive, o *Output) error {
	const main = "xl/workbook.xml"
	text, err := z.text(main)
	if err != nil {
		return err
	}
	var book struct {
		Properties struct {
			Date1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := xml.Unmarshal([]byte(text), &book); err != nil {
		return fmt.Errorf("the workbook is damaged: %w", err)
	}
	to, err := z.relations(main)
	if err != nil {
		return err
	}
	w := &workbook{out: o, first: time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)}
	if d := book.Properties.Date1904; d == "1" || d == "true" {
		w.first = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if err := errors.Join(w.readStrings(z), w.readStyles(z)); err != nil {
		return err
	}
	for i, last := o.Units("sheet", len(book.Sheets)); i <= last; i++ {
		sheet := book.Sheets[i-1]
		if err := o.Add(fmt.Sprintf("--- sheet %d: %s (row: cells from column A) ---", i, sheet.Name)); err != nil {
			return err
		}
		if err := w.sheet(z, to[sheet.ID].Target); err != nil {
			return err
		}
	}
	return nil
}

// elements calls see for each element of a file of the archive that has the name. A file that is missing has none.
func (z *archive) elements(file, name string, see func(*xml.Decoder, xml.StartElement) error) error {
	if z.files[file] == nil {
		return nil
	}
	r, err := z.open(file)
	if err != nil {
		return err
	}
	defer r.Close()
	d := xml.NewDecoder(r)
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errBomb):
			return err
		case err != nil:
			return fmt.Errorf("the workbook is damaged: %w", err)
		}
		if t, ok := token.(xml.StartElement); ok && t.Name.Local == name {
			if err := see(d, t); err != nil {
				return err
			}
		}
	}
}

// rich is a text, whole or in runs.
type rich struct {
	Text string `xml:"t"`
	Runs []struct {
		Text string `xml:"t"`
	} `xml:"r"`
}

func (r rich) String() string {
	text := r.Text
	for _, run := range r.Runs {
		text += run.Text
	}
	return text
}

func (w *workbook) readStrings(z *archive) error {
	size := 0
	return z.elements("xl/sharedStrings.xml", "si", func(d *xml.Decoder, t xml.StartElement) error {
		var s rich
		if err := d.DecodeElement(&s, &t); err != nil {
			return err
		}
		text := s.String()
		if size += len(text); size > mostShared || len(w.strings) >= mostStrings {
			return errors.New("the workbook has more texts than can be read")
		}
		w.strings = append(w.strings, text)
		return nil
	})
}

func (w *workbook) readStyles(z *archive) error {
	text, err := z.text("xl/styles.xml")
	if err != nil {
		return nil //nolint:nilerr // a workbook may have no styles: its numbers are no dates then
	}
	var styles struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := xml.Unmarshal([]byte(text), &styles); err != nil {
		return fmt.Errorf("the workbook is damaged: %w", err)
	}
	custom := map[int]bool{}
	for _, f := range styles.Formats {
		custom[f.ID] = dateFormat(f.Code)
	}
	for _, c := range styles.Cells {
		w.dates = append(w.dates, c.Format >= 14 && c.Format <= 22 || c.Format >= 45 && c.Format <= 47 || custom[c.Format])
	}
	return nil
}

// dateFormat reports whether a number format shows a date: it has letters of one outside of quotes and brackets.
func dateFormat(code string) bool {
	quoted, bracket := false, false
	for i, c := range code {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '[' || c == ']':
			bracket = c == '['
		case !quoted && !bracket && strings.ContainsRune("ydhYDH", c) && (i == 0 || code[i-1] != '\\'):
			return true
		}
	}
	return false
}

func (w *workbook) sheet(z *archive, name string) error {
	n := 0
	return z.elements(name, "row", func(d *xml.Decoder, t xml.StartElement) error {
		if n++; attribute(t, "r") != "" {
			n = number(attribute(t, "r"))
		}
		var row struct {
			Cells []cell `xml:"c"`
		}
		if err := d.DecodeElement(&row, &t); err != nil {
			if errors.Is(err, errBomb) {
				return err
			}
			return fmt.Errorf("the workbook is damaged: %w", err)
		}
		return w.row(n, row.Cells)
	})
}

type cell struct {
	At     string `xml:"r,attr"`
	Type   string `xml:"t,attr"`
	Style  int    `xml:"s,attr"`
	Value  string `xml:"v"`
	Inline rich   `xml:"is"`
}

// row writes the cells of a row in their columns. A row without content is left out.
func (w *workbook) row(n int, cells []cell) error {
	var row []string
	for _, c := range cells {
		column := columnOf(c.At)
		if column < 0 {
			column = len(row)
		}
		text := strings.Join(strings.Fields(w.value(c)), " ")
		if text == "" {
			continue
		}
		if column >= mostCells {
			if !w.wide {
				w.wide = true
				w.out.Note(fmt.Sprintf("columns after the first %d are left out", mostCells))
			}
			continue
		}
		for len(row) <= column {
			row = append(row, "")
		}
		row[column] = text
	}
	if len(row) == 0 {
		return nil
	}
	return w.out.Add(fmt.Sprintf("%d: %s", n, strings.Join(row, " | ")))
}

// columnOf returns the column of a cell's name, from 0: "AB12" is 27. -1: it names none.
func columnOf(name string) int {
	column := 0
	for _, c := range name {
		if c < 'A' || c > 'Z' || column > 1<<20 {
			break
		}
		column = column*26 + int(c-'A') + 1
	}
	return column - 1
}

// value is what a cell shows.
func (w *workbook) value(c cell) string {
	switch c.Type {
	case "s":
		if i, err := strconv.Atoi(c.Value); err == nil && i >= 0 && i < len(w.strings) {
			return w.strings[i]
		}
		return "?"
	case "inlineStr":
		return c.Inline.String()
	case "b":
		return map[string]string{"0": "FALSE", "1": "TRUE"}[c.Value]
	case "", "n":
		number, err := strconv.ParseFloat(c.Value, 64)
		switch {
		case err != nil:
			return c.Value
		case c.Style >= 0 && c.Style < len(w.dates) && w.dates[c.Style] && number >= 0 && number < 3e6:
			return w.date(number)
		}
		return strconv.FormatFloat(number, 'g', 15, 64)
	}
	return c.Value
}

// date is a number of days as a date, with a time where it has one.
func (w *workbook) date(days float64) string {
	at := w.first.Add(time.Duration(days * float64(24*time.Hour))).Round(time.Second)
	if days > 100_000 { // past what a duration holds
		at = w.first.AddDate(0, 0, int(days))
	}
	switch {
	case days < 1:
		return at.Format("15:04:05")
	case at.Hour()+at.Minute()+at.Second() == 0:
		return at.Format(time.DateOnly)
	}
	return at.Format(time.DateTime)
}
