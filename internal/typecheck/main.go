// Command typecheck checks that all packages and their tests compile on other systems: typecheck linux/riscv64 darwin/arm64 …
//
// It reads everything from source and generates no code, so that a system costs seconds where a build of it costs minutes.
// What only a linker finds, it does not find.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	failed := false
	for _, target := range os.Args[1:] {
		problems, err := check(target)
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

// check gives what does not compile for a target such as windows/amd64.
func check(target string) (problems []string, err error) {
	system, processor, _ := strings.Cut(target, "/")
	all, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule | packages.NeedTypesSizes,
		Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"),
		Tests: true,
	}, "./...")
	if err != nil {
		return nil, err
	}
	packages.Visit(all, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			problems = append(problems, e.Error())
		}
	})
	slices.Sort(problems)
	return slices.Compact(problems), nil // a package is there twice: with its tests, and without
}
