package extend

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"rein/internal/plainfile"
)

// Skill is one skill as its files say. It does not change.
type Skill struct {
	Name  string // by which it is called: of its directory
	About string // when to use it, one paragraph
	Hint  string // what arguments it takes, in words
	Dir   string // absolute
	From  string // "user" or "project"

	Allowed   []string // rules of the tools that it needs; nil: it does not say
	HideModel bool     // only the user may call it
	HideUser  bool     // only the model may load it
	Fork      bool     // it runs in a sub-agent
	Agent     string   // the type of that sub-agent; "": the default
	Model     string
	Warnings  []string // what is wrong with its head

	template Template
	content  func() skillText
}

// Limits of the format.
const (
	mostName  = 64
	mostAbout = 1024
)

var nameForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\p{Ll}\p{Lo}\p{N}]+(-[\p{Ll}\p{Lo}\p{N}]+)*$`)
})

// OpenSkill reads SKILL.md of a directory; the other files are read when somebody asks for what is in them. It fails where there is no
// SKILL.md with a description.
func OpenSkill(dir, from string) (*Skill, error) {
	text, err := plainfile.Read(filepath.Join(dir, "SKILL.md"))
	if err != nil {
		return nil, err
	}
	s, err := parseSkill(filepath.Base(dir), string(text), skillOrigin(dir))
	if err != nil {
		return nil, err
	}
	s.Dir, s.From = dir, from
	s.content = sync.OnceValue(func() skillText { return readContent(dir, text) })
	return s, nil
}

// skillText is what is in the files of a skill.
type skillText struct {
	tree     string
	others   []string // files beside SKILL.md
	findings []Finding
}

// readContent reads and scans all files. SKILL.md is the text that the model gets, also where the file has changed since.
func readContent(dir string, text []byte) (c skillText) {
	files, err := SkillFiles(dir)
	if err != nil {
		c.findings = []Finding{{Severity: severityCritical, Rule: "file.unread", File: "SKILL.md", Why: err.Error()}}
		return c
	}
	var lines []byte
	for i, f := range files {
		if f.Path == "SKILL.md" {
			files[i].Text = text
		} else if !strings.HasPrefix(path.Base(f.Path), ".") {
			c.others = append(c.others, f.Path)
		}
		sum := sha256.Sum256(files[i].Text)
		lines = fmt.Appendf(lines, "%x %s\n", sum, f.Path)
	}
	sum := sha256.Sum256(lines)
	c.tree, c.findings = hex.EncodeToString(sum[:]), scanFiles(files)
	return c
}

// SkillFiles reads all files of a directory, at most 500 with 16 MiB.
func SkillFiles(dir string) (files []ScannedFile, err error) {
	err = ReadContent(dir, func(name string, text []byte) { files = append(files, ScannedFile{Path: name, Text: text}) })
	return files, err
}

// parseSkill reads SKILL.md. What can be understood is taken; the rest is a warning.
func parseSkill(dir, text string, origin CommandOrigin) (*Skill, error) {
	f, body, lenient := ParseFrontmatter(text)
	s := &Skill{Name: dir, Hint: f.Text("argument-hint"), Agent: f.Text("agent"), Model: f.Text("model"), Fork: f.Text("context") == "fork",
		HideModel: f.Bool("disable-model-invocation", false), HideUser: !f.Bool("user-invocable", true)}
	warn := func(format string, a ...any) { s.Warnings = append(s.Warnings, fmt.Sprintf(format, a...)) }
	if lenient {
		warn("the head is not valid YAML; it was read line by line")
	}
	s.About = strings.Join(strings.Fields(f.Text("description")), " ")
	if s.About == "" && origin == Claude {
		s.About = strings.Join(strings.Fields(firstParagraph(body)), " ")
	}
	if s.About == "" {
		return nil, errors.New("SKILL.md has no description")
	}
	if when := strings.Join(strings.Fields(f.Text("when_to_use")), " "); when != "" {
		s.About += " " + when
	}
	if n := utf8.RuneCountInString(s.About); n > mostAbout {
		warn("the description has %d characters; %d are the most", n, mostAbout)
		s.About = string([]rune(s.About)[:mostAbout])
	}
	if name := f.Text("name"); name != dir {
		warn("the name %q is not that of the directory, %q", name, dir)
	}
	if !nameForm().MatchString(dir) || utf8.RuneCountInString(dir) > mostName {
		warn("the name should have lower-case letters, digits and single hyphens, at most %d", mostName)
	}
	if _, has := f["allowed-tools"]; has {
		s.Allowed = append([]string{}, f.List("allowed-tools")...)
	}
	s.template = Template{Text: body, Origin: origin, Names: f.List("arguments")}
	return s, nil
}

func firstParagraph(body string) string {
	for part := range strings.SplitSeq(strings.ReplaceAll(body, "\r\n", "\n"), "\n\n") {
		if part = strings.TrimSpace(part); part != "" && !strings.HasPrefix(part, "#") {
			return part
		}
	}
	return ""
}

func skillOrigin(dir string) CommandOrigin {
	if strings.Contains(filepath.ToSlash(dir), "/.claude/") {
		return Claude
	}
	return Own
}

// Findings returns what the scanner found. The files are scanned once.
func (s *Skill) Findings() []Finding { return s.content().findings }

// Tree returns the hex SHA-256 of all files, which are read once.
func (s *Skill) Tree() string { return s.content().tree }

// WorstFinding names the highest severity of findings; "none" without any.
func WorstFinding(all []Finding) string { return worstSeverity(all).String() }

// FindingLines writes findings for a person: a line for each, and one for the place.
func FindingLines(all []Finding) (lines []string) {
	for _, f := range all {
		place := f.File
		if f.Line > 0 {
			place += fmt.Sprintf(":%d", f.Line)
		}
		lines = append(lines, fmt.Sprintf("%-9s %-20s %s: %s", f.Severity, f.Rule, place, f.Why))
		if f.Text != "" {
			lines = append(lines, fmt.Sprintf("%-9s %-20s   %s", "", "", f.Text))
		}
	}
	return lines
}

// mostListed is how many files beside SKILL.md the model sees.
const mostListed = 50

// wrap returns the text of the skill as the model gets it.
func (s *Skill) wrap(body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<skill name=%q directory=%q>\n", s.Name, s.Dir)
	b.WriteString(strings.ReplaceAll(strings.TrimSpace(strings.NewReplacer("${CLAUDE_SKILL_DIR}", s.Dir, "${SKILL_DIR}", s.Dir).Replace(body)), "</skill", "<\\/skill"))
	b.WriteString("\n</skill>")
	if names := s.content().others; len(names) > 0 {
		b.WriteString("\nFiles beside it, relative to its directory: " + strings.Join(names[:min(len(names), mostListed)], ", "))
		if more := len(names) - mostListed; more > 0 {
			fmt.Fprintf(&b, " and %d more", more)
		}
	}
	return b.String()
}

// worst returns the most severe finding in words; "" where there is none that matters.
func (s *Skill) worst(least Severity) string {
	for _, f := range s.Findings() {
		if f.Severity >= least {
			return fmt.Sprintf("%s finding in %s: %s%s", f.Severity, f.File, f.Why, cmp.Or(quoteText(f.Text), ""))
		}
	}
	return ""
}

func quoteText(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}
