package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"strings"
)

// starts are what starts a program. Each use is listed in calls.txt with its reason: rein starts no program outside the
// sandbox but its own binary.
var starts = map[string]bool{
	"exec.Command": true, "exec.CommandContext": true, "exec.Cmd": true, "os.StartProcess": true,
	"syscall.ForkExec": true, "syscall.StartProcess": true, "syscall.Exec": true, "unix.Exec": true,
}

// opens are what opens a file and may wait forever when the path leads to a pipe. Each use in the packages that opens
// covers is listed in calls.txt with its reason. Opening with a flag of waitless never waits.
var opens = map[string]bool{
	"os.Open": true, "os.OpenFile": true, "os.ReadFile": true, "os.Create": true, "os.WriteFile": true, "os.OpenRoot": true,
	"unix.Open": true, "unix.Openat": true, "syscall.Open": true, "OpenRoot": true, "OpenFile": true,
}

// untrusted are the packages that open paths which programs may change.
var untrusted = []string{"kit/workspace", "kit/tools/...", "kit/sandbox/...", "kit/network", "app/harness", "app/settings", "app/inbox", "app/sessions",
	"app/memory", "app/schedule", "app/extend", "app/catalogue", "app/notify"}

// waitless are parts of an expression with which an open does not wait: a flag, or a name that only a directory has.
var waitless = []string{"noWait", "O_NONBLOCK", "O_EXCL", "O_PATH", "O_DIRECTORY", "O_TMPFILE", `"/."`, "onlyDir", "/proc/", `"."`, "os.DevNull"}

// Calls reports uses of calls that start programs or may wait forever, by package, above the count that the list allows.
func (m *Module) Calls(list *List) ([]string, error) {
	found, err := m.calls()
	if err != nil {
		return nil, err
	}
	var problems []string
	for _, c := range found {
		if allowed := list.limit(c); c.n > allowed {
			advice := "start it in the sandbox"
			if !starts[c.what] {
				advice = "a pipe may lie there: use internal/plainfile, or a flag that does not wait"
			}
			problems = append(problems, fmt.Sprintf("%s uses %s %d times, at most %d: %s (last in %s)", c.where, c.what, c.n, allowed, advice, c.last))
		}
	}
	return problems, nil
}

// calls counts, for each package, the calls that must be listed.
func (m *Module) calls() ([]count, error) {
	var all []count
	for _, p := range m.Packages {
		if p.Name == "lab/house" {
			continue
		}
		files, err := filepath.Glob(filepath.Join(m.Dir, p.Name, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				if what := listedCall(n, covers(untrusted, p.Name)); what != "" {
					all = counted(all, p.Name, what, path.Base(file))
				}
				return true
			})
		}
	}
	return all, nil
}

// listedCall names the call, or the composite literal, if it must be listed.
func listedCall(n ast.Node, files bool) string {
	switch n := n.(type) {
	case *ast.CompositeLit:
		if n.Type != nil && starts[types.ExprString(n.Type)] {
			return types.ExprString(n.Type)
		}
	case *ast.CallExpr:
		selector, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return ""
		}
		name := types.ExprString(selector)
		if starts[name] {
			return name
		}
		if !files || neverWaits(n) {
			return ""
		}
		if !opens[name] && opens[selector.Sel.Name] {
			name = selector.Sel.Name // a method of a directory
		}
		if opens[name] {
			return name
		}
	}
	return ""
}

// neverWaits reports whether an open has a flag, or a name, with which it does not wait.
func neverWaits(n *ast.CallExpr) bool {
	for _, arg := range n.Args {
		text := types.ExprString(arg)
		for _, part := range waitless {
			if strings.Contains(text, part) {
				return true
			}
		}
	}
	return false
}

func counted(all []count, where, what, file string) []count {
	for i := range all {
		if all[i].where == where && all[i].what == what {
			all[i].n++
			all[i].last = file
			return all
		}
	}
	return append(all, count{where: where, what: what, n: 1, last: file})
}
