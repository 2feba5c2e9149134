package media

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/kit/document"
	"rein/kit/workspace"
	"rein/lab/testkit"
	"rein/tool"
)

// TestMain is the helper that reads documents, too.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "document" {
		if os.Getenv("DOCUMENT_HANGS") != "" {
			time.Sleep(time.Minute)
		}
		if err := document.Serve(os.Args[2], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// newTools makes tools with files in a workspace, and without programs of the system.
func newTools(t testing.TB, files map[string]string) Tools {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Tools{Workspace: ws, Helper: Helper(self), Look: func(string) (string, error) { return "", exec.ErrNotFound }}
}

// with lets the tools use a program of the system; the test is skipped where it is not installed.
func (t Tools) with(tb testing.TB, programs ...string) Tools {
	tb.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			tb.Skipf("%s is not installed", p)
		}
	}
	t.Look = nil
	return t
}

func grey(t testing.TB, w, h int) string {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, w, h))
	m.Set(0, 0, color.White)
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func docx(t testing.TB, paragraphs ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, `<w:document xmlns:w="w">`)
	for _, p := range paragraphs {
		fmt.Fprintf(w, "<w:p><w:t>%s</w:t></w:p>", p)
	}
	fmt.Fprint(w, `</w:document>`)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// twoPages is a PDF of two pages.
const twoPages = `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Count 2/Kids[4 0 R 6 0 R]>> endobj
3 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>> endobj
4 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 5 0 R/Resources<</Font<</F1 3 0 R>>>>>> endobj
5 0 obj <</Length 40>> stream
BT /F1 12 Tf 20 50 Td (First page) Tj ET
endstream endobj
6 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 7 0 R/Resources<</Font<</F1 3 0 R>>>>>> endobj
7 0 obj <</Length 41>> stream
BT /F1 12 Tf 20 50 Td (Second page) Tj ET
endstream endobj
trailer <</Size 8/Root 1 0 R>>
%%EOF
`

