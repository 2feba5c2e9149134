package document

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// flow writes the paragraphs and tables of an XML file: of Word, PowerPoint and OpenDocument. Their elements have
// different namespaces, and local names that do not collide.
type flow struct {
	out    *Output
	within bool // text counts only inside of the element t, as in Word and PowerPoint

	para   strings.Builder
	prefix string // of the paragraph: "# ", "- "
	open   int    // paragraphs that are open
	text   int    // elements t that are open
	lists  int
	skip   int // depth inside of an element whose text does not count

	tables int      // that are open
	row    []string // cells of the row of the outermost table
	cell   []string // paragraphs of the cell
	repeat int      // how often the cell is there
}

const (
	mostCells = 256
	mostDepth = 1000 // of elements
)

// skipped are elements whose text is no part of the document as it is read.
var skipped = map[string]bool{"Fallback": true, "tracked-changes": true, "annotation": true, "del": true, "moveFrom": true, "instrText": true,
	"settings": true, "notes": true}

// read reads a whole XML file.
func (f *flow) read(r io.Reader) error {
	d := xml.NewDecoder(r)
	for depth := 0; ; {
		token, err := d.RawToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errBomb):
			return err
		case err != nil:
			return fmt.Errorf("the document is damaged: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > mostDepth {
				return fmt.Errorf("the elements of the document are nested more than %d deep", mostDepth)
			}
			if err := f.start(t); err != nil {
				return err
			}
		case xml.EndElement:
			depth--
			if err := f.end(t.Name.Local); err != nil {
				return err
			}
		case xml.CharData:
			if f.skip == 0 && f.open > 0 && (f.text > 0 || !f.within) {
				f.write(strings.ReplaceAll(string(t), "\n", " "))
			}
		}
	}
}

func (f *flow) write(text string) {
	if f.para.Len() < 1<<20 {
		f.para.WriteString(text)
	}
}

func (f *flow) start(t xml.StartElement) error {
	if f.skip > 0 || skipped[t.Name.Local] {
		f.skip++
		return nil
	}
	switch t.Name.Local {
	case "p", "h":
		if f.open++; f.open > 1 { // a text box inside of a paragraph
			return f.flush()
		}
		if level := number(attribute(t, "outline-level")); t.Name.Local == "h" {
			f.prefix = strings.Repeat("#", min(max(level, 1), 6)) + " "
		} else if f.lists > 0 {
			f.prefix = strings.Repeat("  ", f.lists-1) + "- "
		}
	case "pStyle":
		f.prefix = headingPrefix(attribute(t, "val"))
	case "numPr":
		if f.prefix == "" {
			f.prefix = "- "
		}
	case "list":
		f.lists = min(f.lists+1, 9)
	case "t":
		f.text++
	case "tab":
		f.write("\t")
	case "br", "line-break", "cr":
		f.write(" ")
	case "s":
		f.write(strings.Repeat(" ", min(max(number(attribute(t, "c")), 1), 80)))
	case "tbl", "table":
		if t.Name.Local == "tbl" || t.Name.Space == "table" {
			f.tables++
		}
	case "tc", "table-cell", "covered-table-cell":
		f.repeat = min(max(number(attribute(t, "number-columns-repeated")), 1), mostCells)
	}
	return nil
}

func (f *flow) end(name string) error {
	if f.skip > 0 {
		f.skip--
		return nil
	}
	switch name {
	case "p", "h":
		f.open = max(f.open-1, 0)
		return f.flush()
	case "list":
		f.lists = max(f.lists-1, 0)
	case "t":
		f.text = max(f.text-1, 0)
	case "tc", "table-cell", "covered-table-cell":
		if f.tables == 1 {
			text := strings.Join(f.cell, " ")
			for range f.repeat {
				if len(f.row) < mostCells {
					f.row = append(f.row, text)
				}
			}
			f.cell, f.repeat = nil, 1
		}
	case "tr", "table-row":
		if f.tables == 1 {
			return f.endRow()
		}
	case "tbl", "table":
		if f.tables = max(f.tables-1, 0); f.tables == 0 {
			return f.out.Add("")
		}
	}
	return nil
}

// endRow writes a row of a table. Empty cells at its end, and empty rows, are left out.
func (f *flow) endRow() error {
	row := f.row
	for f.row = nil; len(row) > 0 && row[len(row)-1] == ""; {
		row = row[:len(row)-1]
	}
	if len(row) == 0 {
		return nil
	}
	return f.out.Add("| " + strings.Join(row, " | ") + " |")
}

// flush ends a paragraph: it goes into the cell of a table, or to the output.
func (f *flow) flush() error {
	text, prefix := strings.TrimSpace(f.para.String()), f.prefix
	f.para.Reset()
	f.prefix = ""
	switch {
	case text == "":
		return nil
	case f.tables > 0:
		f.cell = append(f.cell, text)
		return nil
	}
	return f.out.Add(prefix + text)
}

var heading = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:Heading|heading|Überschrift|berschrift|Titre)\s*([1-9])$`)
})

// headingPrefix makes a Markdown heading of the name of a style.
func headingPrefix(style string) string {
	if style == "Title" {
		return "# "
	}
	if m := heading().FindStringSubmatch(style); m != nil {
		return strings.Repeat("#", min(number(m[1]), 6)) + " "
	}
	return ""
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

func readDOCX(z *archive, o *Output) error {
	return z.flow("word/document.xml", &flow{out: o, within: true})
}

func readODF(z *archive, o *Output) error { return z.flow("content.xml", &flow{out: o}) }

// flow writes the text of a file of the archive.
func (z *archive) flow(name string, f *flow) error {
	r, err := z.open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	return f.read(r)
}
