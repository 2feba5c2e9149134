package files

import (
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rein/kit/edit"
)

// disk is files in memory; the names in unseen have not been read by the model.
type disk map[string]string

func (d disk) Text(path string) (string, bool, error) {
	text, ok := d[path]
	if !ok {
		return "", false, fs.ErrNotExist
	}
	return text, false, nil
}

// runPatch applies a patch and returns all files after it.
func runPatch(files disk, text string) (disk, error) {
	p, err := parsePatch(text)
	if err != nil {
		return nil, err
	}
	changes, err := patchChanges(p, files)
	if err != nil {
		return nil, err
	}
	after := maps.Clone(files)
	if after == nil {
		after = disk{}
	}
	for _, c := range changes {
		if c.After == nil {
			delete(after, c.Path)
		} else {
			after[c.Path] = *c.After
		}
	}
	return after, nil
}

var patchRows = []struct {
	rule  string
	files disk
	patch string
	want  disk
	fault string // part of the error instead
}{
	// The behaviours that Codex fixes by its scenarios.
	{"codex: a file is added", disk{}, "*** Begin Patch\n*** Add File: bar.md\n+This is a new file\n*** End Patch\n", disk{"bar.md": "This is a new file\n"}, ""},
	{"codex: several operations in one patch", disk{"modify.txt": "line1\nline2\n", "delete.txt": "obsolete\n"},
		"*** Begin Patch\n*** Add File: nested/new.txt\n+created\n*** Delete File: delete.txt\n*** Update File: modify.txt\n@@\n-line2\n+changed\n*** End Patch",
		disk{"nested/new.txt": "created\n", "modify.txt": "line1\nchanged\n"}, ""},
	{"codex: several chunks", disk{"multi.txt": "line1\nline2\nline3\nline4\n"}, "*** Begin Patch\n*** Update File: multi.txt\n@@\n-line2\n+changed2\n@@\n-line4\n+changed4\n*** End Patch\n",
		disk{"multi.txt": "line1\nchanged2\nline3\nchanged4\n"}, ""},
	{"codex: a file moves and changes", disk{"old/name.txt": "old content\n", "old/other.txt": "x\n"},
		"*** Begin Patch\n*** Update File: old/name.txt\n*** Move to: renamed/dir/name.txt\n@@\n-old content\n+new content\n*** End Patch\n",
		disk{"renamed/dir/name.txt": "new content\n", "old/other.txt": "x\n"}, ""},
	{"codex: the first line of context is a marker", disk{"f": "*** End Patch\nx\n"}, "*** Begin Patch\n*** Update File: f\n@@\n *** End Patch\n-x\n+y\n*** End Patch\n", disk{"f": "*** End Patch\ny\n"}, ""},
	{"codex: it is one without @@ too", disk{"f": "*** End Patch\nx\n"}, "*** Begin Patch\n*** Update File: f\n *** End Patch\n-x\n+y\n*** End Patch\n", disk{"f": "*** End Patch\ny\n"}, ""},
	{"codex: the first line of context is a header", disk{"f": "*** Delete File: g\nx\n", "g": "z\n"}, "*** Begin Patch\n*** Update File: f\n@@\n *** Delete File: g\n-x\n+y\n*** End Patch\n", disk{"f": "*** Delete File: g\ny\n", "g": "z\n"}, ""},
	{"codex: an empty patch is refused", disk{"foo.txt": "x\n"}, "*** Begin Patch\n*** End Patch\n", nil, "empty"},
	{"codex: missing context is refused", disk{"modify.txt": "line1\nline2\n"}, "*** Begin Patch\n*** Update File: modify.txt\n@@\n-missing\n+changed\n*** End Patch\n", nil, "modify.txt: "},
	{"codex: deleting a missing file is refused", disk{"foo.txt": "x\n"}, "*** Begin Patch\n*** Delete File: missing.txt\n*** End Patch\n", nil, "does not exist"},
	{"codex: an empty update is refused", disk{"foo.txt": "x\n"}, "*** Begin Patch\n*** Update File: foo.txt\n*** End Patch\n", nil, "empty"},
	{"codex: an update needs its file", disk{"foo.txt": "x\n"}, "*** Begin Patch\n*** Update File: missing.txt\n@@\n-old\n+new\n*** End Patch\n", nil, "does not exist"},
	{"codex: an unknown header is refused", disk{"foo.txt": "x\n"}, "*** Begin Patch\n*** Frobnicate File: foo\n*** End Patch\n", nil, "Frobnicate"},
	{"codex: additions alone come at the end", disk{"input.txt": "line1\nline2\n"}, "*** Begin Patch\n*** Update File: input.txt\n@@\n+added line 1\n+added line 2\n*** End Patch\n",
		disk{"input.txt": "line1\nline2\nadded line 1\nadded line 2\n"}, ""},
	{"codex: blanks around headers do not count", disk{"file.txt": "one\n"}, " *** Begin Patch\n  *** Update File: file.txt\n@@\n-one\n+two\n*** End Patch \n", disk{"file.txt": "two\n"}, ""},
	{"codex: accents and signs", disk{"foo.txt": "line1\nnaïve café\nline3\n"}, "*** Begin Patch\n*** Update File: foo.txt\n@@\n line1\n-naïve café\n+naïve café ✅\n*** End Patch \n",
		disk{"foo.txt": "line1\nnaïve café ✅\nline3\n"}, ""},
	{"codex: a chunk that only removes", disk{"lines.txt": "line1\nline2\nline3\n"}, "*** Begin Patch\n*** Update File: lines.txt\n@@\n line1\n-line2\n line3\n*** End Patch\n", disk{"lines.txt": "line1\nline3\n"}, ""},
	{"codex: the end of file mark", disk{"tail.txt": "first\nsecond\n"}, "*** Begin Patch\n*** Update File: tail.txt\n@@\n first\n-second\n+second updated\n*** End of File\n*** End Patch\n",
		disk{"tail.txt": "first\nsecond updated\n"}, ""},

	// Where rein differs on purpose.
	{"all or nothing: a later failure leaves earlier files", disk{}, "*** Begin Patch\n*** Add File: created.txt\n+hello\n*** Update File: missing.txt\n@@\n-old\n+new\n*** End Patch\n", nil, "no file was changed"},
	{"a missing final line end stays missing", disk{"a": "no newline at end"}, "*** Begin Patch\n*** Update File: a\n@@\n-no newline at end\n+first line\n+second line\n*** End Patch\n", disk{"a": "first line\nsecond line"}, ""},
	{"a move does not overwrite", disk{"a": "x\n", "b": "y\n"}, "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+z\n*** End Patch\n", nil, "that file exists"},
	{"a chunk that fits twice is refused", disk{"a": "x\n}\nx\n}\n"}, "*** Begin Patch\n*** Update File: a\n@@\n-x\n+z\n*** End Patch\n", nil, "several places"},
	{"a chunk after the one before is found once", disk{"a": "x\ny\nx\n"}, "*** Begin Patch\n*** Update File: a\n@@\n x\n-y\n+q\n@@\n-x\n+z\n*** End Patch\n", disk{"a": "x\nq\nz\n"}, ""},

	{"context lines keep the file's bytes", disk{"a": "\tx \r\n\ty\r\n"}, "*** Begin Patch\n*** Update File: a\n@@\n     x\n-    y\n+    z\n*** End Patch\n", disk{"a": "\tx \r\n\tz\r\n"}, ""},
	{"scopes choose among equal lines", disk{"a": "func f() {\n\treturn 1\n}\nfunc g() {\n\treturn 1\n}\n"}, "*** Begin Patch\n*** Update File: a\n@@ func g() {\n-\treturn 1\n+\treturn 2\n*** End Patch\n",
		disk{"a": "func f() {\n\treturn 1\n}\nfunc g() {\n\treturn 2\n}\n"}, ""},
	{"scopes in two steps", disk{"a": "class A:\n  def f(self):\n    x\nclass B:\n  def f(self):\n    x\n"}, "*** Begin Patch\n*** Update File: a\n@@ class B:\n@@   def f(self):\n-    x\n+    y\n*** End Patch\n",
		disk{"a": "class A:\n  def f(self):\n    x\nclass B:\n  def f(self):\n    y\n"}, ""},
	{"additions behind their scope, not at the end", disk{"a": "def f():\n  x\ndef g():\n  y\n"}, "*** Begin Patch\n*** Update File: a\n@@ def f():\n+  new\n*** End Patch\n", disk{"a": "def f():\n  new\n  x\ndef g():\n  y\n"}, ""},
	{"a heredoc around it", disk{"a": "x\n"}, "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\nEOF\n", disk{"a": "y\n"}, ""},
	{"a fence around it, the end missing", disk{"a": "x\n"}, "```\n*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n```", disk{"a": "y\n"}, ""},
	{"a blank context line without its blank", disk{"a": "x\n\ny\n"}, "*** Begin Patch\n*** Update File: a\n@@\n x\n\n-y\n+z\n*** End Patch\n", disk{"a": "x\n\nz\n"}, ""},
	{"one file in two sections", disk{"a": "x\ny\n"}, "*** Begin Patch\n*** Update File: a\n@@\n-x\n+1\n*** Update File: a\n@@\n-y\n+2\n*** End Patch\n", disk{"a": "1\n2\n"}, ""},
	{"lines of another file before the first header", disk{"a": "x\n"}, "hello\n*** Update File: a\n@@\n-x\n+y\n", nil, "before the first"},

	{"unified: a change", disk{"a.go": "a\nb\nc\n"}, "--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", disk{"a.go": "a\nB\nc\n"}, ""},
	{"unified: wrong counts do not matter", disk{"a.go": "a\nb\nc\n"}, "--- a/a.go\n+++ b/a.go\n@@ -7,9 +1,1 @@\n a\n-b\n+B\n", disk{"a.go": "a\nB\nc\n"}, ""},
	{"unified: numbers break ties", disk{"a": "x\nx\nx\n"}, "--- a\n+++ b/a\n@@ -2,1 +2,1 @@\n-x\n+y\n", disk{"a": "x\ny\nx\n"}, ""},
	{"unified: additions without context", disk{"a": "1\n2\n3\n"}, "--- a/a\n+++ b/a\n@@ -2,0 +3,1 @@\n+new\n", disk{"a": "1\n2\nnew\n3\n"}, ""},
	{"unified: a new file and a deleted one", disk{"old": "x\n"}, "diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+a\n+b\ndiff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
		disk{"new": "a\nb\n"}, ""},
	{"unified: git's rename without hunks", disk{"old": "x\n"}, "diff --git a/old b/sub/new\nsimilarity index 100%\nrename from old\nrename to sub/new\n", disk{"sub/new": "x\n"}, ""},
	{"unified: a hunk without a file is refused", disk{"a": "x\n"}, "diff --git \n@@ -1 +1 @@\n-x\n+y\n", nil, "belongs to no file"},

	{"blocks: a change", disk{"a.py": "a\nb\n"}, "a.py\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n", disk{"a.py": "a\nB\n"}, ""},
	{"blocks: in a fence below the name", disk{"a.py": "a\nb\n"}, "a.py\n```python\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n```\n", disk{"a.py": "a\nB\n"}, ""},
	{"blocks: several, in any order, of one file", disk{"a": "1\n2\n3\n"}, "a\n<<<<<<< SEARCH\n3\n=======\nC\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\n1\n=======\nA\n>>>>>>> REPLACE\n", disk{"a": "A\n2\nC\n"}, ""},
	{"blocks: an empty search makes a new file", disk{}, "new.txt\n<<<<<<< SEARCH\n=======\nhello\n>>>>>>> REPLACE\n", disk{"new.txt": "hello\n"}, ""},
	{"blocks: a start line on top", disk{"a": "1\n2\n"}, "a\n<<<<<<< SEARCH\n:start_line:2\n-------\n2\n=======\nB\n>>>>>>> REPLACE\n", disk{"a": "1\nB\n"}, ""},
	{"blocks: without an end is refused", disk{"a": "1\n2\n"}, "a\n<<<<<<< SEARCH\n2\n=======\nB\n>>>>>>> REPLACE\n<<<<<<< SEARCH\n1\n", nil, "no end"},
	{"text that is not a patch", disk{"a": "x\n"}, "please change x to y", nil, "not a patch"},
}

