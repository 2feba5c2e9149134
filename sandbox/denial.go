package sandbox

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
)

// Denial is one action that the sandbox blocked. The kernel does not report denials, so a Denial is concluded from the
// program's exit and its output.
type Denial struct {
	Kind    DenialKind `json:"kind"`
	Target  string     `json:"target,omitempty"` // path, host, or what was asked of the kernel
	Certain bool       `json:"certain"`          // false: likely
}

// DenialKind is the kind of action that was blocked.
type DenialKind string

// The kinds of denials.
const (
	DeniedWrite   DenialKind = "write"   // a place that is read-only for programs
	DeniedRead    DenialKind = "read"    // a place that nobody may open
	DeniedHidden  DenialKind = "hidden"  // a place that looks as if it did not exist
	DeniedNetwork DenialKind = "network" // a host
	DeniedSocket  DenialKind = "socket"  // a server's unix socket
	DeniedKernel  DenialKind = "kernel"  // a system call or a privilege
)

// Evidence is what is known of a program that has ended.
type Evidence struct {
	Command string // the script that was run
	Dir     string // where it started
	Output  string // its output, or the parts of it that were kept
	Result  Result
	Opened  Opened // as in its Spec
	// Refused are the hosts, as host:port, that the proxy kept the session's programs from while it ran.
	Refused []string
}

// place is how programs see a path.
type place int

const (
	placeWritable place = iota
	placeReadOnly
	placeHidden
	placeMasked
)

// where gives a path as programs see it.
func (v *view) where(path string) place {
	for _, m := range v.masked {
		if above(m.target, path) {
			return placeMasked
		}
	}
	for _, l := range v.locked {
		if !l.write && above(l.target, path) {
			return placeReadOnly
		}
	}
	switch {
	case above("/dev", path):
		return placeWritable // its own /dev: what fails there has no devices
	case v.writable(path):
		return placeWritable
	case v.visible(path):
		return placeReadOnly
	}
	return placeHidden
}

// refusals are the messages of programs when the kernel refused a call.
const refusals = `(?i)read-only file system|permission denied|operation not permitted|\bEROFS\b|\bEACCES\b|\bEPERM\b|PermissionError|cross-device link|device or resource busy|not permitted|access denied|is not writable|(cannot|unable to|could not) (open|create|write)`

// absences are what they say when a place is hidden.
const absences = `(?i)no such file or directory|\bENOENT\b|not found|does not exist|nonexistent|cannot access|FileNotFoundError`

// strandings are what they say when there is no network.
const strandings = `(?i)could not resolve (host|proxy)|couldn't resolve|temporary failure in name resolution|name or service not known|no such host|network is unreachable|\bENETUNREACH\b|\bEAI_AGAIN\b|\bENOTFOUND\b|getaddrinfo|unknown host|no route to host|unable to (resolve|look ?up|connect)|failed to (resolve|lookup|connect)|address family not supported|no servers could be reached|network request failed|rein: [a-z0-9.*-]+: not on the list|unable to access 'https?:|could not connect to server|failed to establish a new connection`

// reports are lines of test reports, which contain messages of failures that the tests expect.
const reports = `(?i)_test\.(go|py|js|ts|rb)\b|\bassert|\b(want|got|expected|actual)\b|^\s*(not )?ok \d|\.\.\. (ok|failed)\b|(?-i:\bFAIL(ED|URE)?\b)|^\s*[-+] `

// privileges are the messages of programs that lack a privilege.
const privileges = `(?i)^(mount|umount|unshare|nsenter|strace|ltrace|gdb|chroot|sudo|su|dmesg|ping|ip|iptables|docker|podman|insmod|modprobe|sysctl|hostname|renice|nice|perf|bpftrace|bpftool|keyctl|swapon|losetup|date|runuser|setpriv|newgrp|passwd|capsh|reboot|shutdown)\b`

// Explain returns what the sandbox probably blocked, the likeliest first, and nothing without evidence. It is a guess by
// rules: at least nine of ten blocked actions are found, and at most one of twenty ordinary failures is mistaken.
func (b *Box) Explain(e Evidence) []Denial {
	if b.view == nil || b.backend == BackendNone {
		return nil
	}
	view := sync.OnceValue(func() *view { return b.seenBy(e.Opened) })
	x := explainer{view: view, home: b.policy.Home, dir: e.Dir, network: !b.policy.HostNetwork}
	if x.dir == "" {
		x.dir = b.policy.Workspace
	}
	if e.Result.Signal == syscall.Signal(sigsys) || e.Result.Code == 128+sigsys {
		x.add(Denial{DeniedKernel, "a system call that programs may not use", true})
	}
	for _, host := range e.Refused {
		x.add(Denial{DeniedNetwork, host, true})
	}
	for line := range strings.Lines(e.Output) {
		x.line(strings.TrimSpace(line))
	}
	if len(x.found) == 0 && e.Result.Code != 0 && x.unnamed {
		x.guilty(e.Command)
	}
	if len(x.found) == 0 && e.Result.Code != 0 {
		x.silent(e.Command)
	}
	return x.found
}

