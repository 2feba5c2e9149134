package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licensesName is the file with the licences of what a program is made of: most of them want their text beside the program.
const licensesName = "THIRD_PARTY_LICENSES"

// pageLicenses are lists of the parts of the page with their licences. The build of the page writes them.
var pageLicenses = []string{"app/server/dist/licenses.md", "app/server/dist/licenses-worker.md"}

var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)`)

// licenses returns the texts of the licences of all modules in a program, of Go itself, and of what its page is made of. A module without any is an
// error: nobody may pass it on.
func (r *release) licenses(ctx context.Context, p program) (file, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", "./cmd/rein")
	cmd.Dir, cmd.Env = r.Source, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+p.OS, "GOARCH="+p.Arch)
	list, err := cmd.Output()
	if err != nil {
		return file{}, fmt.Errorf("list the modules of %s/%s: %w", p.OS, p.Arch, err)
	}
	of, err := output(ctx, r.Source, "go", "env", "GOVERSION", "GOROOT") // this program may be built with -trimpath, and knows no directory then
	if err != nil {
		return file{}, err
	}
	version, root, _ := strings.Cut(of, "\n")
	texts := map[string][]string{}
	all := map[string][]string{"The Go programming language " + version: {root}}
	for line := range strings.Lines(string(list)) {
		module, dirs, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all[module] = append(all[module], strings.Split(dirs, "\t")...)
	}
	var names []string
	for module, dirs := range all {
		names = append(names, module)
		slices.Sort(dirs)
		for _, dir := range slices.Compact(dirs) {
			if texts[module], err = licensesIn(dir, texts[module]); err != nil {
				return file{}, err
			}
		}
		if len(texts[module]) == 0 {
			return file{}, fmt.Errorf("%s has no file with its licence", module)
		}
	}
	slices.Sort(names)
	var b bytes.Buffer
	b.WriteString("What rein is made of, with the licence of each part.\n")
	for _, name := range names {
		fmt.Fprintf(&b, "\n==== %s ====\n\n%s\n", name, strings.Join(texts[name], "\n\n"))
	}
	b.WriteString("\n==== The page of rein serve ====\n")
	for _, name := range pageLicenses {
		text, err := os.ReadFile(filepath.Join(r.Source, name))
		if err != nil {
			return file{}, err
		}
		fmt.Fprintf(&b, "\n%s", text)
	}
	return file{name: licensesName, content: b.Bytes(), mode: 0o644}, nil
}

// licensesIn adds the texts in a directory that are not there yet.
func licensesIn(dir string, texts []string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() || !licenseFile.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if plain := strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")); !slices.Contains(texts, plain) {
			texts = append(texts, plain)
		}
	}
	return texts, nil
}
