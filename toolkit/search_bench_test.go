package toolkit

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rein/tool"
	"rein/workspace"
)

// benchTree makes 10,000 source files of 4 to 12 KB in 500 directories, with a rare word in three of them.
func benchTree(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	text := "func (s *Server) handle(w http.ResponseWriter, r *http.Request) error {\n\tif err := s.check(r); err != nil {\n\t\treturn fmt.Errorf(\"check %s: %w\", r.URL, err)\n\t}\n\treturn nil\n}\n\n"
	for i := range 10_000 {
		sub := filepath.Join(dir, fmt.Sprintf("pkg%d", i%500/25), fmt.Sprintf("mod%d", i%500))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			b.Fatal(err)
		}
		body := strings.Repeat(text, 25+i%50)
		if i%4000 == 7 {
			body += "var zebraCrossing = 1\n"
		}
		if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("file%d.go", i)), []byte(body), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*.o\nnode_modules/\n/bin/\n*.test\n[56].out\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	return dir
}

func benchFiles(b *testing.B) (string, Files) {
	b.Helper()
	dir := benchTree(b)
	w, err := workspace.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { w.Close() })
	return dir, Files{Workspace: w}
}

// BenchmarkGrep10000 compares with ripgrep where it is installed.
func BenchmarkGrep10000(b *testing.B) {
	dir, f := benchFiles(b)
	grep := f.Grep()
	for _, row := range []struct{ name, pattern string }{
		{"literal", "zebraCrossing"}, {"fold", "(?i)zebracrossing"}, {"either", "zebraCrossing|lionCrossing"}, {"class", `zebra[A-Z]\w+ing`}, {"words", `\w+ebra\w+`}, {"no needle", `[xyz][0-9][0-9]`},
	} {
		b.Run(row.name+"/rein", func(b *testing.B) {
			for b.Loop() {
				run(b, grep, args("pattern", row.pattern))
			}
		})
		if rg, err := exec.LookPath("rg"); err == nil {
			b.Run(row.name+"/ripgrep", func(b *testing.B) {
				for b.Loop() {
					_ = exec.Command(rg, "-n", "--hidden", row.pattern, dir).Run()
				}
			})
		}
	}
}

func run(b *testing.B, t *tool.Tool, args string) {
	b.Helper()
	if err := t.Run(context.Background(), []byte(args), tool.NewReply(tool.ReplyOptions{})); err != nil {
		b.Fatal(err)
	}
}
