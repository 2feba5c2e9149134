package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/lab/testkit"
)

func grepRoom(t *testing.T) *room {
	r := newRoom(t)
	r.put(".gitignore", "build/\n")
	r.put("main.go", "package main\n\nfunc main() {\n\tneedle()\n}\n")
	r.put("src/a.py", "def needle():\n    pass\n")
	r.put("src/b.go", "// Needle and NEEDLE\n")
	r.put("build/out.go", "needle\n")
	r.put("blob.bin", "needle\x00")
	r.put("utf16.txt", "\xff\xfew\x00i\x00d\x00e\x00\n\x00")
	r.put(".env", "KEY=needle\n")
	r.put("deploy/id_rsa", "needle\n")
	r.put("long.txt", strings.Repeat("x", 3000)+"longmatch"+strings.Repeat("y", 3000)+"\n")
	r.must(os.Symlink(r.outside, filepath.Join(r.dir, "link")))
	testkit.Make(t, filepath.Join(r.dir, "pipe"))
	return r
}

const secretsWord = "(2 files not searched, because such files hold secrets: .env, deploy/id_rsa)\n"

func TestGrep(t *testing.T) {
	r := grepRoom(t)
	none := "\n(files that .gitignore excludes were not searched; send ignored: true to include them)\n"
	rows := []struct{ rule, args, want string }{
		{"content by file, secrets and ignored left out", `{"pattern":"needle\\("}`, "main.go\n    4: \tneedle()\n\nsrc/a.py\n    1: def needle():\n"},
		{"files", `{"pattern":"needle","output_mode":"files"}`, "main.go\nsrc/a.py\n"},
		{"the name of files that others use", `{"pattern":"needle\\(","output_mode":"files_with_matches"}`, "main.go\nsrc/a.py\n"},
		{"count", `{"pattern":"needle\\(|Needle","output_mode":"count"}`, "main.go: 1\nsrc/a.py: 1\nsrc/b.go: 1\n(3 matching lines in 3 files)\n"},
		{"letter case", `{"pattern":"NEEDLE","-i":true,"path":"src"}`, "src/a.py\n    1: def needle():\n\nsrc/b.go\n    1: // Needle and NEEDLE\n"},
		{"context", `{"pattern":"func main","-C":1}`, "main.go\n    2- \n    3: func main() {\n    4- \tneedle()\n"},
		{"after alone", `{"pattern":"package","-A":1}`, "main.go\n    1: package main\n    2- \n"},
		{"a glob", `{"pattern":"needle","glob":"*.py"}`, "src/a.py\n    1: def needle():\n"},
		{"a glob with a directory", `{"pattern":"needle","glob":"src/*.py"}`, "src/a.py\n    1: def needle():\n"},
		{"a type", `{"pattern":"needle","type":"go"}`, "main.go\n    4: \tneedle()\n"},
		{"an unknown type", `{"pattern":"needle","type":"pyton"}`, `bad_arguments: unknown file type "pyton" | Did you mean python? Else use glob, such as *.pyton`},
		{"a file that is named is searched", `{"pattern":"needle","path":".env"}`, ".env\n    1: KEY=needle\n"},
		{"a directory that is ignored but named", `{"pattern":"needle","path":"build"}`, "build/out.go\n    1: needle\n"},
		{"what is ignored, on request", `{"pattern":"^needle$","ignored":true,"glob":"*.go"}`, "build/out.go\n    1: needle\n"},
		{"nothing", `{"pattern":"nowhere"}`, "no match in 7 files" + none + secretsWord},
		{"nothing, in a file", `{"pattern":"nowhere","path":"main.go"}`, "no match in 1 file\n"},
		{"nothing, because of the syntax of another tool", `{"pattern":"needle(\\|x"}`, ""},
		{"nothing, because no file fits", `{"pattern":"needle","glob":"*.rb"}`, "no match in 0 files\n(no file matches the glob or the type)\n"},
		{"a bracket that was not escaped", `{"pattern":"needle("}`, "note: the pattern is not a regular expression (error parsing regexp: missing closing ): `needle(`); it was searched as plain text\nmain.go\n    4: \tneedle()\n\nsrc/a.py\n    1: def needle():\n"},
		{"lookaround", `{"pattern":"(?=x)y"}`, "bad_arguments: error parsing regexp: invalid or unsupported Perl syntax: `(?=` | RE2 has no lookaround: search for a wider pattern, with context"},
		{"a line break", `{"pattern":"a\\nbc"}`, "bad_arguments: the search works line by line, so a line break matches nothing | Send multiline: true, or search for one of the lines, with context."},
		{"an invalid glob", `{"pattern":"x","glob":"[a"}`, `bad_arguments: "[a" is not a valid glob | Use * ? [abc] {a,b} and **, such as "**/*_test.go".`},
		{"an unknown mode", `{"pattern":"x","output_mode":"json"}`, `bad_arguments: unknown output_mode "json" | Send content, files or count.`},
		{"UTF-16", `{"pattern":"wide"}`, "utf16.txt\n    1: wide\n"},
		{"plain text", `{"pattern":"main() {","fixed":true}`, "main.go\n    3: func main() {\n"},
		{"outside", `{"pattern":"CANARY","path":"../outside"}`, "outside: ../outside is outside the workspace | Use a path inside " + r.dir + "; only the user can add a directory (--add-dir)"},
		{"links are not followed", `{"pattern":"CANARY"}`, "no match in 7 files" + none + secretsWord},
		{"a link that leads outside", `{"pattern":"CANARY","path":"link"}`, "outside: link goes through a link that leads out of the workspace | Use a path inside " + r.dir + "; only the user can add a directory (--add-dir)"},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			if got := r.call("grep", row.args); got != row.want && row.want != "" {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
		})
	}
	if got := r.call("grep", `{"pattern":"longmatch"}`); !strings.Contains(got, "longmatch") || len(got) > 600 || !strings.Contains(got, "left out)") {
		t.Errorf("a long line: %q", got)
	}
	if got := r.call("grep", `{"pattern":"func\\|nothing"}`); !strings.Contains(got, `\| matches a literal |`) {
		t.Errorf("the other syntax: %q", got)
	}
}

