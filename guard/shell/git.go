package shell

import (
	"strings"

	"rein/places"
)

// gitProgram reads the options before git's sub-command.
func gitProgram(r *reader, sc *scope, c *call) (data, bool) {
	for _, o := range c.got.options {
		if o.name == "--git-dir" && o.takes {
			r.gitElsewhere(sc, c, o.value)
		}
		if o.name != "-C" || !o.takes {
			continue
		}
		inner := *sc
		inner.cwd = r.abs(sc, o.value.text)
		if !o.value.known() {
			inner.cwd = ""
		}
		rest := c.got
		rest.options = without(rest.options, "-C")
		r.gitElsewhere(sc, c, o.value)
		nested := *c
		nested.got = rest
		return r.gitRest(&inner, &nested), true
	}
	return r.gitRest(sc, c), true
}

func without(options []option, name string) []option {
	var out []option
	for _, o := range options {
		if o.name != name {
			out = append(out, o)
		}
	}
	return out
}

// gitElsewhere judges git in another repository: its configuration runs code.
func (r *reader) gitElsewhere(sc *scope, c *call, dir value) {
	s := r.locate(sc, dir)
	switch {
	case s.free:
		r.found(Dynamic, "runs git in a directory that is not known")
	case r.inWork(s.abs):
	case r.inHome(s.abs):
		r.reads(sc, dir)
	default:
		r.found(Exec, "runs git by the configuration of %s", dir.shown())
		r.reads(sc, dir)
	}
	if c.got.spec.name == "clean" && !s.free && places.IsRoot(s.abs, r.ctx.Context) && !r.inWork(s.abs) {
		r.found(Destroy, "removes files of %s", dir.shown())
	}
}

// gitRest applies the table and what all sub-commands share.
func (r *reader) gitRest(sc *scope, c *call) data {
	r.ownSettings(sc, c)
	if sc.cwd != "" && !r.inWork(sc.cwd) && len(c.got.path) > 0 {
		switch places.Classify(sc.cwd, r.ctx.Context) {
		case places.Temp, places.Tools:
		default:
			r.gitElsewhere(sc, c, literal(sc.cwd))
		}
	}
	for _, o := range c.got.options {
		if o.name == "-c" && o.takes {
			r.gitSetting(sc, o.value)
		}
	}
	if sc.unedited && c.got.spec.name == "rebase" {
		c.got.options = without(without(c.got.options, "-i"), "--interactive")
	}
	r.discards(c)
	if c.got.spec.name == "restore" {
		r.settingsOfAnotherTime(sc, c)
	}
	if c.got.unlisted && len(c.got.operands) > 0 && len(c.got.path) == 0 {
		r.anyArgs(sc, c.got.operands[1:])
		return data{taint: fromWork}
	}
	if how := c.got.spec.how; how != "" && how != "git" {
		if out, done := r.handle(how, sc, c); done {
			return out
		}
	}
	return r.apply(sc, c)
}

// discards notes what discards changes that are not committed.
func (r *reader) discards(c *call) {
	switch c.got.spec.name {
	case "reset":
		r.discard(Changes, c.got.has("--hard", "--merge", "--keep"))
	case "clean":
		r.discard(Untracked, !c.got.has("-n", "--dry-run"))
	case "restore":
		r.discard(Changes, !c.got.has("--staged", "-S") || c.got.has("-W", "--worktree"))
	case "switch":
		r.discard(Changes, c.got.has("-f", "--force", "--discard-changes"))
	}
}

func (r *reader) discard(what Discard, is bool) {
	if is {
		r.report.Discards |= what
	}
}

// gitSetting judges name=value of the configuration: many of its names hold programs.
func (r *reader) gitSetting(sc *scope, v value) {
	name, val, _ := v.cut("=")
	key := strings.ToLower(name.text)
	if runsBySetting(key) {
		r.found(Exec, "git's %s runs a program", name.shown())
		if cmd, ok := strings.CutPrefix(val.text, "!"); ok || isCommandSetting(key) {
			r.text(sc, val.with(cmd), nil)
		}
	}
}

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

