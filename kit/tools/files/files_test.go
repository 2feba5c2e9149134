package files

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/kit/undo"
	"rein/kit/workspace"
	"rein/lab/testkit"
	"rein/tool"
)

const canary = "CANARY-51c8 outside the workspace"

// room is a workspace with its tools, beside a directory with a canary in it.
type room struct {
	t       *testing.T
	dir     string
	outside string
	files   Tools
	tools   tool.Set
	home    string            // of the store
	store   *undo.Store       // keeps what calls change; may be nil
	details []json.RawMessage // of the calls so far
}

func newRoom(t *testing.T) *room {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &room{t: t, dir: filepath.Join(base, "ws"), outside: filepath.Join(base, "outside")}
	r.must(os.MkdirAll(r.dir, 0o755))
	r.must(os.MkdirAll(r.outside, 0o755))
	r.must(os.WriteFile(filepath.Join(r.outside, "secret"), []byte(canary), 0o644))
	r.files.Workspace, err = workspace.Open(r.dir)
	r.must(err)
	t.Cleanup(func() { r.files.Workspace.Close() })
	r.tools, err = tool.NewSet(all(r.files)...)
	r.must(err)
	return r
}

func (r *room) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *room) put(name, text string) {
	r.t.Helper()
	full := filepath.Join(r.dir, name)
	r.must(os.MkdirAll(filepath.Dir(full), 0o755))
	r.must(os.WriteFile(full, []byte(text), 0o644))
}

func (r *room) get(name string) string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	r.must(err)
	return string(text)
}

// call checks arguments against the tool's schema, as the runner does, and runs it. A failure is given as
// "kind: text | hint".
func (r *room) call(name, args string) string {
	r.t.Helper()
	if r.store != nil {
		running, err := r.store.Begin(r.t.Context(), undo.Call{ID: fmt.Sprint(len(r.details)), Tool: name}, nil)
		r.must(err)
		defer func() {
			_, err := running.End(r.t.Context())
			r.must(err)
		}()
	}
	text, detail := testkit.Call(r.t, r.tools.Get(name), args)
	r.details = append(r.details, detail)
	return text
}

func args(pairs ...any) string { return testkit.Args(pairs...) }

// all are the tools of the package.
func all(f Tools) []*tool.Tool {
	return []*tool.Tool{f.ReadFile(), f.WriteFile(), f.EditFile(), f.ApplyPatch(), f.Insert(), f.UndoEdit(), f.NotebookEdit(), f.ListDir(), f.Glob(), f.Grep()}
}

