package files

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"

	"rein/kit/tools/command"
	"rein/kit/undo"
	"rein/tool"
)

// newEditRoom is a room whose changes are kept.
func newEditRoom(t *testing.T) *room {
	t.Helper()
	r := newRoom(t)
	r.home = t.TempDir()
	r.keep()
	return r
}

// keep opens the store that keeps what calls change, as the pipeline does.
func (r *room) keep() {
	r.t.Helper()
	store, err := undo.Open(r.home, undo.Options{Roots: []string{r.dir}, MinFree: 1})
	r.must(err)
	r.t.Cleanup(func() { store.Close() })
	r.store = store
	r.files.LastChange = func(name string) (undo.Replaced, bool, error) {
		return store.LastOf(r.t.Context(), undo.Filter{Path: name}, "undo_edit")
	}
	r.retool()
}

// retool makes the tools again from the room's files.
func (r *room) retool() {
	r.t.Helper()
	var err error
	r.tools, err = tool.NewSet(r.files.EditFile(), r.files.ApplyPatch(), r.files.Insert(), r.files.UndoEdit(), r.files.NotebookEdit(), r.files.ReadFile(), r.files.WriteFile())
	r.must(err)
}

func (r *room) want(name, text string) {
	r.t.Helper()
	if got := r.get(name); got != text {
		r.t.Fatalf("%s is %q, want %q", name, got, text)
	}
}

func (r *room) says(name, args string, parts ...string) string {
	r.t.Helper()
	got := r.call(name, args)
	for _, p := range parts {
		if !strings.Contains(got, p) {
			r.t.Fatalf("%s %s says\n%s\nwithout %q", name, args, got, p)
		}
	}
	return got
}

func TestEditFile(t *testing.T) {
	for _, row := range []struct {
		rule, before, args, after string
		says                      []string
	}{
		{"text is replaced, and the lines around it shown", "a\nb\nc\n", args("path", "f", "old_text", "b", "new_text", "B"), "a\nB\nc\n", []string{"edited f: +1 -1 lines\n1\ta\n2\tB\n3\tc\n"}},
		{"the names of other harnesses", "a\nb\n", args("file_path", "f", "old_string", "b", "new_string", "B"), "a\nB\n", []string{"edited"}},
		{"the names of the seeds", "a\nb\n", args("path", "f", "source_text", "b", "target_text", "B"), "a\nB\n", []string{"edited"}},
		{"an empty new text deletes the line", "a\nb\nc\n", args("path", "f", "old_text", "b", "new_text", ""), "a\nc\n", []string{"+0 -1"}},
		{"a difference is reported", "if x {\r\n\tb()\r\n}\r\n", args("path", "f", "old_text", "    b()", "new_text", "    b()\n    c()"), "if x {\r\n\tb()\r\n\tc()\r\n}\r\n", []string{"differed from the file in: indentation"}},
		{"several places are refused with their lines", "x\ny\nx\n", args("path", "f", "old_text", "x", "new_text", "z"), "x\ny\nx\n", []string{"failed: ", "lines 1, 3", "replace_all"}},
		{"all of them", "x\ny\nx\n", args("path", "f", "old_text", "x", "new_text", "z", "replace_all", true), "z\ny\nz\n", []string{"+2 -2"}},
		{"as many as expected", "x\ny\nx\n", args("path", "f", "old_text", "x", "new_text", "z", "expected_replacements", 3), "x\ny\nx\n", []string{"2 times, not 3 times as expected"}},
		{"what is not there is refused with the closest lines", "one\ntwo alpha beta\nthree\n", args("path", "f", "old_text", "one\ntwo alpha gamma\nthree", "new_text", "x"), "one\ntwo alpha beta\nthree\n", []string{"not_found", "-       two alpha gamma", "+     2 two alpha beta"}},
		{"a list of edits", "a\nb\nc\n", args("path", "f", "edits", []map[string]any{{"old_text": "a", "new_text": "A"}, {"old_string": "c", "new_string": "C"}}), "A\nb\nC\n", []string{"+2 -2"}},
		{"a list is made all or not at all", "a\nb\nc\n", args("path", "f", "edits", []map[string]any{{"old_text": "a", "new_text": "A"}, {"old_text": "q", "new_text": "C"}}), "a\nb\nc\n", []string{"do not match: 1 of 2", "Edit 2: "}},
		{"texts and a list that differ", "a\n", args("path", "f", "old_text", "a", "new_text", "b", "edits", []map[string]any{{"old_text": "a", "new_text": "A"}}), "a\n", []string{"bad_arguments: edits does not contain"}},
		{"texts and a list that say the same", "a\n", args("path", "f", "old_text", "a", "new_text", "A", "edits", []map[string]any{{"old_text": "a", "new_text": "A"}}), "A\n", []string{"+1 -1"}},
		{"texts that repeat one item of the list", "a\nb\n", args("path", "f", "old_text", "b", "new_text", "B", "edits", []map[string]any{{"old_text": "a", "new_text": "A"}, {"old_string": "b", "new_string": "B"}}), "A\nB\n", []string{"+2 -2"}},
		{"replace_all beside a list of one", "a\na\n", args("path", "f", "replace_all", true, "edits", []map[string]any{{"old_text": "a", "new_text": "A"}}), "A\nA\n", []string{"+2 -2"}},
		{"replace_all beside a longer list", "a\nb\n", args("path", "f", "replace_all", true, "edits", []map[string]any{{"old_text": "a", "new_text": "A"}, {"old_text": "b", "new_text": "B"}}), "a\nb\n", []string{"bad_arguments", "in the items of edits"}},
		{"two counts that differ", "a\n", args("path", "f", "expected_replacements", 2, "edits", []map[string]any{{"old_text": "a", "new_text": "A", "expected_replacements": 1}}), "a\n", []string{"bad_arguments"}},
		{"nothing to find", "a\n", args("path", "f", "old_text", "", "new_text", "b"), "a\n", []string{"bad_arguments: old_text is empty", "insert"}},
		{"nothing to change", "a\n", args("path", "f", "old_text", "a", "new_text", "a"), "a\n", []string{"the same"}},
		{"dollars are text", "a\n", args("path", "f", "old_text", "a", "new_text", "$1 $& $$"), "$1 $& $$\n", nil},
	} {
		t.Run(row.rule, func(t *testing.T) {
			r := newEditRoom(t)
			r.put("f", row.before)
			r.says("edit_file", row.args, row.says...)
			r.want("f", row.after)
		})
	}
}