func TestGrepStopsEarlyWithTheSameResult(t *testing.T) {
	r := newRoom(t)
	for i := range 400 {
		r.put(fmt.Sprintf("d%d/f%d", i%7, i), strings.Repeat("hit\nmiss\n", 10))
	}
	first := r.call("grep", `{"pattern":"hit"}`)
	if !strings.HasSuffix(first, "(stopped at 100 matching lines; there may be more: narrow the search, or read on with offset 100)\n") || strings.Count(first, ": hit\n") != 100 {
		t.Errorf("got …%q", first[len(first)-200:])
	}
	for range 20 {
		if again := r.call("grep", `{"pattern":"hit"}`); again != first {
			t.Fatal("the answer changed")
		}
	}
	r.put("wide", strings.Repeat("a wide "+strings.Repeat("x", 90)+"\n", 1000))
	all := r.call("grep", `{"pattern":"wide","limit":2000}`)
	if len(all) > grepBytes+1000 || !strings.Contains(all, "stopped at the size limit") {
		t.Errorf("%d bytes: …%q", len(all), all[len(all)-200:])
	}
	files := r.call("grep", `{"pattern":"hit","output_mode":"files","limit":3}`)
	if files != "d0/f0\nd0/f105\nd0/f112\n(stopped at 3 files; there may be more: narrow the search, or read on with offset 3)\n" {
		t.Errorf("files: %q", files)
	}
}

func TestGrepOfALargeFile(t *testing.T) {
	r := newRoom(t)
	r.put("big.log", strings.Repeat("one two three\n", 200_000)+"the needle\n"+strings.Repeat("four\n", 200_000))
	want := "big.log\n200000- one two three\n200001: the needle\n200002- four\n"
	if got := r.call("grep", `{"pattern":"needle","context":1}`); got != want {
		t.Errorf("got %q", got)
	}
	if got := r.call("grep", `{"pattern":"two","output_mode":"count"}`); got != "big.log: 200000\n" {
		t.Errorf("got %q", got)
	}
}
