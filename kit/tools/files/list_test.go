package files

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"rein/lab/testkit"
	"rein/tool"
)

func listRoom(t *testing.T) *room {
	r := newRoom(t)
	r.put(".gitignore", "build/\n")
	r.put(".git/config", "x")
	r.put("a.go", "1234567")
	r.put("src/b.go", "")
	r.put("src/deep/c_test.go", "")
	r.put("build/out.go", "")
	r.must(os.Symlink("a.go", filepath.Join(r.dir, "link")))
	testkit.Make(t, filepath.Join(r.dir, "pipe"))
	r.must(os.Mkdir(filepath.Join(r.dir, "empty"), 0o755))
	for i, n := range []string{"src/b.go", "a.go", "src/deep/c_test.go"} {
		at := time.Unix(1_700_000_000+int64(i), 0)
		r.must(os.Chtimes(filepath.Join(r.dir, n), at, at))
	}
	return r
}

func TestListDir(t *testing.T) {
	r := listRoom(t)
	rows := []struct{ rule, args, want string }{
		{"one level, everything", `{}`, ".git/\n.gitignore  7 B\na.go  7 B\nbuild/\nempty/\nlink -> a.go\npipe  (not a regular file)\nsrc/\n"},
		{"two levels, without what is ignored", `{"path":".","depth":2}`, ".gitignore  7 B\na.go  7 B\nempty/\nlink -> a.go\npipe  (not a regular file)\nsrc/\n  b.go  0 B\n  deep/\n"},
		{"a subdirectory", `{"dir":"src/deep"}`, "c_test.go  0 B\n"},
		{"an empty directory", `{"path":"empty/"}`, "(the directory is empty)\n"},
		{"a limit", `{"limit":2}`, ".git/\n.gitignore  7 B\n(6 more entries; list a subdirectory, or use glob)\n"},
		{"a file", `{"path":"a.go"}`, `unsupported: "a.go" is a file of 7 B, not a directory | Read it with read_file.`},
		{"a missing directory", `{"path":"sr"}`, "not_found: sr does not exist | Similar names: src"},
		{"the parent", `{"path":".."}`, "outside: .. is outside the workspace | Use a path inside " + r.dir + "; only the user can add a directory (--add-dir)"},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			if got := r.call("list_dir", row.args); got != row.want {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
		})
	}
}

func TestGlob(t *testing.T) {
	r := listRoom(t)
	none := "no match among 6 files\n(files that .gitignore excludes were not searched; send ignored: true to include them)\n"
	rows := []struct{ rule, args, want string }{
		{"at every depth", `{"pattern":"**/*.go"}`, "a.go\nsrc/b.go\nsrc/deep/c_test.go\n"},
		{"a name alone means every depth", `{"pattern":"*.go"}`, "a.go\nsrc/b.go\nsrc/deep/c_test.go\n"},
		{"one level", `{"pattern":"src/*.go"}`, "src/b.go\n"},
		{"a dot and slash", `{"pattern":"./src/*.go"}`, "src/b.go\n"},
		{"from a directory", `{"pattern":"*.go","path":"src"}`, "src/b.go\nsrc/deep/c_test.go\n"},
		{"alternatives", `{"pattern":"**/{a,b}.go"}`, "a.go\nsrc/b.go\n"},
		{"newest first", `{"pattern":"*.go","sort":"newest"}`, "src/deep/c_test.go\na.go\nsrc/b.go\n"},
		{"directories", `{"pattern":"**/d*/"}`, "src/deep/\n"},
		{"an absolute pattern", args("pattern", r.dir+"/src/**/*.go"), "src/b.go\nsrc/deep/c_test.go\n"},
		{"what is ignored", `{"pattern":"out.*","ignored":true}`, "build/out.go\n"},
		{"nothing", `{"pattern":"*.rb"}`, none},
		{"a limit", `{"pattern":"*.go","limit":1}`, "a.go\n(1 of 3 shown; narrow the pattern, or send a higher limit)\n"},
		{"dots in the pattern", `{"pattern":"../*"}`, `bad_arguments: the pattern "../*" contains .. | Send the directory as path.`},
		{"an absolute pattern outside", `{"pattern":"/etc/*"}`, "outside: /etc is outside the workspace | Use a path inside " + r.dir + "; only the user can add a directory (--add-dir)"},
		{"an invalid pattern", `{"pattern":"{a"}`, `bad_arguments: "{a" is not a valid glob | Use * ? [abc] {a,b} and **, such as "**/*_test.go".`},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			if got := r.call("glob", row.args); got != row.want {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
		})
	}
}

func TestFoundDetails(t *testing.T) {
	r := listRoom(t)
	r.put("b.go", "hit\nhit\n")
	for _, row := range []struct {
		tool, args string
		want       tool.FoundDetail
	}{
		{"list_dir", `{"limit":2}`, tool.FoundDetail{Path: ".", Shown: 2, Total: 9, More: true}},
		{"glob", `{"pattern":"*.go"}`, tool.FoundDetail{Path: ".", Pattern: "*.go", Shown: 4, Total: 4}},
		{"glob", `{"pattern":"*.go","path":"src","limit":1}`, tool.FoundDetail{Path: "src", Pattern: "*.go", Shown: 1, Total: 2, More: true}},
		{"grep", `{"pattern":"hit"}`, tool.FoundDetail{Path: ".", Pattern: "hit", Shown: 1, Lines: 2, Total: 1}},
		{"grep", `{"pattern":"hit","limit":1}`, tool.FoundDetail{Path: ".", Pattern: "hit", Shown: 1, Lines: 1, More: true}},
	} {
		r.call(row.tool, row.args)
		if got := tool.ParseDetail(r.details[len(r.details)-1]).Found; got == nil || *got != row.want {
			t.Errorf("%s %s: got %+v, want %+v", row.tool, row.args, got, row.want)
		}
	}
}

// TestNamesThatWouldShowAnotherList: a name of a file is data; it must not add lines to a result, nor change how they look.
func TestNamesThatWouldShowAnotherList(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems refuse some of these names")
	}
	r := newRoom(t)
	names := map[string]string{
		"a\nsecret.txt: 99":     `"a\nsecret.txt: 99"`,
		"esc\x1b[2Jx":           `"esc\x1b[2Jx"`,
		"turned\u202etxt.exe":   `"turned\u202etxt.exe"`,
		"not \xff utf-8":        `"not \xff utf-8"`,
		"plain and with blanks": "plain and with blanks",
		"größe-日本.txt":          "größe-日本.txt",
	}
	for name := range names {
		r.put(name, "needle\n")
	}
	for _, call := range [][2]string{{"list_dir", `{}`}, {"glob", `{"pattern":"*"}`}, {"grep", `{"pattern":"needle"}`}, {"grep", `{"pattern":"needle","output_mode":"files"}`},
		{"grep", `{"pattern":"needle","output_mode":"count"}`}} {
		got := r.call(call[0], call[1])
		for name, want := range names {
			if !strings.Contains(got, want) || name != want && strings.Contains(got, name) {
				t.Errorf("%s %s does not show %s:\n%q", call[0], call[1], want, got)
			}
		}
	}
}