func TestEditFileCreatesWhatIsNotThere(t *testing.T) {
	r := newEditRoom(t)
	r.says("edit_file", args("path", "new/f", "old_text", "", "new_text", "hello\n"), "created new/f")
	r.want("new/f", "hello\n")
	r.says("edit_file", args("path", "gone", "old_text", "x", "new_text", "y"), "not_found")
}

func TestEditKeepsModeLinkAndEncoding(t *testing.T) {
	r := newEditRoom(t)
	gbk, err := simplifiedchinese.GBK.NewEncoder().String("// 读取配置文件\nname = \"错误\"\n// 这是一个用来测试编码的文件\n")
	r.must(err)
	r.put("real", gbk)
	r.must(os.Chmod(filepath.Join(r.dir, "real"), 0o755))
	r.must(os.Symlink("real", filepath.Join(r.dir, "link")))
	r.says("edit_file", args("path", "link", "old_text", "name = \"错误\"", "new_text", "name = \"正确\""), "edited real")
	want, err := simplifiedchinese.GBK.NewEncoder().String("// 读取配置文件\nname = \"正确\"\n// 这是一个用来测试编码的文件\n")
	r.must(err)
	r.want("real", want)
	info, err := os.Lstat(filepath.Join(r.dir, "link"))
	r.must(err)
	if info.Mode()&os.ModeSymlink == 0 {
		t.Fatal("the link became a file")
	}
	info, err = os.Stat(filepath.Join(r.dir, "real"))
	r.must(err)
	if info.Mode().Perm() != 0o755 {
		t.Fatal(info.Mode())
	}
	r.says("edit_file", args("path", "real", "old_text", "name", "new_text", "näme"), "unsupported", "GBK")
}

func TestEditRefusesBinary(t *testing.T) {
	r := newEditRoom(t)
	r.put("p.png", "\x89PNG\r\n\x1a\n\x00\x00abc")
	r.says("edit_file", args("path", "p.png", "old_text", "abc", "new_text", "x"), "unsupported", "PNG")
}

