package main

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// The formulas of package managers, with the names and the checksums of the archives, and the script that installs without one.
//
//go:embed templates/*.tmpl
var formulaTexts embed.FS

// formulas writes a formula for Homebrew and manifests for Scoop and winget, where all of their systems are released, Dockerfiles
// and install.sh.
func (r *release) formulas() error {
	sums := map[string]string{} // by system
	for _, system := range r.Systems {
		os_, arch, _ := strings.Cut(system, "/")
		ending := ".tar.gz"
		if os_ == "windows" {
			ending = ".zip"
		}
		sum, err := sumOf(filepath.Join(r.Out, r.name(program{OS: os_, Arch: arch})+ending))
		if err != nil {
			return err
		}
		sums[system] = sum
	}
	all, err := fs.Glob(formulaTexts, "templates/*.tmpl")
	for _, name := range all {
		err = errors.Join(err, r.formula(name, sums))
	}
	return err
}

// errLeftOut ends a formula whose systems are not all released.
var errLeftOut = errors.New("not released")

func (r *release) formula(name string, sums map[string]string) error {
	t, err := template.New(filepath.Base(name)).Funcs(template.FuncMap{
		"sum": func(system string) (string, error) {
			if sums[system] == "" {
				return "", errLeftOut
			}
			return sums[system], nil
		},
		"upper": strings.ToUpper,
	}).ParseFS(formulaTexts, name)
	if err != nil {
		return err
	}
	var b strings.Builder
	plain := strings.TrimPrefix(r.Version, "v")
	switch err := t.Execute(&b, map[string]string{"Version": plain, "URL": r.URL, "Home": r.Home}); {
	case errors.Is(err, errLeftOut):
		return nil
	case err != nil:
		return err
	}
	return os.WriteFile(filepath.Join(r.Out, strings.TrimSuffix(filepath.Base(name), ".tmpl")), []byte(b.String()), 0o644)
}
