package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"rein/internal/plaintext"
	"rein/kit/workspace"
	"rein/tool"
)

// The limits of one read_file.
const (
	readLines     = 2000     // lines when no limit is sent
	readBytes     = 48 << 10 // of text in all
	readLineBytes = 2000     // of one line
	readOutput    = 72 << 10 // with the line numbers
	readDecoded   = 16 << 20 // the largest file that is not UTF-8, and the largest notebook
)

type readArgs struct {
	Path   string `json:"path" jsonschema:"file, relative to the workspace" minLength:"1"`
	Offset int    `json:"offset,omitempty" jsonschema:"first line to show, from 1; -20: the last 20 lines"`
	Limit  int    `json:"limit,omitempty" jsonschema:"lines" minimum:"1" default:"2000"`
	End    int    `json:"end_line,omitempty" jsonschema:"last line to show" minimum:"1"`
	Pages  string `json:"pages,omitempty" jsonschema:"of a document: pages, slides, sheets or chapters, such as 3 or 3-5" maxLength:"32"`
}

// Intent reads the file.
func (a readArgs) Intent() tool.Intent { return tool.Intent{Reads: []string{a.Path}} }

const readDescription = `Read a file: text, the text of a document (PDF, DOCX, XLSX, PPTX, ODT, EPUB), the cells of a notebook, or an image. Lines of a text come as number, tab and text; number and tab are not in the file. Of a long file comes a part, with the offset of the next.`

// ReadFile returns the tool that reads a text file, or some of its lines. Its detail is tool.ReadDetail.
func (f Tools) ReadFile() *tool.Tool {
	t := tool.New("read_file", readDescription, tool.Reads, f.read)
	t.Input = t.Input.WithAliases(pathNames("start_line", "offset", "line", "offset", "start", "offset", "line_start", "offset",
		"lines", "limit", "num_lines", "limit", "max_lines", "limit", "line_count", "limit", "count", "limit",
		"end", "end_line", "line_end", "end_line", "last_line", "end_line", "to_line", "end_line"))
	t.Output = readOutput
	return t
}

func (f Tools) read(ctx context.Context, in readArgs, r *tool.Reply) error {
	if err := in.bounds(); err != nil {
		return err
	}
	if strings.HasPrefix(in.Path, tool.OutputScheme) {
		return f.readSpill(ctx, in, r)
	}
	file, err := f.Workspace.Open(in.Path)
	if err != nil {
		return refusal(err)
	}
	defer file.Close()
	most := file.Info.Size()
	if most == 0 || most > 8<<10 { // a file of the kernel may have no size
		most = 8 << 10
	}
	head := make([]byte, most)
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return refusal(err)
	}
	head = head[:n]
	other, small := foreign(head), file.Info.Size() <= readDecoded
	if other && !small && workspace.IsBinary(head) {
		return &tool.Error{Kind: tool.TooLarge, Text: fmt.Sprintf("%q is UTF-16 text of %d bytes; the limit is %d", in.Path, file.Info.Size(), readDecoded),
			Hint: "Convert it with bash: iconv -f utf-16 -t utf-8"}
	}
	if small && (other || isNotebook(in.Path)) {
		if known, err := f.readDecoded(ctx, file, in, r); known || err != nil {
			return err
		}
	}
	switch {
	case workspace.IsBinary(head):
		return f.readOther(ctx, file, in, head, r)
	case file.Info.Size() <= readBytes:
		return f.readWhole(ctx, file, in, r)
	}
	w, err := file.Lines(ctx, in.ask())
	if err != nil {
		return refusal(err)
	}
	if small && !valid(w) { // the letters beyond ASCII come late
		if known, err := f.readDecoded(ctx, file, in, r); known || err != nil {
			return err
		}
	}
	f.Workspace.SawPart(file.Name, file.Info, w.From, shownTo(w))
	return show(r, in, w, "")
}

// readWhole reads all of a small file, so that it is recognised by its content later.
func (f Tools) readWhole(ctx context.Context, file *workspace.File, in readArgs, r *tool.Reply) error {
	v, err := file.Load()
	if err != nil {
		return refusal(err)
	}
	w, err := workspace.ReadLines(ctx, bytes.NewReader(v.Data), int64(len(v.Data)), nil, in.ask())
	if err != nil {
		return err
	}
	if !valid(w) {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if known, err := f.readDecoded(ctx, file, in, r); known || err != nil {
			return err
		}
	}
	size := int64(len(v.Data))
	if to := shownTo(w); w.From == 0 && to == size {
		f.Workspace.Saw(v)
	} else if size > 0 {
		f.Workspace.SawPart(v.Name, v.Info, w.From, to)
	}
	return show(r, in, w, f.sum(v.Name))
}

// readDecoded reads a notebook, or a file that is not UTF-8. It reports false for a file that is none of them, and then has written
// nothing.
func (f Tools) readDecoded(ctx context.Context, file *workspace.File, in readArgs, r *tool.Reply) (known bool, err error) {
	v, err := file.Load()
	if err != nil {
		return true, refusal(err)
	}
	text, set, other := decoded(v.Data)
	if !other {
		text = v.Data
	}
	cells, notebook := renderedNotebook(in.Path, text)
	switch {
	case notebook:
		text = cells
		r.Note("the notebook is shown cell by cell; change it with notebook_edit")
	case !other:
		_, err = file.Seek(0, io.SeekStart)
		return false, err
	default:
		r.Note(fmt.Sprintf("the file is %s; it is shown as UTF-8, and stays %[1]s when it is edited or written", set))
	}
	w, err := workspace.ReadLines(ctx, bytes.NewReader(text), int64(len(text)), nil, in.ask())
	if err != nil {
		return true, err
	}
	if w.From == 0 && shownTo(w) == int64(len(text)) {
		f.Workspace.Saw(v)
	} else {
		f.Workspace.SawPart(v.Name, v.Info, 0, 1)
	}
	return true, show(r, in, w, f.sum(v.Name))
}

