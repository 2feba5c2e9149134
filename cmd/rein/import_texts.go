package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"rein/internal/plainfile"
)

// convertedFile is a kind of file that is converted: slash commands and agents.
type convertedFile struct {
	program, kind string
	user, project []string // patterns
	convert       func(doc []byte) (body string, notes []string, ok bool)
}

func (r *importReader) texts() {
	for _, t := range []convertedFile{
		{"codex", "command", []string{".codex/prompts/*.md"}, nil, convertCodexCommand},
		{"gemini", "command", []string{".gemini/commands/*.toml", ".gemini/commands/*/*.toml"}, []string{".gemini/commands/*.toml", ".gemini/commands/*/*.toml"}, convertGeminiCommand},
		{"opencode", "command", []string{".config/opencode/command/*.md", ".config/opencode/commands/*.md"}, []string{".opencode/command/*.md", ".opencode/commands/*.md"}, convertOpenCodeCommand},
		{"crush", "command", []string{".config/crush/commands/*.md"}, []string{".crush/commands/*.md"}, convertCrushCommand},
		{"gemini", "agent", []string{".gemini/agents/*.md"}, []string{".gemini/agents/*.md"}, convertGeminiAgent},
		{"opencode", "agent", []string{".config/opencode/agent/*.md", ".config/opencode/agents/*.md"}, []string{".opencode/agent/*.md", ".opencode/agents/*.md"}, convertOpenCodeAgent},
	} {
		r.each(false, t.user, func(file string, _ bool) { r.text(t, file, r.h.Dirs().Config) })
		if r.root != r.home {
			r.each(true, t.project, func(file string, _ bool) { r.text(t, file, filepath.Join(r.root, ".rein")) })
		}
	}
	for _, p := range []struct{ program, pattern string }{{"codex", ".codex/skills/*"}, {"gemini", ".gemini/skills/*"}, {"opencode", ".config/opencode/skill/*"}, {"opencode", ".config/opencode/skills/*"}, {"crush", ".config/crush/skills/*"}} {
		r.each(false, []string{p.pattern}, func(dir string, _ bool) { r.skill(p.program, dir) })
	}
}

// text is the item of one file that is converted and written below a directory of ours.
func (r *importReader) text(t convertedFile, file, dir string) {
	item := importItem{Program: importPrograms[t.program], Kind: t.kind, From: file, What: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))}
	defer func() { r.add(item) }()
	content, err := plainfile.Read(file)
	if err != nil {
		item.Notes = []string{err.Error()}
		return
	}
	name := filepath.Base(file)
	if parent := filepath.Base(filepath.Dir(file)); parent != t.kind && parent != t.kind+"s" && parent != "prompts" {
		name, item.What = filepath.Join(parent, name), parent+":"+item.What
	}
	body, notes, ok := t.convert(content)
	r.converted(&item, filepath.Join(dir, t.kind+"s", strings.TrimSuffix(name, filepath.Ext(name))+".md"), body, notes, ok)
}

// converted sets what an item writes, unless the file is there already.
func (r *importReader) converted(item *importItem, to, body string, notes []string, ok bool) {
	item.Notes = notes
	if _, err := plainfile.Read(to); err == nil {
		item.Notes = append(item.Notes, r.short(to)+" is there already")
	} else if ok {
		item.To, item.write = to, func() error { return plainfile.Replace(to, []byte(body)) }
	}
}

// skill takes over a skill, after the scanner has looked at it.
func (r *importReader) skill(program, dir string) {
	item := importItem{Program: importPrograms[program], Kind: "skill", From: dir, What: filepath.Base(dir)}
	defer func() { r.add(item) }()
	store := r.h.SkillStore()
	p, err := store.Read(dir)
	if err != nil {
		item.Notes = []string{err.Error()}
		return
	}
	if old := store.Changes(p); len(old) == 0 || r.h.Skills().Get(item.What) != nil {
		item.Notes = []string{"a skill of this name is there already"}
		return
	}
	for _, f := range p.Findings() {
		if severity := f.Severity.String(); severity == "critical" || severity == "high" {
			item.Notes = append(item.Notes, fmt.Sprintf("the scanner reports a %s finding in %s: %s", severity, f.File, f.Why))
		}
		if f.Severity.String() == "critical" {
			item.Notes = append(item.Notes, "look at it, then: rein skills add "+dir)
			return
		}
	}
	item.To, item.write = filepath.Join(store.Dir, p.Name), func() error {
		_, err := store.Add(p, dir, time.Now().UTC())
		return err
	}
}

