package media

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"rein/kit/document"
	"rein/tool"
)

// Part is what is wanted of a file that is not text.
type Part struct {
	File  *os.File // at its beginning; a regular file
	Path  string   // for messages
	Pages string   // "3", "3-5"; "" is the first ones
	Skip  int      // lines of the text that are left out
	Lines int      // 0: as many as a result holds
}

// Read writes what a model can read of an image or a document. It reports false for other files, and then writes nothing.
// It is a function for files.Tools.Other.
func (t Tools) Read(ctx context.Context, p Part, r *tool.Reply) (known bool, err error) {
	head := make([]byte, 512)
	n, err := p.File.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return true, err
	}
	switch head = head[:n]; {
	case document.IsPicture(head):
		return true, t.showImage(viewImageArgs{Path: p.Path}, p.File, r)
	case document.Is(head):
		return true, t.showDocument(ctx, p, head, r)
	}
	return false, nil
}

// showDocument writes the text of a document, marked as the words of others.
func (t Tools) showDocument(ctx context.Context, p Part, head []byte, r *tool.Reply) error {
	w, err := window(p)
	if err != nil {
		return err
	}
	info, err := p.File.Stat()
	if err != nil {
		return err
	}
	text, err := t.document(ctx, p.File, head, w)
	if err != nil {
		return documentError(p.Path, err)
	}
	r.Show(tool.Detail{Files: []tool.FileDetail{{Path: p.Path, Size: info.Size(), MediaType: mediaType(text.Kind)}}})
	for _, note := range text.Notes {
		r.Note(note)
	}
	fmt.Fprintf(r, "%s: %s, %d bytes%s\n", p.Path, strings.ToUpper(text.Kind), info.Size(), units(text))
	if len(text.Lines) > 0 {
		document.QuoteUntrusted(r, p.Path, document.Printable(strings.Join(text.Lines, "\n")))
	} else {
		fmt.Fprintln(r, "(no text)")
	}
	fmt.Fprint(r, rest(text, p.Skip))
	return nil
}

// units says how many pages a document has, and which ones are shown.
func units(text document.Text) string {
	if text.Unit == "" {
		return ""
	}
	return fmt.Sprintf(", %[2]ss: %[1]d, here %[3]d to %[4]d", text.Units, text.Unit, text.First, text.Last)
}

// rest says what was left out, and how to get it.
func rest(text document.Text, skipped int) string {
	switch {
	case text.More:
		return fmt.Sprintf("(lines shown: %d; more follow: read on with the same pages and offset %d)\n", len(text.Lines), skipped+len(text.Lines)+1)
	case text.Last < text.Units:
		return fmt.Sprintf("(read on with pages %d-%d)\n", text.Last+1, min(text.Last+document.MostUnits, text.Units))
	}
	return ""
}

