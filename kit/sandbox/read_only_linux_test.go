package sandbox

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// runSpec runs a spec in a box and returns its output and how it ended.
func runSpec(t testing.TB, box Sandbox, spec Spec) (string, Result) {
	t.Helper()
	var out bytes.Buffer
	result, err := Run(t.Context(), box, spec, &out, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), result
}

// treeOf describes all files below a directory.
func treeOf(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := []byte(nil)
		if info.Mode().IsRegular() {
			text, err = os.ReadFile(path)
		}
		fmt.Fprintf(&b, "%s %v %q\n", path, info.Mode(), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// writers are commands that write though they look as if they only read, and some that plainly write.
var writers = []string{
	"shuf -o a.txt b.txt", "sort -o a.txt b.txt", "uniq b.txt a.txt", "python3 -m json.tool b.json a.txt", "git diff --no-index --output=a.txt a.txt b.txt",
	"git interpret-trailers --in-place --trailer x=y b.txt", "git bugreport", "git diagnose", "sed -i s/b/c/ b.txt", "sed -n w\\ a.txt b.txt",
	"sqlite3 :memory: \"select writefile('a.txt', 'x')\"", "PIP_RETRIES=0 pip --log a.txt list", "tee a.txt < b.txt", "cp b.txt a.txt", "rm -rf sub a.txt",
	"mv b.txt a.txt", "echo x > a.txt", "touch new", "mkdir new", "chmod 777 a.txt", "ln -s b.txt new", "ln b.txt new", "truncate -s 0 a.txt",
	"dd if=b.txt of=a.txt", "find . -name '*.txt' -delete", "find . -fprint a.txt", "cd sub && echo x > ../a.txt", "awk '{print > \"a.txt\"}' b.txt",
	"(exec 3<>a.txt; echo x >&3)", "split b.txt a", "tar cf a.txt b.txt", "script -qc true a.txt", "vim -es -c 'w! a.txt' -c q b.txt", "bash -c 'echo x >| a.txt'",
}

func TestAttacksOnAReadOnlyWorkspace(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts many programs one after the other")
	}
	for _, backend := range backends() {
		if backend == BackendNone {
			continue // it isolates nothing: see the guard "unenforced" of package guard
		}
		t.Run(backend.String(), func(t *testing.T) {
			ws, more := t.TempDir(), t.TempDir()
			for name, text := range map[string]string{"a.txt": "a\n", "b.txt": "b\n", "b.json": "{}", "sub/c.txt": "c\n"} {
				writeFile(t, filepath.Join(ws, name), text)
			}
			writeFile(t, filepath.Join(more, "d.txt"), "d\n")
			box := onBackend(t, Policy{Workspace: ws, Writable: []string{more}}, backend)
			spec := func(script string) Spec {
				s := shell("cd " + ws + "\n" + script)
				s.ReadOnly = true
				return s
			}
			before := treeOf(t, ws) + treeOf(t, more)
			for _, script := range append(writers, "echo x > "+more+"/d.txt", "rm "+more+"/d.txt") {
				out, result := runSpec(t, box, spec(script))
				if now := treeOf(t, ws) + treeOf(t, more); now != before {
					t.Fatalf("%s changed the workspace: %+v %s", script, result, out)
				}
			}
			opened := spec("echo x > " + ws + "/a.txt")
			opened.Opened = Opened{Write: []string{ws}}
			if runSpec(t, box, opened); treeOf(t, ws)+treeOf(t, more) != before {
				t.Error("access that was granted for writing counts in a read-only workspace")
			}
			if out, result := runSpec(t, box, spec("cat b.txt && echo x > $TMPDIR/x && cat $TMPDIR/x")); out != "b\nx\n" || result.Code != 0 {
				t.Errorf("reading and temporary files: %q %+v", out, result)
			}
			if out, _ := try(t, box, "cd "+ws+" && echo new > a.txt && cat a.txt"); out != "new\n" {
				t.Errorf("a command that may write: %q", out)
			}
		})
	}
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
