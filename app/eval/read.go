package eval

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"rein/app/settings"
	"rein/internal/plainfile"
	"rein/kit/script"
)

// Read reads the cases of a directory, with those below it, or of one file. Names of files end in .yaml or .yml; names that begin with a dot or
// an underscore, and directories that cases name as their workspace, are left out. All that is wrong is one error, with file and line. Instances
// of other formats are read too: see adapters.go.
func Read(path string) ([]*Case, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		cases, err := readFile(path)
		return checked(path, cases, err)
	}
	if read := adapterOf(path); read != nil {
		cases, err := read(path)
		return checked(path, cases, err)
	}
	var files []string
	err = filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		ext := filepath.Ext(name)
		switch hidden := strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_"); {
		case err != nil:
			return err
		case hidden && e.IsDir() && name != path:
			return fs.SkipDir
		case !hidden && e.Type().IsRegular() && (ext == ".yaml" || ext == ".yml"):
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	cases, err := readAll(files)
	return checked(path, cases, err)
}

// readAll reads files that are not within the workspace of a case of another one.
func readAll(files []string) ([]*Case, error) {
	var all []*Case
	var wrong []error
	workspaces := map[string]bool{}
	slices.SortStableFunc(files, func(a, b string) int { // a case stands above its workspace
		return strings.Count(a, string(filepath.Separator)) - strings.Count(b, string(filepath.Separator))
	})
	for _, file := range files {
		if within(file, workspaces) {
			continue
		}
		cases, err := readFile(file)
		wrong = append(wrong, err)
		for _, c := range cases {
			if c.Workspace.Dir != "" {
				workspaces[filepath.Join(c.dir, c.Workspace.Dir)] = true
			}
		}
		all = append(all, cases...)
	}
	return all, errors.Join(wrong...)
}