// Text returns the text of a document that was fetched, up to a number of bytes, and notes about it. ok is false for data
// that are no document.
func (t Tools) Text(ctx context.Context, data []byte, most int) (text string, notes []string, ok bool, err error) {
	head := data[:min(len(data), 512)]
	if !document.Is(head) {
		return "", nil, false, nil
	}
	file, err := os.CreateTemp("", "rein-document-*")
	if err != nil {
		return "", nil, true, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if _, err := file.Write(data); err != nil {
		return "", nil, true, err
	}
	const pages = 300
	found, err := t.document(ctx, file, head, document.Window{Last: pages, Lines: 1 << 20, Bytes: most})
	if err != nil {
		return "", nil, true, documentError("the document", err)
	}
	if found.More || found.Last < found.Units {
		found.Notes = append(found.Notes, "only the beginning of the document was read")
	}
	return strings.Join(found.Lines, "\n"), found.Notes, true, nil
}

// document reads a window of a document, by the program that does it best here.
func (t Tools) document(ctx context.Context, file *os.File, head []byte, w document.Window) (document.Text, error) {
	if document.IsPDF(head) && t.has("pdftotext") && t.has("pdfinfo") {
		return t.pdf(ctx, file, w)
	}
	if len(t.Helper) == 0 {
		return document.Text{}, &tool.Error{Kind: tool.Unsupported, Text: "No program that reads this document is set up here."}
	}
	args, err := json.Marshal(w)
	if err != nil {
		return document.Text{}, err
	}
	out, err := t.runOn(ctx, file, job{argv: append(t.Helper[:len(t.Helper):len(t.Helper)], string(args)), read: t.Helper[:1]})
	if err != nil {
		return document.Text{}, err
	}
	var a document.Answer
	if err := json.Unmarshal(out, &a); err != nil {
		return a.Text, fmt.Errorf("the document was not read: %w", err)
	}
	if a.Error != "" {
		return a.Text, fmt.Errorf("%s", a.Error)
	}
	return a.Text, nil
}

// runOn runs a program with a file as its standard input, from the beginning.
func (t Tools) runOn(ctx context.Context, file *os.File, j job) ([]byte, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	j.stdin = file
	return t.run(ctx, j)
}

var pageCount = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^Pages:\s+(\d+)$`) })

// pdf reads pages of a PDF with pdftotext.
func (t Tools) pdf(ctx context.Context, file *os.File, w document.Window) (document.Text, error) {
	info, err := t.runOn(ctx, file, job{argv: []string{"pdfinfo", "-"}})
	if err != nil {
		return document.Text{}, err
	}
	pages := 0
	if m := pageCount().FindSubmatch(info); m != nil {
		pages, _ = strconv.Atoi(string(m[1])) // the expression has digits only
	}
	o := document.NewOutput("pdf", w)
	first, last := o.Units("page", pages)
	if first > last {
		return o.Text(), nil
	}
	out, err := t.runOn(ctx, file, job{argv: []string{"pdftotext", "-f", strconv.Itoa(first), "-l", strconv.Itoa(last), "-enc", "UTF-8", "-", "-"}})
	if err != nil {
		return document.Text{}, err
	}
	letters := document.Letters{}
	for i, page := range strings.Split(strings.TrimSuffix(string(out), "\f"), "\f") {
		letters.Add(page)
		if o.Page(first+i, page) != nil {
			break
		}
	}
	letters.Judge(o)
	return o.Text(), nil
}

// window reads the pages of a call.
func window(p Part) (document.Window, error) {
	w := document.Window{Skip: p.Skip, Lines: min(p.Lines, document.MostLines)}
	if p.Pages == "" {
		return w, nil
	}
	from, to, several := strings.Cut(strings.ReplaceAll(p.Pages, " ", ""), "-")
	var err, other error
	w.First, err = strconv.Atoi(from)
	w.Last = w.First
	if several && to == "" {
		w.Last = 0
	} else if several {
		w.Last, other = strconv.Atoi(to)
	}
	if err != nil || other != nil || w.First < 1 || w.Last != 0 && w.Last < w.First {
		return w, &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("%q is not a page or a range of pages.", p.Pages), Hint: `Send one page, "3", or a range, "3-5".`}
	}
	w.Last = min(w.Last, w.First+10*document.MostUnits)
	return w, nil
}

// documentError is the error of a document that cannot be read.
func documentError(name string, err error) error {
	if e := tool.AsError(err); e.Kind != tool.Failed {
		return err
	}
	e := &tool.Error{Kind: tool.Unsupported, Text: fmt.Sprintf("%s cannot be read: %v", name, err), Hint: "Use bash with a program that reads this format."}
	if strings.Contains(strings.ToLower(err.Error()), "password") || strings.Contains(err.Error(), "encrypt") {
		e.Text, e.Hint = name+" is protected by a password.", "Ask the user for a copy without one."
	}
	return e
}

// mediaType is that of a kind of document.
func mediaType(kind string) string {
	const office, open = "application/vnd.openxmlformats-officedocument.", "application/vnd.oasis.opendocument."
	return map[string]string{"pdf": "application/pdf", "epub": "application/epub+zip", "docx": office + "wordprocessingml.document",
		"xlsx": office + "spreadsheetml.sheet", "pptx": office + "presentationml.presentation", "odt": open + "text",
		"ods": open + "spreadsheet", "odp": open + "presentation"}[kind]
}
