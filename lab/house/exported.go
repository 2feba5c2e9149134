package house

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"strings"
)

// Exported reports exported identifiers of public packages that mention a type of an internal package: a user of
// the module could not name that type. It reads the compiler's export data for this machine's system.
func (m *Module) Exported() ([]string, error) {
	files, err := m.exportData()
	if err != nil {
		return nil, err
	}
	read := importer.ForCompiler(token.NewFileSet(), "gc", func(importPath string) (io.ReadCloser, error) {
		return os.Open(files[importPath])
	})
	var found []string
	for _, p := range m.Packages {
		full := strings.TrimSuffix(m.Path+"/"+p.Name, "/")
		if p.Command || !isPublic(p.Name) || files[full] == "" { // no file: not built on this machine
			continue
		}
		pkg, err := read.Import(full)
		if err != nil {
			return nil, err
		}
		for _, name := range pkg.Scope().Names() {
			if object := pkg.Scope().Lookup(name); object.Exported() {
				s := &shown{module: m, home: pkg, seen: map[types.Type]bool{}}
				s.object(object)
				for _, leak := range distinct(s.leaks) {
					found = append(found, fmt.Sprintf("%s.%s shows %s, which no user can name", p.Name, name, leak))
				}
			}
		}
	}
	return found, nil
}

func (m *Module) exportData() (map[string]string, error) {
	out, err := goList(m.Dir, "", "-export", "-deps", "-json=ImportPath,Export", "./...")
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ ImportPath, Export string }
		if err := dec.Decode(&p); err == io.EOF {
			return files, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		files[p.ImportPath] = p.Export
	}
}

func isInternal(name string) bool {
	return strings.Contains("/"+name+"/", "/internal/")
}

// shown walks what a user sees of one identifier.
type shown struct {
	module *Module
	home   *types.Package
	seen   map[types.Type]bool
	leaks  []string
}

func (s *shown) object(o types.Object) {
	if name, ok := o.(*types.TypeName); ok {
		s.declared(name.Type())
		return
	}
	s.mention(o.Type())
}

// declared walks a type where it is declared: its structure and its exported methods, also the promoted ones.
func (s *shown) declared(t types.Type) {
	if alias, ok := t.(*types.Alias); ok {
		s.mention(alias.Rhs())
		return
	}
	if s.seen[t] {
		return
	}
	s.seen[t] = true
	s.mention(t.Underlying())
	methods := types.NewMethodSet(types.NewPointer(t))
	if types.IsInterface(t) {
		methods = types.NewMethodSet(t)
	}
	for i := range methods.Len() {
		if method := methods.At(i).Obj(); method.Exported() {
			s.mention(method.Type())
		}
	}
	if named, ok := t.(*types.Named); ok {
		for i := range named.TypeParams().Len() {
			s.mention(named.TypeParams().At(i).Constraint())
		}
	}
}

// mention walks a type where it is used.
func (s *shown) mention(t types.Type) {
	switch t := t.(type) {
	case *types.Named:
		s.named(t)
	case *types.Alias:
		s.mention(types.Unalias(t))
	case *types.Signature:
		s.mention(t.Params())
		s.mention(t.Results())
		for i := range t.TypeParams().Len() {
			s.mention(t.TypeParams().At(i).Constraint())
		}
	case *types.Tuple:
		for i := range t.Len() {
			s.mention(t.At(i).Type())
		}
	case *types.Struct:
		for i := range t.NumFields() {
			if field := t.Field(i); field.Exported() || field.Embedded() && s.local(field.Type()) {
				s.mention(field.Type())
			}
		}
	case *types.Interface:
		for i := range t.NumMethods() {
			if method := t.Method(i); method.Exported() {
				s.mention(method.Type())
			}
		}
		for i := range t.NumEmbeddeds() {
			s.mention(t.EmbeddedType(i))
		}
	case *types.Union:
		for i := range t.Len() {
			s.mention(t.Term(i).Type())
		}
	case *types.Map:
		s.mention(t.Key())
		s.mention(t.Elem())
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		s.mention(t.Elem())
	}
}

// named reports an internal type. It looks into an unexported type of the package itself, whose exported fields and
// methods a user reaches; an exported one is walked where it is declared.
func (s *shown) named(t *types.Named) {
	for i := range t.TypeArgs().Len() {
		s.mention(t.TypeArgs().At(i))
	}
	object := t.Obj()
	switch {
	case object.Pkg() == nil:
	case s.module.owns(object.Pkg().Path()) && isInternal(object.Pkg().Path()):
		s.leaks = append(s.leaks, s.module.below(object.Pkg().Path())+"."+object.Name())
	case object.Pkg() == s.home && !object.Exported():
		s.declared(t)
	}
}

func (s *shown) local(t types.Type) bool {
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, ok := t.(*types.Named)
	return ok && named.Obj().Pkg() == s.home
}
