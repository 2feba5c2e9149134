package house

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var tighten = flag.Bool("tighten", false, "lower the numbers in sizes.txt and words.txt to what is there; never raises one")

func TestTheModule(t *testing.T) {
	m := load(t, "../..")
	t.Run("imports go down", func(t *testing.T) { report(t, m.Imports()) })
	t.Run("public packages show no internal type", func(t *testing.T) { report(t, must(m.Exported())(t)) })
	t.Run("sizes", func(t *testing.T) { lists(t, "sizes.txt", m.sizes, m.Sizes) })
	t.Run("calls", func(t *testing.T) { lists(t, "calls.txt", m.calls, m.Calls) })
	t.Run("plurals", func(t *testing.T) { lists(t, "plurals.txt", m.plurals, m.Plurals) })
	t.Run("words", func(t *testing.T) { lists(t, "words.txt", m.words, m.Words) })
}

// TestFixtures runs the checks over small modules that break one rule each. Each archive holds a module and a file
// "want": the problems that must be reported, all of them.
func TestFixtures(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, file := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, dir := "", t.TempDir()
			for _, f := range archive.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				full := filepath.Join(dir, f.Name)
				if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(full, f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			m := load(t, dir)
			got := m.Imports()
			got = append(got, must(m.Exported())(t)...)
			got = append(got, must(m.Sizes(&List{}))(t)...)
			got = append(got, must(m.Calls(&List{}))(t)...)
			got = append(got, must(m.Plurals(&List{}))(t)...)
			got = append(got, must(m.Words(&List{}))(t)...)
			if text := strings.Join(got, "\n") + "\n"; text != want {
				t.Errorf("reported:\n%swant:\n%s", text, want)
			}
		})
	}
}

// A number of a list goes down and never up.
func TestTighten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "list.txt")
	if err := os.WriteFile(file, []byte("# heading\nb files 30 why\na files 40\nc files 50\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	list := must(ReadList(file))(t)
	if err := list.Tighten([]count{{where: "a", what: "files", n: 35}, {where: "b", what: "files", n: 99}}); err != nil {
		t.Fatal(err)
	}
	if got, want := string(must(os.ReadFile(file))(t)), "# heading\na files 35\nb files 30 why\n"; got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}

func lists(t *testing.T, file string, count func() ([]count, error), check func(*List) ([]string, error)) {
	list := must(ReadList(file))(t)
	if *tighten {
		if err := list.Tighten(must(count())(t)); err != nil {
			t.Fatal(err)
		}
	}
	report(t, must(check(list))(t))
}

func load(t *testing.T, dir string) *Module {
	t.Helper()
	return must(Load(dir))(t)
}

func report(t *testing.T, problems []string) {
	t.Helper()
	for _, p := range problems {
		t.Error(p)
	}
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
