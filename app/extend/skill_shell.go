package extend

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"rein/guard/effect"
	"rein/kit/shell"
)

// where is the place where the commands of a skill are read. Nothing of this machine goes into it, so that a skill has the same
// findings everywhere.
var where = func() (c shell.Context) {
	c.Dir, c.Workspaces, c.Home, c.User = "/home/user/project", []string{"/home/user/project"}, "/home/user", "user"
	return c
}()

// classes says how bad an effect of a command is in a skill. A class that is not here is everyday work.
var classes = map[string]Severity{
	"exfil": severityCritical, "obfuscated": severityCritical, "backdoor": severityCritical, "tamper": severityCritical, "destroy": severityCritical,
	"secret-read": severityHigh, "exhaust": severityHigh, "foreign": severityHigh, "remote-code": severityHigh, "privilege": severityMedium, "outside-write": severityMedium, "config": severityMedium,
	"wipe": severityMedium, "admin": severityMedium, "remote-shell": severityMedium, "nested": severityLow, "install": severityLow,
}

// headers are options of programs that send a key to the server that it is for.
var headers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|\s)(?:-H|--header|-u|--user|--oauth2-bearer)[ =]?(?:"(?:[^"\\]|\\.)*"|'[^']*'|\S+)`)
})

// placeholders are names in angle brackets, which a shell would take for redirections.
var placeholders = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<[A-Za-z][\w .:/-]{0,40}>`)
})

// shell reads commands as the guard does. What is less severe than least is left out: in a text that may be no commands at all,
// words look like programs.
func (s *scanner) shell(text string, line int, least Severity) {
	text = placeholders().ReplaceAllString(text, "X")
	report := shell.Analyze(text, where)
	for _, f := range report.Findings {
		place := text[f.Start:f.End]
		if f.End == 0 {
			place = text
		}
		severity, rule, why := s.weigh(f, text, place)
		if severity < least {
			continue
		}
		if f.Program != "" {
			why = f.Program + ": " + why
		}
		s.found(severity, rule, line+lineAt(text, f.Start)-1, why, place)
	}
	s.sinks(text, line)
}

// weigh says how bad a finding of the guard is in a skill.
func (s *scanner) weigh(f effect.Finding, text, place string) (Severity, string, string) {
	rule, why, severity := "shell."+f.Class.String(), f.Why, classes[f.Class.String()]
	unknown := strings.Contains(why, "not known")
	switch {
	case f.Class == effect.Exfil && onlyHeaders(text):
		return severityLow, "shell.header", "sends a key to a server in a header"
	case f.Class == effect.Obfuscated && strings.Contains(why, "letters that look like") && !hasMixedLetters(f.Program):
		return severityNone, rule, why // a mark, an arrow, a word of another language
	case f.Class == effect.Destroy && !ruinous().MatchString(why) && !formats().MatchString(f.Program):
		severity = severityMedium // installs a program, cleans a cache
	case f.Class == effect.Install:
		if isPinned(place) {
			severity = severityNone
		}
		why = "installs a package without a version"
	case f.Class == effect.OutsideWrite && unknown, f.Class == effect.Wipe && unknown:
		severity = severityLow
	case f.Class == effect.Privilege && f.Program != "sudo" && f.Program != "doas", f.Class == effect.OutsideWrite && starts().MatchString(place):
		severity = severityHigh
	}
	return severity, rule, why
}

// ruinous are the reasons of the guard for what cannot be repaired: the home directory, the machine, a disk.
var ruinous = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`with all that is in it|^writes /dev/|^(removes|formats|erases|overwrites) /(dev/.*|home|home/user|etc|usr|bin|boot|lib|root|var|opt|System|)/?\*?(,| |$)`)
})

// formats are programs that erase a disk.
var formats = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(mkfs|wipefs|fdisk|sfdisk|parted|sgdisk|blkdiscard|shred)`)
})

// hasMixedLetters reports whether a word has letters of ASCII beside others, which look like them.
func hasMixedLetters(word string) bool {
	ascii := func(r rune) bool { return r < unicode.MaxASCII && unicode.IsLetter(r) }
	other := func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) }
	return !strings.Contains(word, " ") && strings.ContainsFunc(word, ascii) && strings.ContainsFunc(word, other)
}