func TestChangeBySomeoneElse(t *testing.T) {
	r := newEditRoom(t)
	r.put("f", "1\n2\n3\n4\n5\n6\n7\n8\n")
	r.says("read_file", args("path", "f"), "8")
	r.put("f", "1\n2\n3\n4\n5\n6\n7\nEIGHT\n")
	r.says("edit_file", args("path", "f", "old_text", "2", "new_text", "two"), "someone else", "both changes are kept")
	r.want("f", "1\ntwo\n3\n4\n5\n6\n7\nEIGHT\n")

	r.says("read_file", args("path", "f"), "two")
	r.put("f", "1\nTWO!\n3\n4\n5\n6\n7\nEIGHT\n")
	r.says("edit_file", args("path", "f", "old_text", "two", "new_text", "2"), "stale", "in the same place", "2\tTWO!")
	r.want("f", "1\nTWO!\n3\n4\n5\n6\n7\nEIGHT\n")
	r.says("edit_file", args("path", "f", "old_text", "nine", "new_text", "9"), "stale", "changed since you read it", "+TWO!")
}

func TestAnEditOfAnUnreadFileDoesNotCountAsReading(t *testing.T) {
	r := newEditRoom(t)
	r.put("f", "secret one\ntwo\n")
	r.says("edit_file", args("path", "f", "old_text", "two", "new_text", "2"), "edited")
	r.says("write_file", args("path", "f", "content", "x"), "stale")
	r.want("f", "secret one\n2\n")
}

func TestSyntaxWarning(t *testing.T) {
	r := newEditRoom(t)
	r.put("a.go", "package a\n\nfunc f() {\n}\n")
	r.says("edit_file", args("path", "a.go", "old_text", "func f() {", "new_text", "func f( {"), "note: a.go no longer parses: line 3", "edited")
	r.put("b.json", "{\"a\": }\n")
	if got := r.call("edit_file", args("path", "b.json", "old_text", "\"a\"", "new_text", "\"b\"")); strings.Contains(got, "parse") {
		t.Fatal("a file that was broken before: ", got)
	}
}

func TestUndo(t *testing.T) {
	r := newEditRoom(t)
	r.put("f", "a\nb\nc\nd\ne\n")
	r.says("edit_file", args("path", "f", "old_text", "a", "new_text", "A"), "edited")
	r.says("edit_file", args("path", "f", "old_text", "b", "new_text", "B"), "edited")
	r.says("undo_edit", args("path", "f"), "edited")
	r.want("f", "A\nb\nc\nd\ne\n")
	r.says("undo_edit", args("path", "./f"), "edited")
	r.want("f", "a\nb\nc\nd\ne\n")
	r.says("undo_edit", args("path", "f"), "not_found", "no change")

	r.says("edit_file", args("path", "f", "old_text", "a", "new_text", "A"), "edited")
	r.put("f", "A\nb\nc\nd\nE\n")
	r.says("undo_edit", args("path", "f"), "those changes are kept")
	r.want("f", "a\nb\nc\nd\nE\n")

	r.says("edit_file", args("path", "f", "old_text", "c", "new_text", "C"), "edited")
	r.put("f", "a\nb\nCC\nd\nE\n")
	r.says("undo_edit", args("path", "f"), "stale", "same place")

	r.says("write_file", args("path", "n", "content", "new\n"), "created")
	r.says("undo_edit", args("path", "n"), "deleted n")
	if _, err := os.Stat(filepath.Join(r.dir, "n")); !os.IsNotExist(err) {
		t.Fatal(err)
	}
}

func TestUndoInAnotherProcess(t *testing.T) {
	r := newEditRoom(t)
	r.put("f", "a\n")
	r.says("edit_file", args("path", "f", "old_text", "a", "new_text", "b"), "edited")
	r.must(r.store.Close())
	r.keep()
	r.says("undo_edit", args("path", "f"), "edited")
	r.want("f", "a\n")
}

