// Package document makes documents readable for a model: the text of PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP and EPUB, web
// pages as Markdown, and images within limits. Its input may be hostile: callers of Read run it in a process of its own with limits of memory and time (see Serve). It bounds what it unpacks.
package document

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Window is the part of a document that is wanted. The zero value means the first pages.
type Window struct {
	First int `json:"first,omitempty"` // page, slide, sheet or chapter, from 1; 0 means 1
	Last  int `json:"last,omitempty"`  // 0 means MostUnits of them
	Skip  int `json:"skip,omitempty"`  // lines of these pages that are left out
	Lines int `json:"lines,omitempty"` // 0 means MostLines
	Bytes int `json:"bytes,omitempty"` // 0 means MostBytes
}

// The window where none is asked for.
const (
	MostUnits = 20
	MostLines = 2000
	MostBytes = 48 << 10
)

// Text is what a window of a document holds.
type Text struct {
	Kind  string   `json:"kind"`            // pdf, docx, xlsx, pptx, odt, ods, odp, epub
	Unit  string   `json:"unit,omitempty"`  // what the document is made of: page, slide, sheet, chapter; "": one text
	Units int      `json:"units,omitempty"` // how many there are
	First int      `json:"first,omitempty"` // the first one that was read
	Last  int      `json:"last,omitempty"`
	Lines []string `json:"lines,omitempty"`
	More  bool     `json:"more,omitempty"` // these units have more lines
	Notes []string `json:"notes,omitempty"`
}

// The limits of what is unpacked.
const (
	mostEntries  = 10_000
	mostUnpacked = 256 << 20
	mostFile     = 64 << 20
)

// Is reports whether a file that begins with head may be a document.
func Is(head []byte) bool {
	return strings.HasPrefix(string(head), "%PDF-") || strings.HasPrefix(string(head), "PK\x03\x04")
}

// IsPDF reports whether a file that begins with head is a PDF.
func IsPDF(head []byte) bool { return strings.HasPrefix(string(head), "%PDF-") }

// Read reads a window of a document.
func Read(file io.ReaderAt, size int64, w Window) (Text, error) {
	if size > mostFile {
		return Text{}, fmt.Errorf("the file has %d bytes; the limit is %d", size, mostFile)
	}
	head := make([]byte, 8)
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return Text{}, err
	}
	if IsPDF(head[:n]) {
		return readPDF(file, size, w)
	}
	z, err := openZip(file, size)
	if err != nil {
		return Text{}, err
	}
	kind, read := z.kind()
	if read == nil {
		return Text{}, errors.New("it is a zip archive, and no document of a known format (DOCX, XLSX, PPTX, ODT, ODS, ODP, EPUB)")
	}
	o := NewOutput(kind, w)
	if err := read(z, o); err != nil && !errors.Is(err, errFull) {
		return Text{}, err
	}
	return o.Text(), nil
}

// archive is a zip file whose content is counted while it is unpacked.
type archive struct {
	*zip.Reader
	files    map[string]*zip.File
	unpacked int64
}

func openZip(file io.ReaderAt, size int64) (*archive, error) {
	r, err := zip.NewReader(file, size)
	if err != nil {
		return nil, fmt.Errorf("the file is damaged: %w", err)
	}
	if len(r.File) > mostEntries {
		return nil, fmt.Errorf("the archive has %d files; the limit is %d", len(r.File), mostEntries)
	}
	z := &archive{Reader: r, files: map[string]*zip.File{}}
	for _, f := range r.File {
		z.files[f.Name] = f
	}
	return z, nil
}

// kind finds what the archive is, and what reads it.
func (z *archive) kind() (string, func(*archive, *Output) error) {
	for _, k := range []struct {
		name, has string
		read      func(*archive, *Output) error
	}{
		{"docx", "word/document.xml", readDOCX}, {"xlsx", "xl/workbook.xml", readXLSX}, {"pptx", "ppt/presentation.xml", readPPTX},
		{"epub", "META-INF/container.xml", readEPUB}, {"", "content.xml", readODF},
	} {
		if z.files[k.has] == nil {
			continue
		}
		if k.name == "" {
			k.name = z.openDocument()
		}
		return k.name, k.read
	}
	return "", nil
}

// openDocument is the kind of an OpenDocument file, by its media type.
func (z *archive) openDocument() string {
	text, _ := z.text("mimetype")
	switch {
	case strings.Contains(text, "spreadsheet"):
		return "ods"
	case strings.Contains(text, "presentation"):
		return "odp"
	}
	return "odt"
}

var errBomb = fmt.Errorf("the document unpacks to more than %d MiB", mostUnpacked>>20)

// open opens a file of the archive. What it unpacks to counts, whatever its header says.
func (z *archive) open(name string) (io.ReadCloser, error) {
	f := z.files[strings.TrimPrefix(name, "/")]
	if f == nil {
		return nil, fmt.Errorf("the document is damaged: it has no %s", name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("the document is damaged: %w", err)
	}
	return &counted{r, z}, nil
}

// text reads a small file of the archive.
func (z *archive) text(name string) (string, error) {
	r, err := z.open(name)
	if err != nil {
		return "", err
	}
	defer r.Close()
	const most = 16 << 20
	text, err := io.ReadAll(io.LimitReader(r, most))
	return string(text), err
}

type counted struct {
	io.ReadCloser
	z *archive
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if c.z.unpacked += int64(n); c.z.unpacked > mostUnpacked {
		return 0, errBomb
	}
	return n, err
}
