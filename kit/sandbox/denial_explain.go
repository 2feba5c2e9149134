package sandbox

// A denial is concluded from the end and the output of a program: the kernel does not report what it kept a program from.

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// place is how programs see a path.
type place int

const (
	placeWritable place = iota
	placeReadOnly
	placeHidden
	placeMasked
)

// where returns a path as programs see it.
func where(v *view, path string) place {
	for _, m := range v.Masked {
		if isAbove(m.Target, path) {
			return placeMasked
		}
	}
	for _, l := range v.Locked {
		if !l.Write && isAbove(l.Target, path) {
			return placeReadOnly
		}
	}
	switch {
	case isAbove("/dev", path):
		return placeWritable // its own /dev: what fails there has no devices
	case v.Writable(path):
		return placeWritable
	case v.Visible(path):
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
const privileges = `(?i)^(mount|umount|unshare|nsenter|chroot|sudo|su|dmesg|ping|ip|iptables|docker|podman|insmod|modprobe|sysctl|hostname|renice|nice|perf|bpftrace|bpftool|keyctl|swapon|losetup|date|runuser|setpriv|newgrp|passwd|capsh|reboot|shutdown)\b`

// tracings are the messages of programs that may not trace another: of gdb, lldb and dlv, strace, sanitizers.
const tracings = `(?i)\bptrace\b.*not permitted|LeakSanitizer has encountered a fatal error|could not (attach to pid|launch process:.*not permitted)|process launch failed:.*not permitted`

// keys are the messages of programs without a key or a sign-in: of git, gpg and ssh, and of clients of services.
const keys = `(?i)failed to sign the data|unable to sign the tag|couldn't load public key|gpg: signing failed|could not read (username|password) for 'http|permission denied \(publickey|` +
	`\bgh auth login\b|\bglab auth login\b|unable to locate credentials|\baz login\b|do not currently have an active account|\bENEEDAUTH\b|no basic auth credentials`

// unresolved are the messages of clients of other protocols than HTTP.
const unresolved = `(?i)\bssh: could not resolve|could not translate host name|unknown mysql server host|could not connect to redis at [^:]*:\d*: (name|temporary)`

// A denialCase is a program that has ended and may have been blocked.
type denialCase struct {
	Command string // the script that was run
	Dir     string // where it started
	Home    string
	Output  string
	Code    int // its exit status
	Signal  syscall.Signal
	Tracing bool         // programs may trace each other
	Network bool         // programs have a network of their own
	Refused []string     // hosts that the proxy refused, as host:port
	View    func() *view // what the program saw: asked only when the output needs it
}

// explainDenials returns what the sandbox probably blocked, the likeliest first, and nothing without evidence.
func explainDenials(c denialCase) []Denial {
	x := explainer{view: c.View, home: c.Home, dir: c.Dir, network: c.Network, tracing: c.Tracing}
	if c.Signal == syscall.Signal(sigsys) || c.Code == 128+sigsys {
		x.add(Denial{DeniedKernel, "a system call that programs may not use", true})
	}
	for _, host := range c.Refused {
		x.add(Denial{DeniedNetwork, host, true})
	}
	if mayComplain(c.Output) {
		for line := range strings.Lines(c.Output) {
			x.line(strings.TrimSpace(line))
		}
	}
	if len(x.found) == 0 && c.Code != 0 && x.unnamed {
		x.guilty(c.Command)
	}
	if len(x.found) == 0 && c.Code != 0 && strings.TrimSpace(c.Output) == "" {
		x.silent(c.Command)
	}
	return x.found
}

// sigsys is the signal of a system call that is answered with the end of the process.
const sigsys = 31

type explainer struct {
	view      func() *view // worked out when it is first asked for: it looks through the workspace
	home, dir string
	network   bool
	tracing   bool
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
	refusal    = lazyPattern(refusals)
	unwritable = lazyPattern(`(?i)read-only file system|\bEROFS\b`)
	absence    = lazyPattern(absences)
	stranding  = lazyPattern(strandings)
	report     = lazyPattern(reports)
	passed     = lazyPattern(`\.\.\. ok\b|^\s*ok \d|\bPASS(ED)?\b`)
	loopback   = lazyPattern(`(?i)(connect|connection)\b.*\b(localhost|127\.0\.0\.1|::1)\b`)
	privilege  = lazyPattern(privileges)
	traced     = lazyPattern(tracings)
	keyless    = lazyPattern(keys)
	unreached  = lazyPattern(unresolved)
	pathWord   = lazyPattern(`(?:^|[\s'"‘“` + "`" + `:=(<>])((?:~|\$HOME|\$\{HOME\}|\.\.(?:/|$)|/)[^\s'"’”` + "`" + `:;,()<>|&*?\[\]{}=]*)`)
	hostNamed  = lazyPattern(`(?i)(?:host|proxy|resolve|lookup|ENOTFOUND|EAI_AGAIN|rein|\bto|://)[: ='"(]*((?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?)`)
	writes     = lazyPattern(`(^|[\s;&|(])(touch|mkdir|rmdir|cp|mv|tee|install|ln|rm|chmod|chown|dd|truncate|rsync|sed\s+-i\S*|git\s+(init|clone|config)|unzip|tar|patch)\s|>{1,2}\s*[~/$]`)
)

func lazyPattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// complaints has a part of each message that line looks for, in small letters: most outputs have none of them, and to look for them is a
// hundred times as fast.
var complaints = strings.Split(`read-only file system|permission denied|not permitted|erofs|eacces|eperm|permissionerror|cross-device link|`+
	`device or resource busy|access denied|is not writable|cannot|unable to|could not|no such file|enoent|not found|does not exist|nonexistent|`+
	`filenotfounderror|couldn't resolve|name resolution|service not known|no such host|is unreachable|enetunreach|eai_again|enotfound|getaddrinfo|`+
	`unknown host|no route to host|failed to|leaksanitizer has encountered|couldn't load|auth login|az login|active account|eneedauth|basic auth|publickey|unknown mysql server host|signing failed|address family not supported|no servers could be reached|network request failed|not on the list|must be`, "|")

// mayComplain reports whether a line of an output may say that something was refused or is missing.
func mayComplain(output string) bool {
	lower := strings.ToLower(output)
	return slices.ContainsFunc(complaints, func(part string) bool { return strings.Contains(lower, part) })
}

// line looks at one line of the output.
func (x *explainer) line(line string) {
	if len(line) > 2000 {
		line = line[:2000]
	}
	switch {
	case passed().MatchString(line):
	case x.network && (loopback().MatchString(line) || strings.Contains(line, "connect to bus")):
	case x.network && unreached().MatchString(line):
		x.add(Denial{DeniedSockets, "", true})
	case x.network && stranding().MatchString(line) && (!report().MatchString(line) || strings.Contains(line, "rein: ")):
		host := "" // not each word with a point is one
		if m := hostNamed().FindStringSubmatch(line); m != nil {
			host = m[1]
		}
		if host != "" || !slices.ContainsFunc(x.found, func(d Denial) bool { return d.Kind == DeniedNetwork }) {
			x.add(Denial{DeniedNetwork, host, strings.Contains(line, "rein: ")})
		}
	case keyless().MatchString(line):
		x.add(Denial{DeniedKeys, "", true})
	case !x.tracing && traced().MatchString(line):
		x.add(Denial{DeniedTracing, "", true})
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
	case strings.Contains(line, "Cannot connect to the Docker daemon"):
		_, at, _ := strings.Cut(line, "unix://")
		at, _, _ = strings.Cut(at, " ")
		if at = x.clean(at); isOfTheMachine(at) && exists(at) { // else no daemon runs outside either
			x.add(Denial{DeniedSocket, at, false})
		}
	case strings.Contains(line, "must be superuser"), strings.Contains(line, "must be root"):
		x.add(Denial{DeniedKernel, firstWord(line), false})
	}
}

// paths looks for a place that explains the line, and reports whether there is one.
func (x *explainer) paths(line string, refused bool) bool {
	hit := false
	for _, word := range words(line) {
		path := x.clean(word)
		if path == "/" || !isOfTheMachine(path) {
			continue
		}
		switch seen := where(x.view(), path); {
		case seen == placeMasked:
			x.add(Denial{DeniedRead, path, true})
		case seen == placeHidden && (refused || exists(path)): // what is not there is missed outside, too
			x.add(Denial{DeniedHidden, path, false})
		case seen == placeReadOnly && refused && strings.HasSuffix(path, ".sock"):
			x.add(Denial{DeniedSocket, path, false})
		case seen == placeReadOnly && refused && !isProgramName(line, word):
			x.add(Denial{DeniedWrite, path, strings.Contains(strings.ToLower(line), "read-only file system")})
		default:
			continue
		}
		hit = true
	}
	return hit
}

// isOfTheMachine reports whether a path is below a directory of the machine: a word that only looks like a path is not.
func isOfTheMachine(path string) bool {
	first, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return rest != "" || exists("/"+first)
}

// words returns the words of a text that are paths from the root or the home directory, or lead up.
func words(text string) []string {
	var found []string
	for _, m := range pathWord().FindAllStringSubmatch(text, 16) {
		if !strings.HasPrefix(m[1], "//") { // the rest of an address
			found = append(found, m[1])
		}
	}
	return found
}

// relative looks for the names of closed places that are given from the directory where the program started.
func (x *explainer) relative(text string) bool {
	hit := false
	at, ofShell := strings.CutPrefix(text, "bash: line ")
	if ofShell {
		_, text, _ = strings.Cut(at, ": ")
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t'\":;()<>|&=", r) }) {
		if word == "" || word == "." || word[0] == '/' || word[0] == '~' || word[0] == '$' {
			continue
		}
		path := filepath.Join(x.dir, word)
		switch seen := where(x.view(), path); {
		case seen == placeMasked:
			x.add(Denial{DeniedRead, path, true})
		case seen == placeReadOnly && x.view().Writable(path) && (ofShell || !isProgramName(text, word)) && (exists(path) || strings.Contains(text, word+": ")): // or it would be made
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
		if path := x.clean(word); path != "/" && isOfTheMachine(path) && where(x.view(), path) == placeReadOnly && !isTool(path) {
			x.add(Denial{DeniedWrite, path, false})
		}
	}
}

// isTool reports whether a path is rather what runs than what is written.
func isTool(path string) bool { return isAbove("/usr/bin", path) || isAbove("/bin", path) }

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
		switch seen := where(x.view(), path); {
		case path == "/":
		case seen == placeMasked:
			x.add(Denial{DeniedRead, path, false})
		case seen == placeHidden && (exists(path) || writes().MatchString(command)):
			x.add(Denial{DeniedHidden, path, false})
		case seen == placeReadOnly && isOfTheMachine(path) && writes().MatchString(command) && !isTool(path):
			x.add(Denial{DeniedWrite, path, false})
		}
	}
}

// firstWord is the program that begins a line of its own; "": it says no name.
func firstWord(line string) string {
	word, _, _ := strings.Cut(line, ":")
	if strings.Contains(word, " ") {
		return ""
	}
	return word
}