// gitConfig reads git config: looking is harmless except for credentials, and setting depends on what.
func gitConfig(r *reader, sc *scope, c *call) (data, bool) {
	ops := c.got.operands
	if len(ops) > 0 {
		switch ops[0].text {
		case "list", "get":
			c.got.options = append(c.got.options, option{name: "--" + ops[0].text})
			ops = ops[1:]
		case "set", "unset", "edit", "rename-section", "remove-section":
			if ops[0].text == "edit" {
				r.found(Exec, "opens an editor")
			}
			ops = append(ops[1:len(ops):len(ops)], literal("x"))
		}
	}
	if file, ok := c.got.value("-f", "--file"); ok && len(ops) > 1 {
		r.writes(sc, file)
	}
	looks := c.got.has("--get", "--get-all", "--get-regexp", "--list", "-l", "--get-urlmatch", "--get-color", "--get-colorbool")
	changes := c.got.has("--unset", "--unset-all", "--add", "--replace-all", "--rename-section", "--remove-section", "-e", "--edit")
	name := ""
	if len(ops) > 0 {
		name = strings.ToLower(ops[0].text)
	}
	if strings.Contains(name, "credential") || strings.Contains(name, "token") || strings.Contains(name, "password") || strings.Contains(name, "extraheader") {
		r.effect(Private)
	}
	if !looks && (len(ops) > 1 || changes) {
		r.gitConfigures(sc, c, name, ops)
	}
	return data{taint: fromNumber}, true
}

func (r *reader) gitConfigures(sc *scope, c *call, name string, ops []value) {
	switch {
	case c.got.has("--system"):
		r.found(Destroy, "changes git's configuration of the machine")
	case c.got.has("--global"):
		r.found(OutsideWrite, "changes git's configuration of the user")
	case name == "user.name" || name == "user.email" || strings.HasPrefix(name, "color.") || strings.HasPrefix(name, "branch.") ||
		strings.HasPrefix(name, "pull.") || strings.HasPrefix(name, "push.") || name == "core.autocrlf" || name == "core.filemode" ||
		name == "core.ignorecase" || name == "init.defaultbranch" || strings.HasPrefix(name, "advice.") || name == "commit.gpgsign" || strings.HasPrefix(name, "rerere."):
		r.effect(Commit)
	default:
		r.found(Config, "changes git's configuration: %s", name)
	}
	if len(ops) > 1 {
		r.gitSetting(sc, value{text: ops[0].text + "=" + ops[1].text, taint: ops[1].taint})
		if cmd, ok := strings.CutPrefix(ops[1].text, "!"); ok {
			r.text(sc, ops[1].with(cmd), nil)
		}
	}
}

// gitPush reads git push: what rewrites or removes something on the server is more severe.
func gitPush(r *reader, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	for i, v := range c.got.operands {
		if i == 0 {
			r.remoteName(v)
			if strings.Contains(v.text, "://") || isRemote(v) {
				r.found(Upload, "sends the work to %s, which is not a named remote", v.shown())
			}
			continue
		}
		if strings.HasPrefix(v.text, "+") || strings.HasPrefix(v.text, ":") {
			r.found(RemoteChange, "rewrites or removes %s elsewhere", v.shown())
		}
	}
	return data{}, true
}

// remoteName judges where git goes: a name, or an address, some of which run programs.
func (r *reader) remoteName(v value) {
	switch {
	case strings.Contains(v.text, "::"):
		r.found(Exec, "git starts a remote helper program for %s", v.shown())
	case strings.HasPrefix(v.text, "-"):
		r.found(Exec, "an address that git would read as an option")
	case strings.Contains(v.text, "://"):
		r.contact(ContactOf(v.text))
	case isRemote(v):
		r.contact(sshContact(v.text))
	}
	r.sends(v.taint&(fromSecret|fromPrivate|fromEnv|fromOutside), "in an address")
}

