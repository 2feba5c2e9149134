package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rein/app/tui/text"
)

// commandRows are the English forms of the table of what commands print.
func commandRows(t *testing.T) (forms []string) {
	table, err := os.ReadFile("../../app/tui/text/commands.zh.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		english, _, ok := strings.Cut(line, " = ")
		if !ok {
			t.Errorf("%q is no row", line)
		}
		forms = append(forms, english)
	}
	return forms
}

// englishErrors are messages whose form is not that of a row.
var englishErrors = []string{
	"… …f the attempts pass",
}

// ofLibraries are the texts of rows that libraries have.
var ofLibraries = []string{"Generate the autocompletion script for the specified shell", "Usage", "Aliases", "Examples", "Available Commands",
	"Additional Commands", "Flags", "Global Flags", "Additional help topics", `Use "{{.CommandPath}} [command] --help" for more information about a command.`}

// TestErrorsOfCommandsAreTranslated: each error of the command line and of the settings has Chinese words; and each row is of
// a text of the program.
func TestErrorsOfCommandsAreTranslated(t *testing.T) {
	texts, messages, err := errorTexts()
	if err != nil {
		t.Fatal(err)
	}
	chinese, seen := text.WordsIn("zh"), 0
	for _, dir := range []string{"cmd/rein", "app/settings"} {
		for _, message := range messages[dir] {
			if !regexp.MustCompile(`[a-z]{3}`).MatchString(message) || slices.ContainsFunc(englishErrors, func(s string) bool { return strings.HasPrefix(message, s) }) {
				continue
			}
			seen++
			for line := range strings.SplitSeq(message, "\n") {
				filled := strings.ReplaceAll(line, "…", "x1")
				if len(line) > len("…") && chinese.Command(line) == line && chinese.Command(filled) == filled {
					t.Errorf("%s: %q has no row in text/commands.zh.txt", dir, line)
				}
			}
		}
	}
	if seen < 150 {
		t.Errorf("%d messages were found: the search is wrong", seen)
	}
	all, engines := strings.Builder{}, "../../kit/tools/web/setup.go"
	if source, err := os.ReadFile(engines); err != nil {
		t.Fatal(err)
	} else {
		all.Write(source)
	}
	for _, of := range texts {
		all.WriteString(of)
	}
	code := strings.Join(strings.Fields(all.String()), " ")
	for _, form := range commandRows(t) {
		for part := range strings.SplitSeq(form, "%") {
			if part = strings.Join(strings.Fields(strings.Trim(part, " :")), " "); !strings.Contains(code, part) && !slices.Contains(ofLibraries, part) {
				t.Errorf("no text of the program has %q, of the row %q", part, form)
			}
		}
	}
}

// TestTheDoctorIsTranslated: each text of the doctor, of what a sandbox enforces and of the search engines is in the table.
func TestTheDoctorIsTranslated(t *testing.T) {
	files, err := filepath.Glob("doctor*.go")
	if err != nil {
		t.Fatal(err)
	}
	forms, verbs, found := strings.Join(commandRows(t), "\n")+"\n", regexp.MustCompile(`%[+#]?[a-z]\b`), 0
	same := []string{"rein-doctor-", "seccomp: ", "google-chrome-stable ", "maim ", "gnome-screenshot ", ": for ", "%s, %s, %s/%s"} // names
	var name string
	check := func(lit *ast.BasicLit, kind string) {
		english, err := strconv.Unquote(lit.Value)
		if lit.Kind != token.STRING || err != nil || !regexp.MustCompile(kind).MatchString(english) || slices.ContainsFunc(same, func(s string) bool { return strings.Contains(english, s) }) {
			return
		}
		if found++; !strings.Contains(forms, strings.TrimSpace(verbs.ReplaceAllString(english, "%"))) {
			t.Errorf("%s: %q has no row in text/commands.zh.txt", name, english)
		}
	}
	for _, name = range append(files, "../../kit/sandbox/box_report.go", "../../kit/tools/web/setup.go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec, *ast.StructType:
				return false
			case *ast.FuncDecl:
				return n.Name.Name != "newDoctor" && n.Name.Name != "Gaps" && n.Name.Name != "open"
			case *ast.CompositeLit:
				if kind, ok := n.Type.(*ast.Ident); ok && kind.Name == "finding" {
					for _, e := range n.Elts {
						if lit, ok := e.(*ast.BasicLit); ok && lit.Value != `"rein"` {
							check(lit, `[a-z]`)
						}
					}
				}
			case *ast.BasicLit:
				check(n, `[a-z]{2,}.* .*[a-z]{2}| [a-z]+ $`)
			}
			return true
		})
	}
	if found < 80 {
		t.Errorf("%d texts were found: the search is wrong", found)
	}
}

// TestHelpIsInTheLanguage: summaries, headings and the text of rein itself are Chinese, flags are not.
func TestHelpIsInTheLanguage(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	t.Setenv("LC_ALL", "")
	t.Setenv("LC_MESSAGES", "")
	help := func(language string) string {
		t.Setenv("LANG", language)
		var out strings.Builder
		c := newRoot("")
		c.SetOut(&out)
		execute(t.Context(), c, []string{"--help"})
		return out.String()
	}
	if out := help("zh_CN.UTF-8"); !strings.Contains(out, "\n设置和检查：\n") || !strings.Contains(out, "完成一个任务并打印回答") || strings.Contains(out, "Usage:") || strings.Contains(out, "Flags:") || strings.Contains(out, "for more information") ||
		!strings.Contains(out, "\n用法：\n  rein ") || !strings.Contains(out, "rein [command] --help") {
		t.Error(out)
	}
	if out := help("C"); regexp.MustCompile(`\p{Han}`).MatchString(out) {
		t.Error(out)
	}
}
