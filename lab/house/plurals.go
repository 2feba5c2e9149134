package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"
)

var (
	verb = regexp.MustCompile(`%[-+# 0]*[\d.]*[a-zA-Z%]`)

	// counts finds a number with the noun that follows it, in the plural. A noun before the number makes it a name: "line 5 is".
	counts = regexp.MustCompile(`^%d ((?:more|older|hidden|open|different|other) )?([a-z]{2,}s)\b`)

	// A number that is written because it is above a limit is above 1.
	aboveLimit = regexp.MustCompile(`(at most|limit (is|of \w+ \w+ is)) %d`)

	// What ends in s and is no noun in the plural, and units, which are written like numbers.
	noNouns = regexp.MustCompile(`^(is|was|has|as|this|times|begins|comes|differs|ends|needs|denies|approves|belongs|bytes|tokens|characters|pixels|ms)$`)

	// Names of limits. Their values are above 1, or set by somebody who then reads the message.
	limitNames = regexp.MustCompile(`(?i)^(most|max|limit|least|min|allowed)|limits?\.|\b(most|max)[A-Z]|\.(Max|Most)|^\d`)
)

// Plurals reports numbers that are written with a noun in the plural where the number may be 1: "1 files".
func (m *Module) Plurals(list *List) ([]string, error) {
	found, err := m.plurals()
	if err != nil {
		return nil, err
	}
	var problems []string
	for _, c := range found {
		if limit := list.limit(c); c.n > limit {
			problems = append(problems, fmt.Sprintf("%s writes a number with a noun in the plural, and may write \"%s\": use internal/plaintext, or compare the number with 1 (%s)",
				c.where, strings.Replace(c.what, "-", " ", 1), c.last))
		}
	}
	return problems, nil
}

func (m *Module) plurals() ([]count, error) {
	var found []count
	err := m.files(func(file string, text []byte) error {
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "testdata/") {
			return nil
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, file, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range parsed.Decls {
			singular := comparedWithOne(d)
			ast.Inspect(d, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					for _, p := range pluralsOf(call) {
						if !singular[p.number] && !limitNames.MatchString(p.number) {
							found = counted(found, file, "1-"+p.noun, fmt.Sprintf("%s:%d", file, files.Position(call.Pos()).Line))
						}
					}
				}
				return true
			})
		}
		return nil
	})
	sortCounts(found)
	return found, err
}

// plural is a noun of a format, and the expression of its number.
type plural struct{ noun, number string }

// pluralsOf reads the format of a call and finds the arguments that are written with a noun in the plural.
func pluralsOf(call *ast.CallExpr) (all []plural) {
	for i, arg := range call.Args {
		literal, ok := arg.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		format, err := strconv.Unquote(literal.Value)
		if err != nil {
			continue
		}
		next, before := i+1, 0
		for _, at := range verb.FindAllStringIndex(format, -1) {
			if format[at[1]-1] == '%' {
				continue
			}
			found := counts.FindStringSubmatch(format[at[0]:])
			if found != nil && next < len(call.Args) && !noNouns.MatchString(found[2]) && !aboveLimit.MatchString(format[at[1]:]) && !name.MatchString(format[before:at[0]]) {
				all = append(all, plural{found[2], types.ExprString(call.Args[next])})
			}
			next, before = next+1, at[1]
		}
	}
	return all
}

// A number is a name after a noun ("line 5"); after "of" it is a total; and "+1 -1 lines" are the two numbers of a diff.
var name = regexp.MustCompile(`(\b(line|message|call|chapter|event|question|byte|request|item|task|of) |-)$`)

// comparedWithOne returns the expressions that a declaration compares with 1.
func comparedWithOne(d ast.Decl) map[string]bool {
	all := map[string]bool{}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if one, ok := n.Y.(*ast.BasicLit); ok && (one.Value == "1" || one.Value == "2") {
				all[types.ExprString(n.X)] = true
			}
		case *ast.SwitchStmt:
			if n.Tag != nil {
				all[types.ExprString(n.Tag)] = true
			}
		}
		return true
	})
	return all
}
