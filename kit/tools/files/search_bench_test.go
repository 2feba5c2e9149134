package files

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rein/kit/workspace"
	"rein/tool"
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

func benchFiles(b *testing.B) (string, Tools) {
	b.Helper()
	dir := benchTree(b)
	w, err := workspace.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { w.Close() })
	return dir, Tools{Workspace: w}
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

func BenchmarkGlob10000(b *testing.B) {
	_, f := benchFiles(b)
	for _, sort := range []string{"path", "newest"} {
		b.Run(sort, func(b *testing.B) {
			for b.Loop() {
				run(b, f.Glob(), args("pattern", "**/file77*.go", "sort", sort))
			}
		})
	}
}

func BenchmarkListDir(b *testing.B) {
	_, f := benchFiles(b)
	for b.Loop() {
		run(b, f.ListDir(), args("path", "pkg3", "depth", 2))
	}
}

// BenchmarkWindow reads 200 lines at line 400,000 of a 50 MB log: the first time in a session, and again.
func BenchmarkWindow(b *testing.B) {
	dir := b.TempDir()
	line := "2026-11-20T10:00:00Z level=info message=\"handled\" path=/api/v1/things status=200 took=12ms request=0123456789\n"
	if err := os.WriteFile(filepath.Join(dir, "log"), []byte(strings.Repeat(line, (50<<20)/len(line))), 0o644); err != nil {
		b.Fatal(err)
	}
	window := args("path", "log", "offset", 400_000, "limit", 200)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			w, err := workspace.Open(dir)
			if err != nil {
				b.Fatal(err)
			}
			run(b, Tools{Workspace: w}.ReadFile(), window)
			w.Close()
		}
	})
	w, err := workspace.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	b.Run("again", func(b *testing.B) {
		read := Tools{Workspace: w}.ReadFile()
		for b.Loop() {
			run(b, read, window)
		}
	})
	b.Run("sed", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("sed", "-n", "400000,400199p;400200q", filepath.Join(dir, "log")).Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