// read calls Read on a file, as read_file does.
func read(t *testing.T, tools Tools, p Part) (text string, parts []tool.Part, known bool, err error) {
	t.Helper()
	file, err := os.Open(filepath.Join(tools.Workspace.Dir(), p.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p.File = file
	r := tool.NewReply(tool.ReplyOptions{Limit: 64 << 10})
	known, err = tools.Read(context.Background(), p, r)
	parts = r.Parts()
	text, _, notes, _ := r.Close()
	return strings.Join(append(notes, text), "\n"), parts, known, err
}

func TestReadDocuments(t *testing.T) {
	tools := newTools(t, map[string]string{"a.docx": docx(t, "Hello \u202e\x1b[31m", "World", "End"), "a.png": grey(t, 30, 20), "a.bin": "\x00\x01", "a.zip": "PK\x03\x04"})
	if _, _, _, err := read(t, tools, Part{Path: "a.docx"}); err == nil {
		t.Error("control characters were no error") // XML does not allow them
	}
	tools = newTools(t, map[string]string{"a.docx": docx(t, "Hello \u202ethere", "World", "End"), "a.png": grey(t, 30, 20), "a.bin": "\x00\x01"})
	text, _, known, err := read(t, tools, Part{Path: "a.docx", Lines: 2})
	if err != nil || !known || !strings.Contains(text, "a.docx: DOCX") || !strings.Contains(text, "Hello there\nWorld\n") ||
		!strings.Contains(text, "written by others") || !strings.Contains(text, "offset 3") {
		t.Errorf("got %q, %v", text, err)
	}
	if text, _, _, err = read(t, tools, Part{Path: "a.docx", Skip: 2}); err != nil || !strings.Contains(text, "\nEnd\n") {
		t.Errorf("got %q, %v", text, err)
	}
	text, parts, known, err := read(t, tools, Part{Path: "a.png"})
	if err != nil || !known || len(parts) != 1 || parts[0].MediaType != "image/png" || !strings.Contains(text, "a.png (png, 30×20") {
		t.Errorf("got %q, %d parts, %v", text, len(parts), err)
	}
	if text, _, known, err = read(t, tools, Part{Path: "a.bin"}); known || err != nil || strings.TrimSpace(text) != "" {
		t.Errorf("other files: %q, %t, %v", text, known, err)
	}
}

func TestReadRefuses(t *testing.T) {
	tools := newTools(t, map[string]string{"a.docx": docx(t, "x"), "a.zip": "PK\x03\x04", "huge.png": hugeHeader})
	for name, row := range map[string]struct {
		p    Part
		kind tool.Kind
		says string
	}{
		"pages that are none":  {Part{Path: "a.docx", Pages: "five"}, tool.BadArguments, "not a page or a range"},
		"pages that go back":   {Part{Path: "a.docx", Pages: "5-3"}, tool.BadArguments, "not a page or a range"},
		"a damaged archive":    {Part{Path: "a.zip"}, tool.Unsupported, "damaged"},
		"an image of 10^10 px": {Part{Path: "huge.png"}, tool.TooLarge, "100000 × 100000 pixels"},
	} {
		_, _, _, err := read(t, tools, row.p)
		if e := tool.AsError(err); e == nil || e.Kind != row.kind || !strings.Contains(e.Text, row.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	tools.Helper = nil
	if _, _, _, err := read(t, tools, Part{Path: "a.docx"}); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.Unsupported {
		t.Errorf("without a helper: %v", err)
	}
}

// hugeHeader is a PNG of 100,000 × 100,000 pixels without its data.
const hugeHeader = "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x01\x86\xa0\x00\x01\x86\xa0\x08\x06\x00\x00\x00\xa8\x52\x0b\xc8"

// A helper that does not come to an end is stopped with the call.
func TestCancel(t *testing.T) {
	tools := newTools(t, map[string]string{"a.docx": docx(t, "x")})
	self := tools.Helper[0]
	tools.Helper = []string{"sh", "-c", `DOCUMENT_HANGS=1 exec "$0" document "$1"`, self}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh is not installed")
	}
	file, err := os.Open(filepath.Join(tools.Workspace.Dir(), "a.docx"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err = tools.Read(ctx, Part{File: file, Path: "a.docx"}, tool.NewReply(tool.ReplyOptions{}))
	if took := time.Since(start); err == nil || took > 20*time.Second {
		t.Errorf("ended after %v: %v", took, err)
	}
}

// PDF files that lead a reader in circles end with an error, whichever reader is there.
func TestPDFsThatLoop(t *testing.T) {
	tree := strings.NewReplacer("/Count 2/Kids[4 0 R 6 0 R]", "/Count 1000000/Kids[2 0 R 2 0 R]").Replace(twoPages)
	trailer := "%PDF-1.4\nxref\n0 1\n0000000000 65535 f \ntrailer <</Size 1/Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF\n"
	tools := newTools(t, map[string]string{"tree.pdf": tree, "trailer.pdf": trailer})
	for _, name := range []string{"tree.pdf", "trailer.pdf"} {
		for reader, tools := range map[string]Tools{"the library": tools, "pdftotext": {Workspace: tools.Workspace, Box: tools.Box, Helper: tools.Helper}} {
			t.Run(name+" by "+reader, func(t *testing.T) {
				if reader == "pdftotext" {
					tools = tools.with(t, "pdftotext", "pdfinfo")
				}
				file, err := os.Open(filepath.Join(tools.Workspace.Dir(), name))
				if err != nil {
					t.Fatal(err)
				}
				defer file.Close()
				ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond) // the limit of the tool is 10 s of a whole core
				defer cancel()
				began := time.Now()
				r := tool.NewReply(tool.ReplyOptions{})
				if _, err := tools.Read(ctx, Part{File: file, Path: name}, r); err == nil {
					text, _, _, _ := r.Close()
					t.Errorf("it was read: %.200q", text)
				}
				if took := time.Since(began); took > 30*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		}
	}
}

func TestPDF(t *testing.T) {
	tools := newTools(t, map[string]string{"a.pdf": twoPages, "broken.pdf": "%PDF-1.4\nnothing"}).with(t, "pdftotext", "pdfinfo")
	text, _, _, err := read(t, tools, Part{Path: "a.pdf", Pages: "2"})
	if err != nil || !strings.Contains(text, "--- page 2 ---\nSecond page") || strings.Contains(text, "First") || !strings.Contains(text, "pages: 2, here 2 to 2") {
		t.Errorf("got %q, %v", text, err)
	}
	if _, _, _, err := read(t, tools, Part{Path: "broken.pdf"}); err == nil || tool.AsError(err).Kind != tool.Unsupported {
		t.Errorf("a broken file: %v", err)
	}
	if text, notes, ok, err := tools.Text(context.Background(), []byte(twoPages), 1<<20); !ok || err != nil || !strings.Contains(text, "First page") || len(notes) > 0 {
		t.Errorf("got %q, %v, %v", text, notes, err)
	}
}

func TestViewImage(t *testing.T) {
	svg := `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="red"/></svg>`
	hostile := `<?xml version="1.0"?><!DOCTYPE s [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><text>&x;</text><image href="file:///etc/passwd" width="9" height="9"/></svg>`
	files := map[string]string{"a.png": grey(t, 3000, 1500), "a.txt": "hello", "a.svg": svg, "hostile.svg": hostile, "a.pdf": twoPages, "huge.png": hugeHeader}
	view := func(t *testing.T, tools Tools, args ...any) (string, tool.Detail) {
		text, d := testkit.Call(t, tools.ViewImage(), testkit.Args(args...))
		return text, tool.ParseDetail(d)
	}
	tools := newTools(t, files)
	for name, row := range map[string]struct {
		args []any
		want string
	}{
		"a large image":         {[]any{"path", "a.png"}, "a.png (png, 3000×1500, "},
		"it is shown smaller":   {[]any{"path", "a.png"}, "shown at 1568×784"},
		"a part":                {[]any{"path", "a.png", "part", []int{10, 10, 100, 50}}, "part 10 10 100 50"},
		"a part outside":        {[]any{"path", "a.png", "part", []int{9000, 10, 100, 50}}, "too_large: a.png: the part"},
		"three numbers":         {[]any{"path", "a.png", "part", []int{1, 2, 3}}, "bad_arguments"},
		"no image":              {[]any{"path", "a.txt"}, "unsupported: a.txt is not an image"},
		"no file":               {[]any{"path", "b.png"}, "not_found"},
		"outside":               {[]any{"path", "/etc/passwd"}, "outside"},
		"a PDF without poppler": {[]any{"path", "a.pdf"}, "unsupported: a.pdf needs a program that is not installed: pdftoppm."},
		"a huge header":         {[]any{"path", "huge.png"}, "too_large: huge.png: 100000 × 100000 pixels"},
	} {
		if text, _ := view(t, tools, row.args...); !strings.Contains(text, row.want) {
			t.Errorf("%s: %q", name, text)
		}
	}
	if _, d := view(t, tools, "path", "a.png"); len(d.Files) != 1 || d.Files[0].Width != 3000 || d.Files[0].MediaType != "image/png" {
		t.Errorf("the detail is %+v", d)
	}
	t.Run("drawings", func(t *testing.T) {
		tools := tools.with(t, "rsvg-convert", "pdftoppm")
		for name, want := range map[string]string{"a.svg": "1200×600", "a.pdf": "2400×"} {
			if text, _ := view(t, tools, "path", name); !strings.Contains(text, want) {
				t.Errorf("%s: %q", name, text)
			}
		}
		if text, _ := view(t, tools, "path", "hostile.svg"); strings.Contains(text, "root:") {
			t.Errorf("an entity was read: %q", text)
		}
		if text, _ := view(t, tools, "path", "a.pdf", "page", 9); !strings.HasPrefix(text, "unsupported") {
			t.Errorf("a page that is not there: %q", text)
		}
	})
}

func TestProgramsAreBounded(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh is not installed")
	}
	var tools Tools
	if _, err := tools.run(context.Background(), job{argv: []string{"sh", "-c", "exec cat /dev/zero"}}); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.TooLarge {
		t.Errorf("too much output: %v", err)
	}
	if _, err := tools.run(context.Background(), job{argv: []string{"sleep", "20"}, time: 200 * time.Millisecond}); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.TimedOut {
		t.Errorf("too slow: %v", err)
	}
	if _, err := tools.run(context.Background(), job{argv: []string{"sh", "-c", "echo why >&2; exit 3"}}); err == nil || !strings.Contains(err.Error(), "why") {
		t.Errorf("a failure: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := tools.run(ctx, job{argv: []string{"sleep", "20"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if out, err := tools.run(context.Background(), job{argv: []string{"sh", "-c", "echo fine; echo noise >&2"}}); err != nil || string(out) != "fine\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestSendFile(t *testing.T) {
	tools := newTools(t, map[string]string{"a.csv": "a,b\n", "noext": "%PDF-1.4"})
	text, d := testkit.Call(t, tools.SendFile(), testkit.Args("path", "a.csv", "note", "the table"))
	got := tool.ParseDetail(d).Files
	if len(got) != 1 || got[0].Size != 4 || got[0].Note != "the table" || got[0].Abs != filepath.Join(tools.Workspace.Dir(), "a.csv") || !strings.Contains(text, "4 B") {
		t.Errorf("got %+v, %q", got, text)
	}
	if _, d = testkit.Call(t, tools.SendFile(), testkit.Args("path", "noext")); tool.ParseDetail(d).Files[0].MediaType != "application/pdf" {
		t.Errorf("got %s", d)
	}
	for path, want := range map[string]string{"/etc/passwd": "outside", "missing": "not_found", ".": "unsupported"} {
		if text, _ := testkit.Call(t, tools.SendFile(), testkit.Args("path", path)); !strings.HasPrefix(text, want) {
			t.Errorf("%s: %q", path, text)
		}
	}
	r := tool.NewReply(tool.ReplyOptions{})
	if err := tools.SendFile().Run(context.Background(), []byte(`{"path":"a.csv"}`), r); err != nil || len(r.Parts()) != 1 || !strings.HasPrefix(r.Parts()[0].URI, "file:///") {
		t.Errorf("%+v, %v", r.Parts(), err)
	}
}

func TestViewVideo(t *testing.T) {
	tools := newTools(t, map[string]string{"a.txt": "hello", "list.m3u8": "#EXTM3U\n/etc/passwd\n", "broken.mp4": "\x00\x00\x00\x18ftypmp42"})
	for _, name := range []string{"a.txt", "list.m3u8"} {
		if text, _ := testkit.Call(t, tools.ViewVideo(), testkit.Args("path", name)); !strings.HasPrefix(text, "unsupported: "+name+" is not a video") {
			t.Errorf("%s: %q", name, text)
		}
	}
	if got := (viewVideoArgs{Count: 2}).moments(8); len(got) != 2 || got[0] != 2 || got[1] != 6 {
		t.Errorf("moments %v", got)
	}
	tools = tools.with(t, "ffmpeg", "ffprobe")
	video := filepath.Join(tools.Workspace.Dir(), "v.mp4")
	if out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=duration=3:size=320x240:rate=5", "-f", "lavfi", "-i", "sine=duration=3", video).CombinedOutput(); err != nil {
		t.Skipf("ffmpeg makes no video here: %s", out)
	}
	r := tool.NewReply(tool.ReplyOptions{})
	err := tools.ViewVideo().Run(context.Background(), []byte(`{"path":"v.mp4","times":[0,2.5,99]}`), r)
	parts := r.Parts()
	text, _, _, _ := r.Close()
	if err != nil || len(parts) != 2 || !strings.Contains(text, "320×240") || !strings.Contains(text, "- audio:") || !strings.Contains(text, "no frame at 99.0 s") {
		t.Errorf("%d frames, %v: %s", len(parts), err, text)
	}
	if text, _ := testkit.Call(t, tools.ViewVideo(), testkit.Args("path", "broken.mp4")); !strings.HasPrefix(text, "unsupported: broken.mp4 cannot be read") {
		t.Errorf("broken: %q", text)
	}
}
