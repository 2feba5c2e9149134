package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"rein/internal/plaintext"
)

// publish gives the module another path: in the go.mod, in imports, and wherever a text names a package. It works on the files that git
// tracks, then builds and vets everything, and says what is left to do by hand.
func publish() {
	flags := flag.NewFlagSet("publish", flag.ExitOnError)
	to := flags.String("module", "", "the new path of the module, such as example.org/you/rein")
	dir := flags.String("to", "", "a directory that does not exist: the renamed copy comes there; without it the checkout itself is changed")
	_ = flags.Parse(os.Args[1:])
	if err := renameModule(*to, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "publish:", err)
		os.Exit(1)
	}
}

func renameModule(to, dir string) error {
	if !regexp.MustCompile(`^[a-z0-9.-]+\.[a-z]+(/[A-Za-z0-9._~-]+)+$`).MatchString(to) {
		return fmt.Errorf("%q is no path for -module: a host and a path, such as example.org/you/rein", to)
	}
	from, err := output(".", "go", "list", "-m")
	if err != nil {
		return err
	}
	if dir == "" {
		changed, err := output(".", "git", "status", "--porcelain")
		if err != nil || changed != "" {
			return errors.Join(errors.New("the checkout has changes that are not committed: commit them, or name another directory with -to"), err)
		}
		dir = "."
	} else if err := copyTracked(dir); err != nil {
		return err
	}
	n, err := rewrite(dir, from, to)
	if err != nil {
		return err
	}
	fmt.Printf("%s is now %s in %s\n", from, to, plaintext.Counted(n, "file"))
	for _, args := range [][]string{{"build", "./..."}, {"vet", "./..."}, {"test", ".", "-run=TestTheGuide", "-update"}} { // the last writes documents
		if _, err := output(dir, "go", args...); err != nil {
			return err
		}
	}
	fmt.Print("It builds. By hand:\n",
		"  docs/library.md: the paragraph on the address of the module; \"go get "+to+"\" takes the place of its command\n",
		"  README.md: the line that installs it\n",
		"  a version, as a tag of git: v0.1.0; without one, users get a version made of the commit\n")
	return nil
}

// copyTracked copies what git tracks into a new directory, and makes it a repository: tests ask git for its files.
func copyTracked(dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("%s exists", dir)
	}
	_, err := output(".", "git", "clone", "--quiet", ".", dir)
	return err
}

// rewrite replaces the path of the module in the files that git tracks, and returns in how many. A name is one of a package where it
// stands alone and a package of that name is there.
func rewrite(dir, from, to string) (changed int, err error) {
	out, err := output(dir, "git", "ls-files", "-z")
	if err != nil {
		return 0, err
	}
	top := map[string]bool{}
	names := strings.Split(strings.TrimRight(out, "\x00"), "\x00")
	for _, name := range names {
		if first, _, ok := strings.Cut(name, "/"); ok && strings.HasSuffix(name, ".go") {
			top[regexp.QuoteMeta(first)] = true
		}
	}
	var tops []string
	for name := range top {
		tops = append(tops, name)
	}
	packages := regexp.MustCompile(`(^|[^\w./@$~-])` + regexp.QuoteMeta(from) + `/(` + strings.Join(tops, "|") + `)\b`)
	module := regexp.MustCompile(`(?m)^module ` + regexp.QuoteMeta(from) + `$`)
	root := regexp.MustCompile(`(?m)^(\t|import )"` + regexp.QuoteMeta(from) + `"$`) // an import of the package at the root
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return changed, err
		}
		if bytes.IndexByte(text, 0) >= 0 {
			continue
		}
		renamed := packages.ReplaceAll(text, []byte("${1}"+to+"/${2}"))
		renamed = module.ReplaceAll(renamed, []byte("module "+to))
		renamed = root.ReplaceAll(renamed, []byte(`${1}"`+to+`"`))
		if bytes.Equal(renamed, text) {
			continue
		}
		changed++
		if err := os.WriteFile(path, renamed, info.Mode()); err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// output runs a program in a directory. What it says of its failure is in the error.
func output(dir, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir = dir
	out, err := c.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, failed.Stderr)
	}
	return strings.TrimRight(string(out), "\n "), err
}