func TestApplyPatch(t *testing.T) {
	r := newEditRoom(t)
	r.put("a", "1\n2\n3\n")
	r.put("b", "x\n")
	r.put("c", "gone\n")
	r.says("apply_patch", args("input", "*** Begin Patch\n*** Update File: a\n@@\n-2\n+two\n*** Update File: b\n*** Move to: sub/b2\n@@\n-x\n+y\n*** Delete File: c\n*** Add File: d\n+new\n*** End Patch"),
		"edited a: +1 -1", "deleted b", "created sub/b2", "deleted c", "created d")
	r.want("a", "1\ntwo\n3\n")
	r.want("sub/b2", "y\n")
	r.want("d", "new\n")
	for _, gone := range []string{"b", "c"} {
		if _, err := os.Stat(filepath.Join(r.dir, gone)); !os.IsNotExist(err) {
			t.Fatal(gone, err)
		}
	}
	r.says("undo_edit", args("path", "c"), "created c")
	r.want("c", "gone\n")

	r.says("apply_patch", args("patch", "*** Begin Patch\n*** Update File: a\n@@\n-two\n+2\n*** Update File: d\n@@\n-missing\n+x\n*** End Patch"), "no file was changed", "d: ")
	r.want("a", "1\ntwo\n3\n")
	r.put("e", "precious\n")
	r.says("apply_patch", args("patch", "*** Begin Patch\n*** Add File: e\n+mine\n*** End Patch"), "stale")
	r.want("e", "precious\n")
	r.says("apply_patch", args("patch", "*** Begin Patch\n*** Add File: ../out\n+mine\n*** End Patch"), "outside")
	r.says("apply_patch", args("patch", "nothing"), "bad_arguments")
}

func TestPatchIntentNamesItsFiles(t *testing.T) {
	r := newEditRoom(t)
	intent, err := r.tools.Get("apply_patch").Intent(json.RawMessage(args("patch", "*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Add File: c\n+z\n")))
	if err != nil || strings.Join(intent.Reads, " ") != "a" || strings.Join(intent.Writes, " ") != "a b c" {
		t.Fatalf("%+v, %v", intent, err)
	}
}

func TestInsert(t *testing.T) {
	r := newEditRoom(t)
	r.put("f", "a\r\nb\r\n")
	r.says("insert", args("path", "f", "line", 1, "text", "x"), "stale", "Read it first")
	r.says("read_file", args("path", "f"), "b")
	r.says("insert", args("path", "f", "insert_line", 1, "new_str", "x\ny\n"), "edited f: +2 -0")
	r.want("f", "a\r\nx\r\ny\r\nb\r\n")
	r.says("insert", args("path", "f", "line", 0, "text", "top"), "+1 -0")
	r.says("insert", args("path", "f", "line", -1, "text", "end"), "+1 -0")
	r.want("f", "top\r\na\r\nx\r\ny\r\nb\r\nend\r\n")
	r.says("insert", args("path", "f", "line", 99, "text", "x"), "bad_arguments", "6 lines")
	r.put("g", "no end")
	r.says("read_file", args("path", "g"), "no end")
	r.says("insert", args("path", "g", "line", -1, "text", "more"), "+")
	r.want("g", "no end\nmore")
}

func TestNotebookEdit(t *testing.T) {
	r := newEditRoom(t)
	book := "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": 1,\n   \"id\": \"a\",\n   \"metadata\": {},\n   \"outputs\": [],\n   \"source\": [\n    \"x = 1\\n\",\n    \"y = 2\"\n   ]\n  }\n ],\n \"nbformat\": 4\n}\n"
	r.put("n.ipynb", book)
	r.says("notebook_edit", args("path", "n.ipynb", "cell", 0, "old_text", "y = 2", "new_text", "y = 3"), "edited")
	r.want("n.ipynb", strings.NewReplacer("y = 2", "y = 3", "\"execution_count\": 1", "\"execution_count\": null").Replace(book))
	r.says("notebook_edit", args("notebook_path", "n.ipynb", "cell_id", "a", "edit_mode", "insert", "cell_type", "markdown", "new_source", "hello"), "edited")
	r.says("notebook_edit", args("path", "n.ipynb", "cell", 1, "mode", "delete"), "edited")
	r.says("notebook_edit", args("path", "n.ipynb", "cell", 7, "source", "x"), "not_found", "0 code")
	r.says("notebook_edit", args("path", "n.ipynb", "source", "x"), "bad_arguments", "0 code")
	r.put("x.ipynb", "not json")
	r.says("notebook_edit", args("path", "x.ipynb", "cell", 0, "source", "x"), "unsupported")
}

