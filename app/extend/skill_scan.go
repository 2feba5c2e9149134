package extend

// The files scan.go, shell.go, text.go and patterns.go check a skill before it is used: commands that destroy or send data away, text that gives orders against the
// user, hidden characters, obfuscation, secrets, downloads without a version. Shell text is read by the guard of commands
// itself, as a call of the model would be.
//
// A scan finds what is known. A skill without findings is not proven good: the checks of calls and the sandbox hold for what
// it makes a model do.

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"rein/redact"
)

// Severity says how bad a finding is. A skill with a critical one needs the user's approval.
type Severity uint8

// The severities.
const (
	severityNone Severity = iota
	severityLow
	severityMedium
	severityHigh
	severityCritical
)

// String names the severity in lower case.
func (s Severity) String() string { return [...]string{"none", "low", "medium", "high", "critical"}[s] }

// MarshalText returns the name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Finding is one thing that a scan found.
type Finding struct {
	Severity Severity `json:"severity"`
	Rule     string   `json:"rule"` // such as "shell.exfil", "prose.override", "text.hidden"
	File     string   `json:"file"` // relative to the skill
	Line     int      `json:"line,omitempty"`
	Why      string   `json:"why"`
	Text     string   `json:"text,omitempty"` // the beginning of the place, at most 120 characters
}

// ScannedFile is one file of a skill.
type ScannedFile struct {
	Path string // relative to the skill, with slashes
	Text []byte
}

// mostFindings bounds the findings of one rule in one file: the first ones are kept.
const mostFindings = 5

// scanFiles checks the files of a skill and returns what was found, the most severe first.
func scanFiles(files []ScannedFile) []Finding {
	s := &scanner{}
	for _, f := range files {
		s.file = f.Path
		if kind := programKind(f.Text); kind != "" {
			s.found(severityHigh, "file.program", 0, "a program in machine code ("+kind+"), which nobody can read", "")
			continue
		}
		if isArchive(f.Path) {
			s.found(severityMedium, "file.archive", 0, "an archive, which is not looked into", "")
			continue
		}
		if slices.Contains(f.Text[:min(len(f.Text), 8000)], 0) {
			continue // a picture, a font
		}
		text := string(f.Text)
		s.hidden(text)
		s.secrets(text)
		switch {
		case isMarkdown(f.Path):
			s.markdown(text)
		case isShell(f.Path, text):
			s.shell(text, 1, severityLow)
		case isScriptFile(f.Path, text):
			s.code(text)
		default:
			s.apply(prosePatterns(), text, 1)
		}
	}
	sort.SliceStable(s.all, func(i, j int) bool { return s.all[i].Severity > s.all[j].Severity })
	return s.all
}

// worstSeverity returns the highest severity.
func worstSeverity(all []Finding) (worst Severity) {
	for _, f := range all {
		worst = max(worst, f.Severity)
	}
	return worst
}

// scanner collects the findings of one skill.
type scanner struct {
	file string
	all  []Finding
}

func (s *scanner) found(severity Severity, rule string, line int, why, text string) {
	if severity == severityNone {
		return
	}
	same := 0
	for _, f := range s.all {
		if f.File == s.file && f.Rule == rule {
			if same++; f.Line == line || same == mostFindings {
				return
			}
		}
	}
	s.all = append(s.all, Finding{Severity: severity, Rule: rule, File: s.file, Line: line, Why: strings.ReplaceAll(why, where.Home, "~"), Text: shownLine(text)})
}

// shownLine returns the first line of a place, with what is invisible written out.
func shownLine(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(text); len(runes) > 120 {
		text = string(runes[:120]) + "…"
	}
	quoted := fmt.Sprintf("%q", text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// lineAt returns the number of the line at a byte.
func lineAt(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

func isMarkdown(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".mdx", ".markdown", ".txt", ".rst", ".mdc":
		return true
	}
	return false
}

func isShell(name, text string) bool {
	switch path.Ext(name) {
	case ".sh", ".bash", ".zsh":
		return true
	}
	first, _, _ := strings.Cut(text, "\n")
	return strings.HasPrefix(first, "#!") && (strings.HasSuffix(strings.TrimSpace(first), "sh") || strings.Contains(first, "bash"))
}

// scripts are the endings of programs as text.
var scripts = strings.Fields(".py .js .mjs .cjs .ts .tsx .jsx .rb .pl .php .ps1 .psm1 .bat .cmd .lua .go .rs .java .kt .swift .r .jl .ex .scala .cs .applescript")

func isScriptFile(name, text string) bool {
	return slices.Contains(scripts, strings.ToLower(path.Ext(name))) || strings.HasPrefix(text, "#!")
}

func isArchive(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".zip", ".tar", ".gz", ".tgz", ".xz", ".bz2", ".7z", ".rar", ".jar", ".whl", ".deb", ".rpm", ".dmg", ".pkg":
		return true
	}
	return false
}

// programKind names the kind of a program in machine code.
func programKind(text []byte) string {
	for magic, kind := range map[string]string{"\x7fELF": "ELF", "MZ\x90": "Windows", "\xcf\xfa\xed\xfe": "macOS", "\xfe\xed\xfa\xcf": "macOS", "\xca\xfe\xba\xbe": "Java or macOS", "\x00asm": "WebAssembly"} {
		if strings.HasPrefix(string(text[:min(len(text), 4)]), magic) {
			return kind
		}
	}
	return ""
}

// secrets reports text that has the shape of a key.
func (s *scanner) secrets(text string) {
	var none *redact.Filter // well-known shapes only
	line := 0
	for l := range strings.Lines(text) {
		line++
		if masked := none.String(l); masked != l && !isPlaceholder(l) {
			s.found(severityHigh, "text.secret", line, "looks like a key or a password", masked)
		}
	}
}

// isPlaceholder reports whether a line shows where a key would be.
func isPlaceholder(line string) bool {
	lower := strings.ToLower(line)
	for _, word := range []string{"example", "xxx", "your", "placeholder", "changeme", "dummy", "fake", "...", "…", "redacted", "<", "1234567890", "abcdef"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}
