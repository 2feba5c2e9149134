package extend

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rein/internal/plainfile"
)

// SkillPin is what is kept of a skill that was added: where it came from, and the hash of what the user saw.
type SkillPin struct {
	Source string    `json:"source"`
	Tree   string    `json:"tree"` // as in Skill
	Added  time.Time `json:"added"`
}

// SkillStore is a directory with skills, and the file of their pins.
type SkillStore struct {
	Dir  string // skills/
	Pins string // skills.json
}

// Load returns the pins by the names of the skills.
func (s SkillStore) Load() (map[string]SkillPin, error) {
	pins := map[string]SkillPin{}
	text, err := plainfile.Read(s.Pins)
	if errors.Is(err, fs.ErrNotExist) {
		return pins, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &pins)
	}
	return pins, err
}

// save writes the pins.
func (s SkillStore) save(pins map[string]SkillPin) error {
	text, err := json.MarshalIndent(pins, "", "  ")
	if err != nil {
		return err
	}
	return plainfile.Replace(s.Pins, text)
}

// SkillChange is a file that differs between two versions of a skill.
type SkillChange struct {
	Path string
	How  string // "new", "changed", "removed"
}

// SkillPackage is a skill before it is added.
type SkillPackage struct {
	Name  string
	Files []ScannedFile
}

// Findings returns what the scanner finds.
func (p SkillPackage) Findings() []Finding { return scanFiles(p.Files) }

// ReadSkillPackage reads a skill from a directory or an archive. name is as in Unpack.
func ReadSkillPackage(file, name string) (SkillPackage, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return SkillPackage{}, err
	}
	if info, err := os.Stat(abs); err == nil && info.IsDir() {
		files, err := SkillFiles(abs)
		return SkillPackage{cmp.Or(name, filepath.Base(abs)), files}, err
	}
	f, err := plainfile.Open(abs)
	if err != nil {
		return SkillPackage{}, err
	}
	defer f.Close()
	return ReadSkillArchive(f, abs, name)
}

// Read reads a skill from a directory or an archive, to add it.
func (SkillStore) Read(file string) (SkillPackage, error) { return ReadSkillPackage(file, "") }

// ReadSkillArchive reads a skill from an archive. Where it is at the top, its name is the beginning of the archive's.
func ReadSkillArchive(r io.Reader, file, name string) (SkillPackage, error) {
	packed, err := io.ReadAll(io.LimitReader(r, mostPacked+1))
	if err != nil {
		return SkillPackage{}, err
	}
	dir, files, err := UnpackSkill(packed, name)
	first, _, _ := strings.Cut(filepath.Base(file), ".")
	return SkillPackage{cmp.Or(name, dir, first), files}, err
}

// Changes compares the files of a skill that is there with new ones.
func (s SkillStore) Changes(p SkillPackage) (all []SkillChange) {
	old, _ := SkillFiles(filepath.Join(s.Dir, p.Name)) // a skill that is not there has none
	for _, f := range p.Files {
		i := slices.IndexFunc(old, func(o ScannedFile) bool { return o.Path == f.Path })
		switch {
		case i < 0:
			all = append(all, SkillChange{f.Path, "new"})
		case !bytes.Equal(old[i].Text, f.Text):
			all = append(all, SkillChange{f.Path, "changed"})
		}
	}
	for _, o := range old {
		if !slices.ContainsFunc(p.Files, func(f ScannedFile) bool { return f.Path == o.Path }) {
			all = append(all, SkillChange{o.Path, "removed"})
		}
	}
	return all
}

// Add writes the files of a skill and pins them. The old version is replaced as a whole.
func (s SkillStore) Add(p SkillPackage, source string, now time.Time) (*Skill, error) {
	name := p.Name
	if !filepath.IsLocal(name) || path.Base(name) != name {
		return nil, fmt.Errorf("%q is not the name of a skill", name)
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, err
	}
	fresh, err := os.MkdirTemp(s.Dir, ".new-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(fresh)
	for _, f := range p.Files {
		at := filepath.Join(fresh, filepath.FromSlash(f.Path))
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			return nil, fmt.Errorf("%q lies outside of the skill", f.Path)
		}
		if err := plainfile.Replace(at, f.Text); err != nil {
			return nil, err
		}
		if isScript(f) {
			if err := os.Chmod(at, 0o700); err != nil {
				return nil, err
			}
		}
	}
	if _, err := OpenSkill(fresh, "user"); err != nil {
		return nil, err
	}
	at := filepath.Join(s.Dir, name)
	if err := errors.Join(os.RemoveAll(at), os.Rename(fresh, at)); err != nil {
		return nil, err
	}
	skill, err := OpenSkill(at, "user")
	if err != nil {
		return nil, err
	}
	pins, err := s.Load()
	if err != nil {
		return nil, err
	}
	pins[name] = SkillPin{Source: source, Tree: skill.Tree(), Added: now}
	return skill, s.save(pins)
}

