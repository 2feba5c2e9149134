package shell

import "strings"

// isCommandSetting reports whether the value of a setting is a line for a shell.
func isCommandSetting(key string) bool {
	switch key {
	case "core.fsmonitor", "core.pager", "core.editor", "core.sshcommand", "core.askpass", "diff.external", "sequence.editor", "interactive.difffilter",
		"uploadpack.packobjectshook", "sendemail.sendmailcmd", "gpg.program", "core.gitproxy":
		return true
	}
	for _, end := range []string{".command", ".cmd", ".textconv", ".driver", ".clean", ".smudge", ".process", ".program"} {
		if strings.HasSuffix(key, end) {
			return true
		}
	}
	return strings.HasPrefix(key, "pager.")
}

// runsBySetting reports whether a name of git's configuration holds a program, a path to one, or another
// configuration.
func runsBySetting(key string) bool {
	switch key {
	case "core.fsmonitor", "core.pager", "core.editor", "core.sshcommand", "core.hookspath", "core.askpass", "core.gitproxy", "core.alternaterefscommand",
		"core.attributesfile", "core.worktree", "diff.external", "diff.tool", "merge.tool", "gpg.program", "sequence.editor", "credential.helper", "web.browser", "help.browser",
		"interactive.difffilter", "include.path", "init.templatedir", "http.proxy", "https.proxy", "http.sslverify", "sendemail.smtpserver", "sendemail.sendmailcmd",
		"uploadpack.packobjectshook", "receive.procreceiverefs", "instaweb.httpd", "instaweb.browser", "man.viewer", "ssh.variant", "trailer.command":
		return true
	}
	for _, p := range []string{"alias.", "pager.", "difftool.", "mergetool.", "filter.", "protocol.", "includeif.", "url.", "remote-ext", "submodule.alternate", "browser."} {
		if strings.HasPrefix(key, p) {
			return true
		}
	}
	for _, s := range []string{".command", ".cmd", ".textconv", ".driver", ".clean", ".smudge", ".process", ".helper", ".program", ".uploadpack", ".receivepack", ".vcs", ".proxy", ".update", ".path", ".cmdline"} {
		if strings.HasSuffix(key, s) {
			return true
		}
	}
	return false
}

// onlyNames are sub-commands that look at no file of the work tree and show none.
func onlyNames(sub string) bool {
	switch sub {
	case "branch", "rev-parse", "remote", "config", "tag", "help", "version", "reflog", "rev-list", "merge-base", "symbolic-ref", "for-each-ref", "show-ref", "worktree":
		return true
	}
	return false
}

// GitRuns reports whether a setting of a repository, by its name in lower case, makes git run a program while it looks at or
// changes files. Settings whose program is known to be harmless are false. What the harness disarms in the environment of
// its programs is not among them: pagers, editors, prompts.
func GitRuns(key, value string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(value), " ")
	switch {
	case value == "", first == "git-lfs", strings.HasPrefix(value, "git lfs "):
		return false
	case key == "core.fsmonitor":
		return value != "true" && value != "false"
	case key == "diff.external", key == "include.path", strings.HasPrefix(key, "includeif."):
		return true
	}
	for _, kind := range []struct{ section, end string }{
		{"filter.", ".clean"}, {"filter.", ".smudge"}, {"filter.", ".process"}, {"diff.", ".command"}, {"diff.", ".textconv"}, {"merge.", ".driver"},
	} {
		if strings.HasPrefix(key, kind.section) && strings.HasSuffix(key, kind.end) {
			return true
		}
	}
	return false
}

// looksLikeFile reports whether a word is rather a file than a branch: it has an extension of a source file.
func looksLikeFile(s string) bool {
	i := strings.LastIndexByte(s, '.')
	if i <= 0 || i == len(s)-1 {
		return false
	}
	ext := s[i+1:]
	return len(ext) <= 5 && strings.Trim(ext, "0123456789") != ""
}