func TestApply(t *testing.T) {
	for _, row := range patchRows {
		t.Run(row.rule, func(t *testing.T) {
			got, err := runPatch(row.files, row.patch)
			if row.fault != "" {
				if err == nil || !strings.Contains(err.Error(), row.fault) {
					t.Fatalf("got %q, %v; want a refusal with %q", got, err, row.fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(got, row.want) {
				t.Fatalf("got %q, want %q", got, row.want)
			}
		})
	}
}

// TestDiffsApply makes random changes, writes them as diffs of both kinds, and applies those.
func TestDiffsApply(t *testing.T) {
	names, err := filepath.Glob("*.go")
	names = slices.DeleteFunc(names, func(name string) bool { // a hunk may not begin with the line that ends a patch of the second kind
		text, err := os.ReadFile(name)
		return err != nil || strings.Contains(string(text), "\n"+endPatch)
	})
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	applied := 0
	for range 200 {
		b, err := os.ReadFile(names[r.IntN(len(names))])
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(b), "\n")
		for range 1 + r.IntN(4) {
			i := r.IntN(len(lines) - 1) // not what follows the last line break: a diff does not say whether a file ends with one
			if r.IntN(2) == 0 {
				lines[i] = "// new " + lines[i]
			} else {
				lines[i] = "added\n" + lines[i]
			}
		}
		after := strings.Join(lines, "")
		diff := edit.Diff(string(b), after)
		got, err := runPatch(disk{"f": string(b)}, "--- a/f\n+++ b/f\n"+diff)
		if err != nil || got["f"] != after {
			t.Fatalf("unified: %v\n%s\ngot\n%s", err, diff, edit.Diff(after, got["f"]))
		}
		got, err = runPatch(disk{"f": string(b)}, "*** Begin Patch\n*** Update File: f\n"+diff+"*** End Patch\n")
		if err != nil || got["f"] != after {
			t.Fatalf("codex: %v\n%s\ngot\n%s", err, diff, edit.Diff(after, got["f"]))
		}
		applied++
	}
	if applied != 200 {
		t.Fatal(applied)
	}
}

// FuzzParse checks that any text is read or refused without a panic, and that what is applied was in the patch's files.
func FuzzParse(f *testing.F) {
	for _, row := range patchRows {
		f.Add(row.patch, "x\ny\n")
	}
	f.Fuzz(func(t *testing.T, text, file string) {
		p, err := parsePatch(text)
		if err != nil {
			return
		}
		files := disk{}
		reads, writes := p.Paths()
		for _, path := range reads {
			files[path] = file
		}
		changes, err := patchChanges(p, files)
		if err != nil {
			return
		}
		for _, c := range changes {
			known := false
			for _, w := range writes {
				known = known || w == c.Path
			}
			if !known {
				t.Fatalf("%q changed, but the patch writes %q", c.Path, writes)
			}
		}
	})
}