func TestReadFile(t *testing.T) {
	r := newRoom(t)
	r.put("a.go", "package a\n\nfunc A() {}\n")
	r.put("empty", "")
	r.put("crlf", "a\r\nb\r\n")
	r.put("oneline", "one")
	r.put("bom", "\xef\xbb\xbfa\n")
	r.put("latin1", "caf\xe9\n")
	r.put("spoilt", "café, \xff, thé\n")
	r.put("utf16", "\xff\xfeh\x00i\x00\n\x00")
	r.put("image.png", "\x89PNG\r\n\x1a\n\x00\x00")
	r.put("blob", "ab\x00cd")
	r.put("long", strings.Repeat("x", 5000)+"\ny\n")
	r.put("many", strings.Repeat("line\n", 3000))
	r.put("wide", strings.Repeat(strings.Repeat("w", 100)+"\n", 1000))
	r.put("dir/f", "")
	rows := []struct{ rule, args, want string }{
		{"numbers and lines", `{"path":"a.go"}`, "     1\tpackage a\n     2\t\n     3\tfunc A() {}\n"},
		{"a window", `{"path":"a.go","offset":2,"limit":1}`, "     2\t\n(lines 2 to 2 of 3; read on with offset 3)\n"},
		{"a window at the end", `{"path":"a.go","offset":3}`, "     3\tfunc A() {}\n(lines 3 to 3 of 3: the end of the file)\n"},
		{"from the end", `{"path":"a.go","offset":-1}`, "     3\tfunc A() {}\n(lines 3 to 3 of 3: the end of the file)\n"},
		{"offset 0 is the start", `{"path":"a.go","offset":0,"limit":1}`, "     1\tpackage a\n(lines 1 to 1 of 3; read on with offset 2)\n"},
		{"behind the end", `{"path":"a.go","offset":9}`, `bad_arguments: "a.go" has 3 lines; there is no line 9 | Send an offset of at most 3`},
		{"other names of the arguments", `{"file_path":"a.go","start_line":1,"max_lines":1}`, "     1\tpackage a\n(lines 1 to 1 of 3; read on with offset 2)\n"},
		{"an absolute path", args("path", filepath.Join(r.dir, "bom")), "     1\ta\n"},
		{"an empty file", `{"path":"empty"}`, "(the file is empty)\n"},
		{"one line without a line break is not CR LF", `{"path":"oneline"}`, "     1\tone\n"},
		{"CR LF is noted, not shown", `{"path":"crlf"}`, "note: the lines end in CR LF\n     1\ta\n     2\tb\n"},
		{"another encoding", `{"path":"latin1"}`, "note: the file is Windows-1252; it is shown as UTF-8, and stays Windows-1252 when it is edited or written\n     1\tcafé\n"},
		{"UTF-8 with a byte that is not", `{"path":"spoilt"}`, "note: bytes that are not UTF-8 are shown as \ufffd\n     1\tcafé, \ufffd, thé\n"},
		{"up to a line", `{"path":"a.go","offset":2,"end_line":3}`, "     2\t\n     3\tfunc A() {}\n(lines 2 to 3 of 3: the end of the file)\n"},
		{"from the start up to a line", `{"path":"a.go","end_line":1}`, "     1\tpackage a\n(lines 1 to 1 of 3; read on with offset 2)\n"},
		{"a limit before the last line", `{"path":"a.go","end":3,"limit":1}`, "     1\tpackage a\n(lines 1 to 1 of 3; read on with offset 2)\n"},
		{"a last line before the first", `{"path":"a.go","offset":3,"end_line":2}`, "bad_arguments: end_line 2 is before the first line, 3 | end_line is the number of a line; for a number of lines send limit."},
		{"a last line and an offset from the end", `{"path":"a.go","offset":-3,"end_line":2}`, "bad_arguments: end_line does not go with an offset that counts from the end | Send limit, or the number of the first line."},
		{"UTF-16", `{"path":"utf16"}`, "note: the file is UTF-16LE; it is shown as UTF-8, and stays UTF-16LE when it is edited or written\n     1\thi\n"},
		{"an image", `{"path":"image.png"}`, `unsupported: "image.png" is a PNG image of 10 B, not text | Use bash with a program that reads this format.`},
		{"a binary file", `{"path":"blob"}`, `unsupported: "blob" is a binary file of 5 B, not text | Use bash with a program that reads this format.`},
		{"a directory", `{"path":"dir"}`, "unsupported: dir is a directory, not a file | List it with list_dir, or name a file in it."},
		{"a missing file", `{"path":"b.go"}`, "not_found: b.go does not exist | Similar names: a.go"},
		{"below a missing directory", `{"path":"no/such"}`, "not_found: no/such does not exist | The directory no does not exist. List the directory to see its entries."},
		{"outside", `{"path":"../outside/secret"}`, "outside: ../outside/secret is outside the workspace | Use a path inside " + r.dir + "; only the user can add a directory (--add-dir)"},
		{"a spilled output that is gone", `{"path":"output://x"}`, "not_found: output://x is no longer kept | Run the command again."},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			if got := r.call("read_file", row.args); got != row.want {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
		})
	}
	for rule, row := range map[string]struct{ args, want string }{
		"a cut line is marked":            {`{"path":"long"}`, "x … (3000 more bytes in this line)\n     2\ty\n"},
		"many lines end with a hint":      {`{"path":"many"}`, "  2000\tline\n(lines 1 to 2000 of 3000; read on with offset 2001)\n"},
		"many bytes end at a whole line":  {`{"path":"wide"}`, "w\n(lines 1 to 491 of 1000; read on with offset 492)\n"},
		"a larger limit meets the budget": {`{"path":"many","limit":100000}`, "  3000\tline\n"},
	} {
		if got := r.call("read_file", row.args); !strings.HasSuffix(got, row.want) {
			t.Errorf("%s: got …%q", rule, got[max(0, len(got)-120):])
		}
	}
}