// readOther reads a file that is not text, if something here can.
func (f Tools) readOther(ctx context.Context, file *workspace.File, in readArgs, head []byte, r *tool.Reply) error {
	if f.Other != nil {
		o := Other{File: file.File, Path: in.Path, Pages: in.Pages, Skip: max(in.Offset-1, 0), Lines: in.Limit}
		if known, err := f.Other(ctx, o, r); known || err != nil {
			return err
		}
	}
	return binaryFile(in.Path, head, file.Info.Size())
}

// readSpill reads a long output that was saved.
func (f Tools) readSpill(ctx context.Context, in readArgs, r *tool.Reply) error {
	gone := &tool.Error{Kind: tool.NotFound, Text: in.Path + " is no longer kept", Hint: "Run the command again."}
	if f.Spill == nil {
		return gone
	}
	source, size, ok := f.Spill(in.Path)
	if !ok {
		return gone
	}
	if c, ok := source.(io.Closer); ok {
		defer c.Close()
	}
	w, err := workspace.ReadLines(ctx, source, size, nil, in.ask())
	if err != nil {
		return err
	}
	return show(r, in, w, "")
}

func (a readArgs) ask() workspace.LineRange {
	ask := workspace.LineRange{First: int64(a.Offset), Count: a.Limit, Bytes: readBytes, Line: readLineBytes}
	if ask.Count <= 0 {
		ask.Count = readLines
	}
	if a.End > 0 {
		ask.Count = min(ask.Count, a.End-max(a.Offset, 1)+1)
	}
	return ask
}

// bounds refuses an end that is before the beginning, or comes with another one.
func (a readArgs) bounds() error {
	switch first := max(a.Offset, 1); {
	case a.End == 0:
		return nil
	case a.Offset < 0:
		return &tool.Error{Kind: tool.BadArguments, Text: "end_line does not go with an offset that counts from the end", Hint: "Send limit, or the number of the first line."}
	case a.End < first:
		return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("end_line %d is before the first line, %d", a.End, first), Hint: "end_line is the number of a line; for a number of lines send limit."}
	}
	return nil
}

// valid reports whether the lines are UTF-8, but for letters that are cut.
func valid(w workspace.LineWindow) bool {
	for _, l := range w.Lines {
		if l.Cut == 0 && !utf8.Valid(l.Text) {
			return false
		}
	}
	return true
}

// shownTo is the offset up to which a window shows everything; of a line that is cut, only the first byte counts.
func shownTo(w workspace.LineWindow) int64 {
	at := w.From
	for _, l := range w.Lines {
		if l.Cut > 0 {
			return at + 1
		}
		at = l.End
	}
	return at
}

// show writes the lines with their numbers, and where to read on. sum is that of the file, if all of it has been shown.
func show(r *tool.Reply, in readArgs, w workspace.LineWindow, sum string) error {
	if len(w.Lines) == 0 {
		if w.Total == 0 {
			fmt.Fprintln(r, "(the file is empty)")
			return nil
		}
		return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("%q has %s; there is no line %d", in.Path, plaintext.Counted(w.Total, "line"), w.First),
			Hint: fmt.Sprintf("Send an offset of at most %d", w.Total)}
	}
	var out bytes.Buffer
	size := 256
	for _, l := range w.Lines {
		size += len(l.Text) + 16
	}
	out.Grow(size)
	valid := true
	for i, l := range w.Lines {
		text := l.Text
		if i == 0 && w.First == 1 {
			text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
		}
		fmt.Fprintf(&out, "%6d\t", w.First+int64(i))
		if l.Cut > 0 {
			text = bytes.ToValidUTF8(text, nil) // the cut may be inside a letter
		}
		valid = valid && utf8.Valid(text)
		out.Write(text)
		if l.Cut > 0 {
			fmt.Fprintf(&out, " … (%d more bytes in this line)", l.Cut)
		}
		out.WriteByte('\n')
	}
	last := w.First + int64(len(w.Lines)) - 1
	out.WriteString(in.rest(w, last))
	if w.CRLF {
		r.Note("the lines end in CR LF")
	}
	if !valid {
		r.Note("bytes that are not UTF-8 are shown as \ufffd")
	}
	r.Show(tool.Detail{Read: &tool.ReadDetail{Path: in.Path, First: w.First, Last: last, Total: w.Total, Sum: sum}})
	_, err := r.Write(out.Bytes())
	return err
}

// rest is the line that says what was left out, and how to get it.
func (a readArgs) rest(w workspace.LineWindow, last int64) string {
	switch {
	case w.Total < 0:
		return fmt.Sprintf("(lines %d to %d; more follow: read on with offset %d)\n", w.First, last, last+1)
	case last < w.Total:
		return fmt.Sprintf("(lines %d to %d of %d; read on with offset %d)\n", w.First, last, w.Total, last+1)
	case w.First > 1:
		return fmt.Sprintf("(lines %d to %d of %d: the end of the file)\n", w.First, last, w.Total)
	}
	return ""
}
