package git

import (
	"context"
	"fmt"
	"strings"

	"rein/tool"
)

// environment keeps git from running anything, from asking, and from writing.
var environment = []string{
	"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_CONFIG_NOSYSTEM=1",
	"GIT_NO_REPLACE_OBJECTS=1", "GIT_PAGER=cat", "GIT_EDITOR=false", "LC_ALL=C",
}

// fixed are the settings that are always put over those of the repository.
var fixed = []string{
	"--no-pager", "--no-optional-locks",
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat", "-c", "core.untrackedCache=false",
	"-c", "core.sshCommand=false", "-c", "core.askPass=", "-c", "credential.helper=", "-c", "gpg.program=false", "-c", "gpg.ssh.program=false", "-c", "gpg.x509.program=false",
	"-c", "log.showSignature=false", "-c", "protocol.allow=never", "-c", "color.ui=false", "-c", "core.quotePath=false",
	"-c", "submodule.recurse=false", "-c", "status.submoduleSummary=false", "-c", "diff.submodule=short", "-c", "diff.ignoreSubmodules=dirty",
	"-c", "log.mailmap=false", "-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false", "-c", "status.relativePaths=true", "-c", "core.attributesFile=/dev/null",
}

// mostSettings is how many settings of a repository may have to be switched off.
const mostSettings = 500

// quiet returns the arguments that switch off every setting of the repository that names a program. Filters, drivers of diffs
// and remotes have names of their own, so they are listed first; listing runs nothing.
func (g Repository) quiet(ctx context.Context, a at) ([]string, error) {
	out, cut, err := g.start(ctx, a, append(fixed[:len(fixed):len(fixed)], "config", "--list", "--includes", "--name-only", "-z"))
	if err != nil {
		return nil, err
	}
	args, n := fixed[:len(fixed):len(fixed)], 0
	seen := map[string]bool{}
	for key := range strings.SplitSeq(string(out), "\x00") {
		value, runs := off(key)
		if !runs || seen[key] {
			continue
		}
		if strings.ContainsAny(key, "=\n") { // git would take another key for it
			return nil, &tool.Error{Kind: tool.Unsupported, Text: fmt.Sprintf("The setting %q of this repository can run a program and cannot be switched off.", key)}
		}
		seen[key] = true
		n++
		args = append(args, "-c", key+"="+value)
	}
	if cut || n > mostSettings {
		return nil, &tool.Error{Kind: tool.TooLarge, Text: "The settings of this repository are too long to be switched off."}
	}
	return args, nil
}

// off returns the value of a setting with which it runs nothing, and whether the setting can run anything.
func off(key string) (value string, runs bool) {
	section, rest, _ := strings.Cut(key, ".")
	name := rest[strings.LastIndexByte(rest, '.')+1:]
	switch section {
	case "filter":
		switch name {
		case "required":
			return "false", true
		case "clean", "smudge", "process":
			return "", true
		}
	case "diff":
		if name == "command" || name == "textconv" {
			return "", true
		}
	case "remote":
		switch name {
		case "promisor":
			return "false", true
		case "uploadpack", "receivepack", "vcs", "proxy":
			return "", true
		}
	case "credential", "trailer", "gpg":
		if name == "helper" || name == "command" || name == "cmd" || name == "program" || name == "defaultkeycommand" {
			return "", true
		}
	}
	return "", false
}