// The operating system refuses, not a rule or a person: the kind must not be Denied.
func TestReadFileWithoutPermission(t *testing.T) {
	if os.Getuid() == 0 {
		if e := tool.AsError(refusal(&workspace.Error{Kind: workspace.NoPermission, Text: "x"})); e.Kind != tool.NoPermission {
			t.Errorf("got %v", e.Kind)
		}
		return // root may read every file
	}
	r := newRoom(t)
	r.put("closed", "text\n")
	r.must(os.Chmod(filepath.Join(r.dir, "closed"), 0))
	want := "no_permission: closed cannot be accessed: permission denied by the operating system | The user can change the permissions of the file."
	if got := r.call("read_file", `{"path":"closed"}`); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestReadFileOpensSpilledOutput(t *testing.T) {
	r := newRoom(t)
	r.files.Spill = func(ref string) (io.ReaderAt, int64, bool) {
		return strings.NewReader("one\ntwo\n"), 8, ref == "output://s-1"
	}
	read := r.files.ReadFile()
	if got, _ := testkit.Call(t, read, `{"path":"output://s-1","offset":2}`); !strings.HasPrefix(got, "     2\ttwo\n") {
		t.Errorf("got %q", got)
	}
	if got, _ := testkit.Call(t, read, `{"path":"output://s-2"}`); !strings.HasPrefix(got, "not_found: ") {
		t.Errorf("an unknown reference: %q", got)
	}
}

func TestWriteFile(t *testing.T) {
	r := newRoom(t)
	write := func(path, content string) string {
		t.Helper()
		return r.call("write_file", args("path", path, "content", content))
	}
	expect := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	expect(write("new/dir/a.txt", "one\ntwo"), "created new/dir/a.txt (2 lines, 7 bytes)\n")
	expect(write("new/dir/a.txt", "three\n"), "wrote new/dir/a.txt (1 line, 6 bytes; it had 2 lines, 7 bytes)\n")
	expect(write("new/dir/a.txt", "three\n"), "new/dir/a.txt already has this content; nothing was written\n")

	r.put("theirs", "work of a day\n")
	expect(write("theirs", "x"), "stale: theirs exists and has not been read in this session | Read it first.")
	r.call("read_file", `{"path":"theirs"}`)
	expect(write("./new/../theirs", "mine\n"), "wrote theirs (1 line, 5 bytes; it had 1 line, 14 bytes)\n")
	r.put("theirs", "changed by hand\n")
	got := write("theirs", "x")
	if !strings.HasPrefix(got, "stale: theirs has changed since it was read (now version ") {
		t.Errorf("got %q", got)
	}
	expect(r.get("theirs"), "changed by hand\n")

	r.put("long", strings.Repeat("0123456789\n", 10))
	r.call("read_file", `{"path":"long","limit":5}`)
	expect(write("long", "x"), "stale: only a part of long has been read | Read the rest first, or use edit_file.")
	r.call("read_file", `{"path":"long","offset":6}`)
	expect(write("long", "x"), "wrote long (1 line, 1 byte; it had 10 lines, 110 bytes)\n")

	r.put("dos", "\xef\xbb\xbfa\r\nb\r\n")
	r.call("read_file", `{"path":"dos"}`)
	expect(write("dos", "a\nc\n"), "note: the CR LF line endings were kept\nnote: the byte order mark was kept\nwrote dos (2 lines, 9 bytes; it had 2 lines, 9 bytes)\n")
	expect(r.get("dos"), "\xef\xbb\xbfa\r\nc\r\n")

	r.put("whole.go", "package a\n\nfunc A() {}\n\nfunc B() {}\n")
	r.call("read_file", `{"path":"whole.go"}`)
	expect(write("whole.go", "package a\n\n// ... rest of the code unchanged ...\n"),
		`bad_arguments: line 3 is a placeholder for code that was left out: "// ... rest of the code unchanged ..." | Send the whole content of the file, or change a part of it with edit_file.`)
	expect(write("whole.go", "package a\n\n// The rest of the code is in b.go.\nvar a = `...`\n"), "wrote whole.go (4 lines, 61 bytes; it had 5 lines, 36 bytes)\n")

	r.must(os.Symlink(filepath.Join(r.outside, "planted"), filepath.Join(r.dir, "trap")))
	if got := write("trap", "x"); !strings.HasPrefix(got, "outside: ") {
		t.Errorf("through a link: %q", got)
	}
	if _, err := os.Lstat(filepath.Join(r.outside, "planted")); err == nil {
		t.Error("a file was written outside")
	}
}