// starts are files that run at a login or a start.
var starts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\.(bashrc|zshrc|profile|bash_profile|zprofile)\b|crontab|LaunchAgents|systemd|autostart|authorized_keys`)
})

// sinks applies the rule about places where stolen data is sent.
func (s *scanner) sinks(text string, line int) {
	for _, r := range prosePatterns() {
		if r.Name == "prose.sink" {
			s.apply([]patternRule{r}, text, line)
		}
	}
}

// onlyHeaders reports whether nothing but keys in headers leaves the machine.
func onlyHeaders(text string) bool {
	report := shell.Analyze(headers().ReplaceAllString(text, ""), where)
	for _, f := range report.Findings {
		if f.Class == effect.Exfil {
			return false
		}
	}
	return true
}

// version matches a package with a version, or a file that names them.
var version = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[@=]=?v?\d|-r\s|requirements|package\.json|\s(ci|sync|install)\s*$|\s-e\s|\s\.(\s|$)`)
})

func isPinned(command string) bool { return version().MatchString(command) }

// markdown checks the text of a page and the commands in it.
func (s *scanner) markdown(text string) {
	var words, block strings.Builder
	fence, language, began := "", "", 0
	line := 0
	for l := range strings.Lines(text) {
		line++
		trimmed := strings.TrimLeft(l, " \t>")
		switch {
		case fence != "" && strings.HasPrefix(trimmed, fence):
			s.block(language, block.String(), began)
			fence = ""
			block.Reset()
			words.WriteByte('\n')
		case fence != "":
			block.WriteString(l)
			words.WriteByte('\n') // the numbers of the lines stay
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			fence, began = trimmed[:3], line+1
			language, _, _ = strings.Cut(strings.TrimSpace(strings.TrimLeft(trimmed, "`~")), " ")
			words.WriteByte('\n')
		default:
			words.WriteString(l)
			for _, span := range codeSpans(l) {
				s.shell(span, line, severityHigh)
			}
		}
	}
	if fence != "" {
		s.block(language, block.String(), began)
	}
	s.apply(prosePatterns(), words.String(), 1)
}

// codeSpans returns the code spans of a line that have more than one word: a command with its arguments.
func codeSpans(line string) (all []string) {
	parts := strings.Split(line, "`")
	for i := 1; i < len(parts)-1; i += 2 {
		if strings.ContainsAny(strings.TrimSpace(parts[i]), " |;>") && !onePart().MatchString(parts[i]) {
			all = append(all, parts[i])
		}
	}
	return all
}

// onePart is a part of a command: words that are programs when they come first, and in a text mostly what another program does, as
// in "init --name x", "login status", "eval run <id>". With a run level, or anything that a shell would work out, it is a command.
var onePart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(init|login|eval)(\s+(-{0,2}[A-Za-z][\w./:=-]*|'[^'$]*'|<[\w -]+>|[→*]))+\s*$`)
})

// block checks a block of code by its language.
func (s *scanner) block(language, text string, line int) {
	switch strings.ToLower(strings.Trim(language, "{}.")) {
	case "sh", "bash", "shell", "zsh", "!":
		if prompts := promptedLines(text); prompts != "" {
			text = prompts
		}
		s.shell(text, line, severityLow)
	case "":
		if prompts := promptedLines(text); prompts != "" {
			s.shell(prompts, line, severityLow)
			return
		}
		s.shell(text, line, severityCritical)
	case "console", "terminal", "shell-session", "shellsession", "bash-session":
		s.shell(promptedLines(text), line, severityLow)
	case "md", "markdown", "text", "txt":
		s.apply(prosePatterns(), text, line)
	default:
		s.embedded(text, line)
	}
}

// embedded checks code in a page by the rules of scripts. Nothing runs it as it is.
func (s *scanner) embedded(text string, line int) {
	inner := &scanner{file: s.file}
	inner.code(text)
	for _, f := range inner.all {
		s.found(min(f.Severity, severityHigh), f.Rule, line+f.Line-1, f.Why, f.Text)
	}
}

// promptedLines returns what follows a prompt, where lines have one; the other lines stay empty, so that their numbers do.
func promptedLines(text string) string {
	var b strings.Builder
	any := false
	for l := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(l, " "), "$ "); ok {
			any = true
			b.WriteString(rest)
			continue
		}
		b.WriteByte('\n')
	}
	if !any {
		return ""
	}
	return b.String()
}
