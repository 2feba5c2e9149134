package extend

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"rein/kit/shell"
)

// hidden reports characters that a reader does not see and a model reads.
func (s *scanner) hidden(text string) {
	line, before := 1, ' '
	tags, odd := 0, 0
	for i, c := range text {
		if c == '\n' {
			line++
		}
		switch why := shell.HiddenRune(c, before); {
		case c >= 0xe0000 && c <= 0xe007f:
			if tags++; tags == 1 {
				s.found(severityCritical, "text.tags", line, "letters that nobody sees and a model reads", text[i:])
			}
		case why == "" || i == 0 && c == 0xfeff || c == '\f':
		case strings.HasPrefix(why, "changes"):
			s.found(severityHigh, "text.direction", line, "a character that changes the order in which text is shown", text[i:])
		default:
			if odd++; odd <= mostFindings {
				s.found(severityMedium, "text.hidden", line, why+fmt.Sprintf(" (U+%04X)", c), "")
			}
		}
		before = c
	}
}

var severities = map[string]Severity{"low": severityLow, "medium": severityMedium, "high": severityHigh, "critical": severityCritical}

// apply reports the first places of each rule. An order in quotation marks is one less severe: it is an example.
func (s *scanner) apply(list []patternRule, text string, line int) {
	for _, r := range list {
		for _, at := range r.In(text) {
			severity := severities[r.Severity]
			if before := strings.TrimRight(text[:at[0]], " "); severity == severityCritical && strings.HasPrefix(r.Name, "prose") && strings.HasSuffix(before, "\"") || strings.HasSuffix(before, "“") {
				severity = severityHigh
			}
			s.found(severity, r.Name, line+lineAt(text, at[0])-1, r.Why, text[at[0]:min(len(text), at[1]+40)])
		}
	}
}

var (
	network = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\brequests\.|urllib|urlopen|\bfetch\(|http\.client|axios|httpx|socket\.|net/http|XMLHttpRequest|Invoke-WebRequest|curl `)
	})
	encoded = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`["'\x60][A-Za-z0-9+/]{600,}={0,2}["'\x60]`)
	})
	decodes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)b64decode|atob\(|base64.{0,20}decode|Buffer\.from\(`)
	})
	started = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:os\.system|os\.popen|subprocess\.\w+|execSync|\bexec|\bspawn(?:Sync)?|child_process\.\w+|shell_exec|\bsystem)\s*\(\s*[fr]?("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')`)
	})
)

// code checks a script in another language. The commands that it starts as text are read by the guard.
func (s *scanner) code(text string) {
	before := len(s.all)
	s.apply(programPatterns(), text, 1)
	for i := range s.all[before:] {
		if f := &s.all[before+i]; f.Rule == "code.credentials" && network().MatchString(text) {
			f.Severity, f.Why = severityCritical, "reads a store of credentials and uses the network"
		}
	}
	if at := encoded().FindStringIndex(text); at != nil && decodes().MatchString(text) {
		s.found(severityHigh, "code.encoded", lineAt(text, at[0]), "a long encoded text, which the script decodes", text[at[0]:at[1]])
	}
	for _, at := range started().FindAllStringSubmatchIndex(text, 200) {
		s.shell(strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\\`, `\`, `\n`, "\n").Replace(text[at[2]+1:at[3]-1]), lineAt(text, at[0]), severityLow)
	}
	s.apply(prosePatterns(), text, 1)
}