// inPlace reports what rein reads where it is.
func (r *importReader) inPlace() {
	for _, p := range []struct{ program, kind, pattern string }{
		{"claude", "instructions", "CLAUDE.md"}, {"claude", "instructions", ".claude/CLAUDE.md"}, {"codex", "instructions", ".codex/AGENTS.md"},
		{"gemini", "instructions", "GEMINI.md"}, {"gemini", "instructions", ".gemini/GEMINI.md"}, {"cursor", "instructions", ".cursorrules"},
		{"claude", "skill", ".claude/skills/*"}, {"claude", "agent", ".claude/agents/*.md"}, {"claude", "command", ".claude/commands/*.md"},
		{"claude", "servers", ".mcp.json"}, {"codex", "hooks", ".codex/hooks.json"},
	} {
		do := func(file string, _ bool) {
			r.add(importItem{Program: importPrograms[p.program], Kind: p.kind, From: file, What: strings.TrimSuffix(filepath.Base(file), ".md"), Notes: commandNotes(file), read: true})
		}
		r.each(false, []string{p.pattern}, do)
		if r.root != r.home {
			r.each(true, []string{p.pattern}, do)
		}
	}
	settings := func(file string, _ bool) {
		if valueAt(r.document(file), "hooks") != nil {
			r.add(importItem{Program: importPrograms["claude"], Kind: "hooks", From: file, What: "hooks"})
		}
	}
	r.each(false, []string{".claude/settings.json"}, settings)
	if r.root != r.home {
		r.each(true, []string{".claude/settings.json"}, settings)
	}
	r.each(true, []string{".cursor/rules/*.mdc"}, func(file string, _ bool) {
		r.add(importItem{Program: importPrograms["cursor"], Kind: "instructions", From: file, What: filepath.Base(file), Notes: []string{"rules for some files only have no counterpart: put the text into AGENTS.md of the directory"}})
	})
}

var (
	geminiShell    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`!\{([^{}` + "`" + `\n]+)\}`) })
	geminiFile     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`@\{([^{}\s]+)\}`) })
	argumentName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$([A-Z][A-Z0-9_]*)\b`) })
	argumentNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$[1-9]`) })
)

// convertGeminiCommand converts a command of Gemini CLI, a TOML file.
func convertGeminiCommand(content []byte) (string, []string, bool) {
	doc := tomlDocument(content)
	prompt, _ := doc["prompt"].(string)
	if prompt == "" {
		return "", []string{"it has no prompt"}, false
	}
	var notes []string
	prompt = strings.ReplaceAll(prompt, "{{args}}", "$ARGUMENTS")
	for _, m := range geminiShell().FindAllStringSubmatch(prompt, -1) {
		if strings.Contains(m[1], "$ARGUMENTS") {
			notes = append(notes, "arguments in a command were quoted for the shell there; here they are not")
		}
	}
	prompt = geminiFile().ReplaceAllString(geminiShell().ReplaceAllString(prompt, "!`$1`"), "@$1")
	if strings.Contains(prompt, "!{") {
		return "", []string{"a command in it is too complicated to convert"}, false
	}
	about, _ := doc["description"].(string)
	return withHead(about, "", prompt), notes, true
}

// withHead returns a command of ours.
func withHead(about, arguments, body string) string {
	var b strings.Builder
	b.WriteString("---\n")
	if about != "" {
		fmt.Fprintf(&b, "description: %q\n", about)
	}
	if arguments != "" {
		fmt.Fprintf(&b, "arguments: %s\n", arguments)
	}
	return b.String() + "---\n" + strings.TrimSpace(body) + "\n"
}

// convertCodexCommand converts a prompt of Codex: numbers mean the same, names become arguments by position.
func convertCodexCommand(content []byte) (string, []string, bool) {
	body, notes, ok := convertCrushCommand([]byte(strings.ReplaceAll(string(content), "$$", "$ ")))
	if strings.Contains(string(content), "$$") {
		notes = append(notes, "$$ was a dollar sign there")
	}
	return body, notes, ok
}

// convertOpenCodeCommand converts a command of opencode: numbers mean the same, except that the highest takes all the rest.
func convertOpenCodeCommand(content []byte) (body string, notes []string, ok bool) {
	if argumentNumber().Match(content) {
		notes = append(notes, "the highest number took all the rest of the arguments there; here quotation marks keep words together")
	}
	return string(content), notes, true
}

// convertCrushCommand converts names in capital letters, which crush asks for, to arguments by position.
func convertCrushCommand(content []byte) (string, []string, bool) {
	head, body := splitHead(string(content))
	var names []string
	for _, m := range argumentName().FindAllStringSubmatch(body, -1) {
		if m[1] != "ARGUMENTS" && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	if len(names) == 0 {
		return string(content), nil, true
	}
	return "---\n" + head + "arguments: [" + strings.Join(names, ", ") + "]\n---\n" + body, []string{"the names " + strings.Join(names, ", ") + " are arguments by position here"}, true
}

// splitHead returns the lines of a head, and the body.
func splitHead(text string) (head, body string) {
	rest, ok := strings.CutPrefix(text, "---\n")
	if ok {
		if head, body, ok = strings.Cut(rest, "\n---\n"); ok {
			return head + "\n", body
		}
	}
	return "", text
}
