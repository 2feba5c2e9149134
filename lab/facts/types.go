package main

// This file checks that all packages and their tests compile on other systems: types linux/riscv64 darwin/arm64 …
//
// It reads everything from source and generates no code, so that a system costs seconds where a build of it costs minutes.
// Each file is parsed once for all systems. The bodies of functions of other modules and of Go's own library are not looked at:
// they were released, and .ci/release compiles them. What only a linker finds, it does not find.

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

func checkTypes() {
	root, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	sources := &sources{root: root + string(filepath.Separator), positions: token.NewFileSet()}
	failed := false
	for _, target := range os.Args[1:] {
		problems, err := sources.check(target)
		if err != nil {
			problems = []string{err.Error()}
		}
		for _, p := range problems {
			failed = true
			fmt.Fprintf(os.Stderr, "%s: %s\n", target, p)
		}
	}
	if failed {
		os.Exit(1)
	}
}

// sources are the files that were parsed so far.
type sources struct {
	root      string // the directory of the module
	positions *token.FileSet
	parsed    sync.Map // of path to func() (*ast.File, error)
}

// parse parses a file, or gives what an earlier system parsed. What it gives is only read.
func (s *sources) parse(positions *token.FileSet, path string, text []byte) (*ast.File, error) {
	parse, _ := s.parsed.LoadOrStore(path, sync.OnceValues(func() (*ast.File, error) {
		f, err := parser.ParseFile(positions, path, text, parser.SkipObjectResolution)
		if err == nil && !strings.HasPrefix(path, s.root) {
			dropBodies(f)
		}
		return f, err
	}))
	return parse.(func() (*ast.File, error))()
}

// dropBodies removes the bodies of functions, but where the type checker wants one: in generic functions and init.
func dropBodies(f *ast.File) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Type.TypeParams == nil && fn.Name.Name != "init" {
			fn.Body = nil
		}
	}
}

// check returns what does not compile for a target such as windows/amd64.
func (s *sources) check(target string) (problems []string, err error) {
	system, processor, _ := strings.Cut(target, "/")
	all, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedModule | packages.NeedTypesSizes,
		Env:       append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"),
		Tests:     true,
		Fset:      s.positions,
		ParseFile: s.parse,
	}, "./...")
	if err != nil {
		return nil, err
	}
	packages.Visit(all, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			if !strings.HasPrefix(e.Pos, s.root) && strings.HasSuffix(e.Msg, " and not used") {
				continue // by what is left without bodies
			}
			problems = append(problems, e.Error())
		}
	})
	slices.Sort(problems)
	return slices.Compact(problems), nil // a package is there twice: with its tests, and without
}