// Text returns the SKILL.md of a skill; "" where there is none.
func (s SkillStore) Text(name string) (string, error) {
	if !nameForm().MatchString(name) || len(name) > mostName {
		return "", fmt.Errorf("%q is not the name of a skill: expected lower-case letters, digits and single hyphens", name)
	}
	text, err := plainfile.Read(filepath.Join(s.Dir, name, "SKILL.md"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return string(text), err
}

// Save writes the SKILL.md of a skill in place of the text that the user saw, which is "" for a new skill. It returns what the scanner
// finds in all files of the skill. It fails where another text is there, and where the new one is no skill. by says who wrote it. check
// only looks.
func (s SkillStore) Save(name, was, text, by string, check bool) (notes []string, err error) {
	if err := s.shown(name, was); err != nil {
		return nil, err
	}
	head, err := parseSkill(name, text, skillOrigin(s.Dir))
	if err != nil {
		return nil, err
	}
	p := SkillPackage{Name: name, Files: []ScannedFile{{Path: "SKILL.md", Text: []byte(text)}}}
	if was != "" {
		all, err := SkillFiles(filepath.Join(s.Dir, name))
		if err != nil {
			return nil, err
		}
		p.Files = append(p.Files, slices.DeleteFunc(all, func(f ScannedFile) bool { return f.Path == "SKILL.md" })...)
	}
	notes = slices.Clone(head.Warnings)
	for _, f := range p.Findings() {
		notes = append(notes, fmt.Sprintf("%s: %s (%s:%d)", f.Severity, f.Why, f.File, f.Line))
	}
	if !check {
		_, err = s.Add(p, by, time.Now())
	}
	return notes, err
}

// Delete deletes a skill whose SKILL.md the user saw.
func (s SkillStore) Delete(name, was string) error {
	if err := s.shown(name, was); err != nil {
		return err
	}
	return s.Remove(name)
}

func (s SkillStore) shown(name, was string) error {
	have, err := s.Text(name)
	if err == nil && have != was {
		err = errors.New("the skill is not the one that was shown")
	}
	return err
}

func isScript(f ScannedFile) bool { return bytes.HasPrefix(f.Text, []byte("#!")) }

// Remove deletes a skill and its pin.
func (s SkillStore) Remove(name string) error {
	at := filepath.Join(s.Dir, name)
	if !filepath.IsLocal(name) || !exists(filepath.Join(at, "SKILL.md")) {
		return fmt.Errorf("there is no skill %q in %s", name, s.Dir)
	}
	pins, err := s.Load()
	if err != nil {
		return err
	}
	delete(pins, name)
	return errors.Join(os.RemoveAll(at), s.save(pins))
}

// UnpackSkill reads the skill of an archive: zip, tar or tar.gz. The archive holds one SKILL.md at most one directory deep, else name
// says the directory of the skill. It returns the name of the directory, "" where the skill is at the top.
func UnpackSkill(packed []byte, name string) (dir string, files []ScannedFile, err error) {
	all, err := readArchiveFiles(packed)
	if err != nil {
		return "", nil, err
	}
	var heads []string
	for _, f := range all {
		if path.Base(f.Path) == "SKILL.md" && (name == "" || path.Dir(f.Path) == "." || path.Base(path.Dir(f.Path)) == name) {
			heads = append(heads, path.Dir(f.Path))
		}
	}
	if len(heads) != 1 {
		return "", nil, fmt.Errorf("the archive has %d skills%s; name one with --name", len(heads), listHeads(heads))
	}
	for _, f := range all {
		if rest, below := strings.CutPrefix(f.Path, heads[0]+"/"); below || heads[0] == "." {
			if !below {
				rest = f.Path
			}
			files = append(files, ScannedFile{Path: rest, Text: f.Text})
		}
	}
	if heads[0] == "." {
		return "", files, nil
	}
	return path.Base(heads[0]), files, nil
}

// readArchiveFiles reads the files of an archive.
func readArchiveFiles(packed []byte) (files []ScannedFile, err error) {
	err = readArchive(packed, func(name string, text []byte) { files = append(files, ScannedFile{Path: name, Text: text}) })
	return files, err
}

func listHeads(heads []string) string {
	if len(heads) == 0 {
		return ""
	}
	return " (" + strings.Join(heads[:min(len(heads), 10)], ", ") + ")"
}

// BeginSkill writes the file of a new skill below a directory and returns its path.
func BeginSkill(dir, name string) (string, error) {
	if !nameForm().MatchString(name) || len(name) > mostName {
		return "", fmt.Errorf("%q is not the name of a skill: expected lower-case letters, digits and single hyphens, at most %d", name, mostName)
	}
	file := filepath.Join(dir, name, "SKILL.md")
	if exists(file) {
		return "", fmt.Errorf("%s is there already", file)
	}
	return file, plainfile.Replace(file, []byte("---\nname: "+name+"\ndescription: What it does, and when to use it, in one or two sentences.\n---\n\n# "+name+`

Say how the task is done here, step by step. Keep it short: the model reads all of it.

- Put scripts in scripts/ and longer texts in references/, and name them here: the model reads them when it needs them.
`))
}
