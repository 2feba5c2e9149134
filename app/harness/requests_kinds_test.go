package harness

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rein/app/schedule"
	"rein/guard"
	"rein/guard/effect"
	"rein/kit/guards"
	"rein/kit/places"
	"rein/kit/shell"
)

// otherRequests are the ids of rules that ask and have no row in requestRows, with the reason.
var otherRequests = map[string]string{
	"guard.none": "a session always has guards",
	"record.new": "a session that repeats a recorded one: app/replay",
}

// TestEveryKindOfRequestHasARow fails where a guard asks for a reason that no row of requestRows has.
func TestEveryKindOfRequestHasARow(t *testing.T) {
	rows := requestRows()
	wants := func(id, from string) {
		if otherRequests[id] == "" && !slices.ContainsFunc(rows, func(r requestRow) bool { return strings.HasPrefix(r.rule, id) }) {
			t.Errorf("%s asks by the rule %q, and no row of requestRows does", from, id)
		}
	}
	found := 0
	for _, dir := range []string{"../../app", "../../guard", "../../kit", "../../toolcall"} {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err == nil {
				for _, id := range asksBy(file) {
					wants(id, name)
					found++
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 20 {
		t.Errorf("only %d rules were found", found)
	}

	// Rules whose names are put together.
	asks := func(class effect.Class) bool {
		for mode := range guard.Full + 1 {
			if d, _ := guards.Decide(class, mode, guard.FullIsolation); d == guard.Ask {
				return true
			}
		}
		return false
	}
	for place := range places.Class(100) {
		for _, class := range []effect.Class{shell.ReadClass(place), shell.WriteClass(place)} {
			if asks(class) {
				wants("path."+class.String(), "guards.Paths")
			}
		}
	}
	for class := effect.Read; class.String() != "none"; class++ {
		if d, _ := guards.Decide(class, guard.Supervised, guard.FullIsolation); asks(class) && d == guard.Allow {
			wants("shell."+class.String(), "guards.Programs") // the others have rows in effectRows
		}
	}
	wants("host."+effect.Network.String(), "guards.Hosts")
	for loop := range reflect.TypeFor[guards.LoopLimits]().Fields() {
		if loop.Type == reflect.TypeFor[guards.Ladder]() {
			wants("loop."+strings.ToLower(strings.Replace(loop.Name, "PingPong", "ping-pong", 1)), "guards.Loops")
		}
	}
	text, err := json.Marshal((&schedule.Desk{}).Tool().Input)
	var input struct {
		Properties struct{ Action struct{ Enum []string } }
	}
	if err != nil || json.Unmarshal(text, &input) != nil || len(input.Properties.Action.Enum) == 0 {
		t.Fatalf("the actions of schedule: %v, %s", err, text)
	}
	for _, action := range input.Properties.Action.Enum {
		if action != "list" && action != "history" {
			wants("schedule."+action, "the tool schedule")
		}
	}
}

// asksBy are the ids of the rules, or what they begin with, by which the verdicts of a file may ask.
func asksBy(file *ast.File) (all []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if nameOf(n.Type) == "Verdict" && nameOf(fieldOf(n, "Decision")) != "Deny" {
				all = append(all, idsOf(fieldOf(n, "Rules"))...)
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if nameOf(left) == "Rules" && len(n.Rhs) == len(n.Lhs) && !slices.ContainsFunc(n.Rhs, func(e ast.Expr) bool { return nameOf(e) == "Deny" }) {
					all = append(all, idsOf(n.Rhs[i])...)
				}
			}
		}
		return true
	})
	return all
}

// fieldOf is the value of a field in a literal; nil where it is not set.
func fieldOf(lit *ast.CompositeLit, name string) ast.Expr {
	for _, e := range lit.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok && nameOf(pair.Key) == name {
			return pair.Value
		}
	}
	return nil
}

// nameOf is the last part of a name such as guard.Verdict.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// idsOf are the texts with which the elements of a list begin.
func idsOf(e ast.Expr) (all []string) {
	list, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	for _, one := range list.Elts {
		for sum, ok := one.(*ast.BinaryExpr); ok; sum, ok = one.(*ast.BinaryExpr) {
			one = sum.X
		}
		if lit, ok := one.(*ast.BasicLit); ok {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				all = append(all, text)
			}
		}
	}
	return all
}