// seenBy is how a program saw the machine for which this was opened.
func (b *Box) seenBy(o Opened) *view {
	v := *b.view
	if p, more, err := b.policy.opened(o); more && err == nil {
		if wide, err := newView(p); err == nil {
			v = wide
		}
	}
	v = v.protect(b.policy.EnvFiles)
	return &v
}

// sigsys is the signal of a system call that is answered with the end of the process.
const sigsys = 31

type explainer struct {
	view      func() *view // worked out when it is first asked for: it looks through the workspace
	home, dir string
	network   bool
	found     []Denial
	unnamed   bool // something was read-only, and the output does not name it
}

// mostDenials is how many denials are reported: the first ones show the cause.
const mostDenials = 3

func (x *explainer) add(d Denial) {
	if len(x.found) >= mostDenials {
		return
	}
	for _, f := range x.found {
		if f.Kind == d.Kind && f.Target == d.Target {
			return
		}
	}
	x.found = append(x.found, d)
}

// The expressions are made when the first program has failed, not when ours starts.
var (
	refusal    = lazily(refusals)
	unwritable = lazily(`(?i)read-only file system|\bEROFS\b`)
	absence    = lazily(absences)
	stranding  = lazily(strandings)
	report     = lazily(reports)
	passed     = lazily(`\.\.\. ok\b|^\s*ok \d|\bPASS(ED)?\b`)
	loopback   = lazily(`(?i)(connect|connection)\b.*\b(localhost|127\.0\.0\.1|::1)\b`)
	privilege  = lazily(privileges)
	pathWord   = lazily(`(?:^|[\s'"` + "`" + `:=(<>])((?:~|\$HOME|\$\{HOME\}|\.\.(?:/|$)|/)[^\s'"` + "`" + `:;,()<>|&*?\[\]{}=]*)`)
	hostWord   = lazily(`(?i)(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?`)
	writes     = lazily(`(^|[\s;&|(])(touch|mkdir|rmdir|cp|mv|tee|install|ln|rm|chmod|chown|dd|truncate|rsync|sed\s+-i\S*|git\s+(init|clone|config)|unzip|tar|patch)\s|>{1,2}\s*[~/$]`)
	installs   = lazily(`(^|[\s;&|(])(pip3?\s+install|npm\s+(i|install|ci)|go\s+(get|mod\s+download)|apt(-get)?\s+(install|update)|cargo\s+(add|install|fetch))`)
	reaches    = lazily(`(^|[\s;&|(])(curl|wget|ssh|scp|nc|ncat|telnet|ping|git\s+(clone|fetch|pull|push)|pip3?\s+install|npm\s+(i|install|ci)|go\s+get|apt(-get)?\s)|/dev/tcp/`)
)

func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// line looks at one line of the output.
func (x *explainer) line(line string) {
	if len(line) > 2000 {
		line = line[:2000]
	}
	switch {
	case passed().MatchString(line):
	case x.network && loopback().MatchString(line):
	case x.network && stranding().MatchString(line) && (!report().MatchString(line) || strings.Contains(line, "rein: ")):
		x.add(Denial{DeniedNetwork, hostWord().FindString(line), strings.Contains(line, "rein: ")})
	case refusal().MatchString(line):
		if x.relative(line) || x.paths(line, true) {
			return
		}
		x.unnamed = x.unnamed || unwritable().MatchString(line)
		if privilege().MatchString(strings.TrimPrefix(line, "bash: line 1: ")) {
			x.add(Denial{DeniedKernel, firstWord(line), false})
		}
	case absence().MatchString(line):
		x.paths(line, false)
	case strings.Contains(line, "Cannot connect to the Docker daemon"), strings.Contains(line, "must be superuser"), strings.Contains(line, "must be root"):
		x.add(Denial{DeniedKernel, firstWord(line), false})
	}
}

// paths looks for a place that explains the line, and reports whether there is one.
func (x *explainer) paths(line string, refused bool) bool {
	hit := false
	for _, word := range words(line) {
		path := x.clean(word)
		if path == "/" || strings.HasPrefix(word, "//") {
			continue
		}
		switch where := x.view().where(path); {
		case where == placeMasked:
			x.add(Denial{DeniedRead, path, true})
		case where == placeHidden:
			x.add(Denial{DeniedHidden, path, false})
		case where == placeReadOnly && refused && strings.HasSuffix(path, ".sock"):
			x.add(Denial{DeniedSocket, path, false})
		case where == placeReadOnly && refused && !isProgramName(line, word):
			x.add(Denial{DeniedWrite, path, strings.Contains(strings.ToLower(line), "read-only file system")})
		default:
			continue
		}
		hit = true
	}
	return hit
}