// gitRemote reads fetch, pull, clone, ls-remote: where from.
func gitRemote(r *reader, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	for i, v := range c.got.operands {
		if i == 0 {
			r.remoteName(v)
			continue
		}
		if c.got.spec.name == "clone" {
			r.writes(sc, v)
		}
	}
	return data{taint: fromNet}, true
}

// gitCheckout reads git checkout: branches are changed, files are thrown away.
func gitCheckout(r *reader, sc *scope, c *call) (data, bool) {
	r.settingsOfAnotherTime(sc, c)
	for i, a := range c.argv {
		if a.text == "--" && i < len(c.argv)-1 {
			r.found(Delete, "discards changes that are not committed")
		}
	}
	if c.got.has("-f", "--force", "--ours", "--theirs") {
		r.found(Delete, "discards changes that are not committed")
	}
	if !c.got.has("-b", "-B", "--orphan", "--detach", "-d", "-t", "--track") {
		for _, v := range c.got.operands {
			if v.text == "." || strings.HasPrefix(v.text, "./") || strings.ContainsAny(v.text, unknowns) || looksLikeFile(v.text) {
				r.found(Delete, "discards changes that are not committed")
			}
		}
		if len(c.got.operands) > 1 && !strings.Contains(c.got.operands[0].text, "origin") {
			r.found(Delete, "discards changes that are not committed")
		}
	}
	r.discard(Changes, r.part >= Delete)
	r.effect(Commit)
	return data{}, true
}

// settingsOfAnotherTime refuses to bring back the harness's own settings as they were in another commit.
func (r *reader) settingsOfAnotherTime(sc *scope, c *call) {
	for _, v := range c.argv[1:] {
		if !strings.HasPrefix(v.text, "-") && r.locate(sc, v).class == places.Settings {
			r.writes(sc, v)
		}
	}
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

// gitObject reads git show and similar commands: REV:path shows a file of another commit, where a secret file
// is secret, too.
func gitObject(r *reader, sc *scope, c *call) (data, bool) {
	t := r.applyOptions(sc, c)
	for _, v := range c.got.operands {
		_, file, ok := v.cut(":")
		if !ok {
			file = v
		}
		if file.text == "" || strings.HasPrefix(v.text, ":") && !ok {
			continue
		}
		if s := r.locate(sc, file); !s.free && (s.class == places.Private || s.class == places.Secret) {
			r.reads(sc, file)
			t |= fromPrivate
		}
	}
	return data{taint: t | fromWork}, true
}

// gitTop reads git rev-parse: with --show-toplevel it prints the top directory of the workspace.
func gitTop(r *reader, sc *scope, c *call) (data, bool) {
	if c.got.has("--show-toplevel") && len(r.ctx.Workspaces) > 0 {
		return textData(r.ctx.Workspaces[0]+"\n", 0), true
	}
	if c.got.has("--git-dir", "--absolute-git-dir", "--git-common-dir") && len(r.ctx.Workspaces) > 0 {
		return textData(r.ctx.Workspaces[0]+"/.git\n", 0), true
	}
	return data{taint: fromNumber}, true
}

// gitNoIndex reads git diff: with --no-index its operands are any files.
func gitNoIndex(r *reader, sc *scope, c *call) (data, bool) {
	if !c.got.has("--no-index") {
		return gitObject(r, sc, c)
	}
	t := r.applyOptions(sc, c)
	for _, v := range c.got.operands {
		r.reads(sc, v)
		if s := r.locate(sc, v); s.free || !r.inWork(s.abs) && s.class != places.Sink && s.class != places.Temp {
			r.found(Exec, "git reads files outside the repository")
		}
		t |= r.contents(sc, v)
	}
	return data{taint: t}, true
}