func within(file string, dirs map[string]bool) bool {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if dirs[dir] {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// checked refuses names that are there twice, and no cases at all. path is where they are from.
func checked(path string, all []*Case, err error) ([]*Case, error) {
	if err != nil {
		return nil, err
	}
	first := map[string]*Case{}
	for _, c := range all {
		if other := first[c.Name]; other != nil {
			return nil, fmt.Errorf("%s:%d: the name %q is taken: see %s:%d", c.file, c.line, c.Name, other.file, other.line)
		}
		first[c.Name] = c
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there are no cases in %s", path)
	}
	return all, nil
}

func readFile(file string) ([]*Case, error) {
	text, err := plainfile.ReadNamed(file)
	if err != nil {
		return nil, err
	}
	cases, err := Parse(file, text)
	if err != nil {
		return nil, err
	}
	for _, c := range cases {
		if err := c.digest(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", c.file, c.line, err)
		}
	}
	return cases, nil
}

// Parse reads the cases of a YAML file, a document each; file is its name. An unknown key is an error, and so is a value that cannot be
// meant. Errors begin with file and line.
func Parse(file string, text []byte) ([]*Case, error) {
	var all []*Case
	var wrong []error
	strict, plain := yaml.NewDecoder(bytes.NewReader(text)), yaml.NewDecoder(bytes.NewReader(text))
	strict.KnownFields(true)
	for {
		c, node := &Case{file: file, dir: filepath.Dir(file)}, new(yaml.Node)
		if err := plain.Decode(node); err != nil {
			if err != io.EOF {
				wrong = append(wrong, plainly(file, err)...)
			}
			return all, errors.Join(wrong...)
		}
		c.line = firstLine(node)
		c.raw, _ = yaml.Marshal(node) // it was just read
		if err := strict.Decode(c); err != nil {
			wrong = append(wrong, plainly(file, err)...)
		} else {
			wrong = append(wrong, c.check(node)...)
		}
		all = append(all, c)
	}
}

func firstLine(n *yaml.Node) int {
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		return n.Content[0].Line
	}
	return n.Line
}

// fault is an error at a line of a case.
func (c *Case) fault(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", c.file, firstLine(n), fmt.Errorf(format, args...))
}

// check returns what is wrong with the values of a case; n is its document.
func (c *Case) check(n *yaml.Node) []error {
	var wrong []error
	fault := func(at *yaml.Node, format string, args ...any) { wrong = append(wrong, c.fault(at, format, args...)) }
	if c.Name == "" || strings.ContainsAny(c.Name, "\n\t") {
		fault(n, "a case needs a name, of one line")
	}
	if len(c.steps()) == 0 && c.User == nil {
		fault(n, "a case needs a prompt, a conversation or a user")
	}
	if c.Prompt != "" && len(c.Conversation) > 0 {
		fault(at(n, "conversation"), "a case has a prompt or a conversation, not both")
	}
	if len(c.Checks) == 0 {
		fault(n, "a case needs checks")
	}
	if c.Workspace.Dir != "" && c.Workspace.Git != nil {
		fault(at(n, "workspace"), "a workspace has dir or git, not both")
	}
	if _, err := settings.Mode(cmp.Or(c.Mode, usualMode)); err != nil {
		fault(at(n, "mode"), "%v", err)
	}
	for i, s := range c.Conversation {
		if k := s.kinds(); k != 1 {
			fault(at(n, "conversation", i), "a step has exactly one of say, undo, redo, mode, compact, restart, write, run; this one has %d", k)
		}
	}
	for i := range c.Checks {
		if err := c.Checks[i].valid(); err != nil {
			fault(at(n, "checks", i), "%v", err)
		}
	}
	for i := range c.Tools {
		if _, err := c.Tools[i].tool(); err != nil {
			fault(at(n, "tools", i), "%v", err)
		}
	}
	if c.Script != nil {
		if text, err := yaml.Marshal(at(n, "script")); err == nil {
			if _, err := script.Parse(text); err != nil {
				fault(at(n, "script"), "the script: %v", err)
			}
		}
	}
	for _, files := range []Files{c.Workspace.Files, c.Hidden} {
		for _, name := range files.names() {
			if !filepath.IsLocal(filepath.FromSlash(name)) {
				fault(n, "the file %q is outside of the workspace", name)
			}
		}
	}
	return wrong
}

// usualMode is the mode of cases and configurations that name none.
const usualMode = "supervised"

func (s Step) kinds() (n int) {
	for _, set := range []bool{s.Say != "", s.Undo > 0, s.Redo > 0, s.Mode != "", s.Compact != "", s.Restart, s.Write != nil, s.Run != ""} {
		if set {
			n++
		}
	}
	return n
}

func (f Files) names() []string {
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// at returns the node at a path of keys and numbers; the last one that is there, when it ends before.
func at(n *yaml.Node, path ...any) *yaml.Node {
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
	for _, step := range path {
		switch step := step.(type) {
		case string:
			for i := 0; i+1 < len(n.Content); i += 2 {
				if n.Kind == yaml.MappingNode && n.Content[i].Value == step {
					n = n.Content[i+1]
					break
				}
			}
		case int:
			if n.Kind == yaml.SequenceNode && step < len(n.Content) {
				n = n.Content[step]
			}
		}
	}
	return n
}

var (
	lineOf       = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^line (\d+): `) })
	unknownField = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`field (\S+) not found in type \w+\.(\w+)`) })
	wrongType    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`cannot unmarshal !!\w+ (.*) into \S+`) })
)

// plainly returns what the YAML package found, a line each, as file:line and without the names of Go's types.
func plainly(file string, err error) (all []error) {
	for line := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "unmarshal errors:\n  "), "\n  ") {
		where := file + ": "
		if m := lineOf().FindStringSubmatch(line); m != nil {
			where, line = file+":"+m[1]+": ", strings.TrimPrefix(line, m[0])
		}
		line = unknownField().ReplaceAllStringFunc(line, func(found string) string {
			m := unknownField().FindStringSubmatch(found)
			return fmt.Sprintf("there is no key %q here (%s)", m[1], words(m[2]))
		})
		all = append(all, errors.New(where+wrongType().ReplaceAllString(line, "$1 is not a value for this key")))
	}
	return all
}

// words writes the name of a type as words: FileCheck is "file check".
func words(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// digest computes the sum of everything that the case is: its text, and the names and contents of its workspace. A branch of a repository
// may be another commit tomorrow: such a case has no sum.
func (c *Case) digest() error {
	h := sha256.New()
	h.Write(c.raw)
	w, err := c.Workspace, error(nil)
	if w.Dir != "" {
		err = filepath.WalkDir(filepath.Join(c.dir, w.Dir), func(name string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			data, err := plainfile.Read(name)
			fmt.Fprintf(h, "%s %d\n", name[len(c.dir):], len(data))
			h.Write(data)
			return err
		})
	}
	if w.Git != nil {
		if _, err = os.Stat(filepath.Join(c.dir, w.Git.Repo)); err == nil && !isCommit(w.Git.Ref) {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("the workspace: %w", err)
	}
	c.sum = hex.EncodeToString(h.Sum(nil))
	return nil
}

func isCommit(ref string) bool {
	_, err := hex.DecodeString(ref)
	return err == nil && len(ref) >= 40
}