func TestFormatterIsReported(t *testing.T) {
	r := newEditRoom(t)
	r.files.Tidy = func(_ context.Context, name string) (string, error) {
		full := filepath.Join(r.dir, name)
		text, err := os.ReadFile(full)
		if err == nil {
			err = os.WriteFile(full, []byte(strings.ReplaceAll(string(text), "x=1", "x = 1")), 0o644)
		}
		return "", err
	}
	r.retool()
	r.put("f", "a\n")
	r.says("edit_file", args("path", "f", "old_text", "a", "new_text", "x=1"), "formatter changed the file", "+x = 1", "1\tx = 1")
	r.want("f", "x = 1\n")
	r.says("undo_edit", args("path", "f"), "edited")
}

func TestTidyRunsPrograms(t *testing.T) {
	r := newEditRoom(t)
	r.files.Tidy = command.Shell{Dir: r.dir}.Tidy(map[string][][]string{".txt": {{"sh", "-c", "tr a-z A-Z <\"$1\" >t && mv t \"$1\"", "sh"}, {"sh", "-c", "echo bad style in {}; exit 3", "lint"}}})
	r.retool()
	r.put("f.txt", "a\nb\n")
	r.says("edit_file", args("path", "f.txt", "old_text", "a", "new_text", "x"), "1\tX\n2\tB\n", "ended with exit code 3", "bad style")
	r.want("f.txt", "X\nB\n")
}

func TestPreviewChangesNothing(t *testing.T) {
	r := newEditRoom(t)
	r.put("f", "a\nb\n")
	for name, call := range map[string]string{
		"edit_file":   args("path", "f", "old_text", "b", "new_text", "B"),
		"apply_patch": args("patch", "*** Update File: f\n@@\n-b\n+B\n"),
		"write_file":  args("path", "f", "content", "a\nB\n"),
	} {
		changes, err := r.files.Preview(name, json.RawMessage(call))
		if err != nil || len(changes) != 1 || !strings.Contains(changes[0].Diff, "-b\n+B\n") || changes[0].Added != 1 {
			t.Fatalf("%s: %+v, %v", name, changes, err)
		}
		r.want("f", "a\nb\n")
	}
	if _, err := r.files.Preview("bash", json.RawMessage(`{}`)); err != ErrNoPreview {
		t.Fatal(err)
	}
}

func TestChangeDetails(t *testing.T) {
	r := newEditRoom(t)
	r.put("f", "a\nb\nc\n")
	r.put("long", strings.Repeat("x\n", 1000))
	last := func() []tool.Change { return tool.ParseDetail(r.details[len(r.details)-1]).Changes }

	r.call("edit_file", args("path", "f", "old_text", "b", "new_text", "B\nBB"))
	want := []tool.Change{{Path: "f", Added: 2, Removed: 1, Diff: "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+BB\n c\n"}}
	if got := last(); !reflect.DeepEqual(got, want) {
		t.Errorf("an edit: %+v", got)
	}
	r.call("write_file", args("path", "new", "content", "one\n"))
	if c := last(); len(c) != 1 || !c[0].Created || c[0].Added != 1 || c[0].Diff != "@@ -0,0 +1,1 @@\n+one\n" || len(c[0].Sum) != 64 {
		t.Errorf("a new file: %+v", c)
	}
	r.call("apply_patch", args("patch", "*** Begin Patch\n*** Update File: f\n*** Move to: g\n@@\n-a\n+A\n*** Delete File: new\n*** End Patch"))
	c := last()
	if len(c) != 3 {
		t.Fatalf("a patch: %+v", c)
	}
	for _, c := range c {
		switch {
		case c.Path == "g" && c.From == "f" && c.Created, c.Path == "f" && c.Deleted, c.Path == "new" && c.Deleted && c.Removed == 1:
		default:
			t.Errorf("a patch: %+v", c)
		}
	}
	r.call("edit_file", args("path", "long", "old_text", "x", "new_text", "y", "replace_all", true))
	if c := last(); len(c) != 1 || !c[0].Cut || c[0].Added != 1000 || strings.Count(c[0].Diff, "\n") > 401 {
		t.Errorf("a long diff: cut %v, +%d, %d lines", c[0].Cut, c[0].Added, strings.Count(c[0].Diff, "\n"))
	}
}