// words gives the words of a text that are paths from the root or the home directory, or lead up.
func words(text string) []string {
	var found []string
	for _, m := range pathWord().FindAllStringSubmatch(text, 16) {
		found = append(found, m[1])
	}
	return found
}

// relative looks for the names of closed places that are given from the directory where the program started.
func (x *explainer) relative(text string) bool {
	hit := false
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t'\":;()<>|&=", r) }) {
		if word == "" || word == "." || word[0] == '/' || word[0] == '~' || word[0] == '$' {
			continue
		}
		path := filepath.Join(x.dir, word)
		switch where := x.view().where(path); {
		case where == placeMasked:
			x.add(Denial{DeniedRead, path, true})
		case where == placeReadOnly && x.view().writable(path):
			x.add(Denial{DeniedWrite, path, true})
		default:
			continue
		}
		hit = true
	}
	return hit
}

// guilty looks in the command for the place that was read-only.
func (x *explainer) guilty(command string) {
	for _, word := range words(command) {
		if path := x.clean(word); path != "/" && x.view().where(path) == placeReadOnly && !isTool(path) {
			x.add(Denial{DeniedWrite, path, false})
		}
	}
}

// isTool reports whether a path is rather what runs than what is written.
func isTool(path string) bool { return above("/usr/bin", path) || above("/bin", path) }

// isProgramName reports whether a path only names the program that wrote the line: "/bin/sh: 1: …".
func isProgramName(line, word string) bool { return strings.HasPrefix(line, word+":") }

func (x *explainer) clean(word string) string {
	for _, home := range []string{"~", "$HOME", "${HOME}"} {
		if rest, ok := strings.CutPrefix(word, home); ok && (rest == "" || rest[0] == '/') {
			word = x.home + rest
		}
	}
	word = strings.TrimRight(word, "!")
	if word == ".." || strings.HasPrefix(word, "../") {
		return filepath.Join(x.dir, word)
	}
	return filepath.Clean(strings.TrimRight(word, "."))
}

// silent looks at the command itself when its failure left no word behind.
func (x *explainer) silent(command string) {
	x.relative(command)
	for _, word := range words(command) {
		path := x.clean(word)
		switch where := x.view().where(path); {
		case path == "/":
		case where == placeMasked:
			x.add(Denial{DeniedRead, path, false})
		case where == placeHidden:
			x.add(Denial{DeniedHidden, path, false})
		case where == placeReadOnly && writes().MatchString(command) && !isTool(path):
			x.add(Denial{DeniedWrite, path, false})
		}
	}
	if x.network && len(x.found) == 0 && installs().MatchString(command) {
		x.add(Denial{DeniedNetwork, "", false})
	}
	if host := hostWord().FindString(command); x.network && len(x.found) == 0 && host != "" && reaches().MatchString(command) {
		x.add(Denial{DeniedNetwork, host, false})
	}
}

func firstWord(line string) string {
	word, _, _ := strings.Cut(line, ":")
	if len(word) > 40 {
		word = word[:40]
	}
	return word
}

// Note is the harness's message to the model about denials: what was blocked, and how to go on. ask is the tool call that
// requests access; "" where there is none.
func Note(denials []Denial, workspace, ask string) string {
	if len(denials) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("[note from rein, not from the program: the sandbox ")
	if denials[0].Certain {
		b.WriteString("blocked part of this.")
	} else {
		b.WriteString("probably blocked part of this.")
	}
	for _, d := range denials {
		fmt.Fprintf(&b, " %s.", d.sentence())
	}
	if denials[0].Kind != DeniedNetwork && denials[0].Kind != DeniedKernel {
		fmt.Fprintf(&b, " Work under %s or in $TMPDIR.", workspace)
	}
	if ask != "" {
		fmt.Fprintf(&b, " If the task needs it, request access with this call: %s]\n", ask)
	} else {
		fmt.Fprintf(&b, " %s]\n", advice(denials[0].Kind))
	}
	return b.String()
}

// sentence describes what was blocked.
func (d Denial) sentence() string {
	switch d.Kind {
	case DeniedWrite:
		return "Programs cannot write to " + d.Target
	case DeniedRead:
		return "Programs cannot read " + d.Target + ": it holds secrets"
	case DeniedHidden:
		return "Programs cannot see " + d.Target + " (it may exist)"
	case DeniedNetwork:
		if d.Target == "" {
			return "Programs reach only allowed hosts"
		}
		return "Programs cannot reach " + d.Target + ": it is not an allowed host"
	case DeniedSocket:
		return "Programs cannot connect to " + d.Target
	}
	return "Programs have no privileges for this: " + d.Target
}

func advice(kind DenialKind) string {
	switch kind {
	case DeniedNetwork:
		return "If the task needs the host, tell the user, who can allow it."
	case DeniedKernel:
		return "Find a way without privileges, or tell the user what to run."
	}
	return "If the task needs this place, tell the user, who can allow it with --add-dir."
}
