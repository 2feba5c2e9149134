package house

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// The systems whose files are read. A file for one system only has imports that the others never show.
var systems = []string{"linux", "darwin", "windows", "freebsd"}

// A Module is what the checks know of a module's packages.
type Module struct {
	Dir      string // the module's root directory
	Path     string // the module's path
	Packages []Package
}

// A Package is one package of the module, over all the systems. Tests are left out.
type Package struct {
	Name    string // import path below the module's root; "" for the root
	Command bool
	Imports []Import
}

// An Import is a package that another one imports.
type Import struct {
	To     string // a package of the module as in Package.Name, any other with "std:" in front
	System string // the first of the systems on which it is imported
}

// Load lists the packages of the module in dir, as each operating system builds them.
func Load(dir string) (*Module, error) {
	m := &Module{Dir: dir}
	for _, system := range systems {
		out, err := goList(dir, system, "-json=ImportPath,Name,Imports,Module", "./...")
		if err != nil {
			return nil, err
		}
		for dec := json.NewDecoder(bytes.NewReader(out)); ; {
			var p listed
			if err := dec.Decode(&p); err == io.EOF {
				break
			} else if err != nil {
				return nil, fmt.Errorf("go list: %w", err)
			}
			m.Path = p.Module.Path
			m.add(system, p)
		}
	}
	return m, nil
}

// listed is what go list tells of a package.
type listed struct {
	ImportPath, Name string
	Imports          []string
	Module           struct{ Path string }
}

func (m *Module) add(system string, l listed) {
	name := m.below(l.ImportPath)
	i := slices.IndexFunc(m.Packages, func(p Package) bool { return p.Name == name })
	if i < 0 {
		i = len(m.Packages)
		m.Packages = append(m.Packages, Package{Name: name, Command: l.Name == "main"})
	}
	p := &m.Packages[i]
	for _, imported := range l.Imports {
		to := "std:" + imported
		if m.owns(imported) {
			to = m.below(imported)
		}
		if !slices.ContainsFunc(p.Imports, func(known Import) bool { return known.To == to }) {
			p.Imports = append(p.Imports, Import{To: to, System: system})
		}
	}
}

// goList runs go list for an operating system; "" is this machine as it is, which shares the build cache with the
// compiler's other work.
func goList(dir, system string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = dir
	cmd.Env = os.Environ()
	if system != "" {
		cmd.Env = append(cmd.Env, "GOOS="+system, "CGO_ENABLED=0")
	}
	out, err := cmd.Output()
	if failed, ok := err.(*exec.ExitError); ok {
		return nil, fmt.Errorf("go list for %s: %w: %s", system, err, failed.Stderr)
	}
	return out, err
}

func (m *Module) owns(importPath string) bool {
	return importPath == m.Path || strings.HasPrefix(importPath, m.Path+"/")
}

func (m *Module) below(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, m.Path), "/")
}
