package shell

import (
	"path"
	"slices"
	"strings"

	"rein/guard/effect"
	"rein/kit/places"
)

// gitProgram reads the options before git's sub-command.
func gitProgram(r *programs, sc *scope, c *call) (data, bool) {
	for i, o := range c.Got.Options {
		if o.Name == "--git-dir" && o.Takes {
			r.gitElsewhere(sc, c, o.Value)
		}
		if o.Name != "-C" || !o.Takes || !beforeSub(c, i) {
			continue
		}
		inner := *sc
		inner.Cwd = r.Abs(sc, o.Value.Text)
		if !o.Value.Known() {
			inner.Cwd = ""
		}
		rest := c.Got
		rest.Options = slices.Delete(slices.Clone(rest.Options), i, i+1)
		r.gitElsewhere(sc, c, o.Value)
		nested := *c
		nested.Got = rest
		return r.gitRest(&inner, &nested), true
	}
	return r.gitRest(sc, c), true
}

// beforeSub reports whether -C, the option at an index, is one of git itself: several sub-commands have one of their own.
func beforeSub(c *call, index int) bool {
	for _, a := range c.Argv[1:] {
		if len(c.Got.Path) > 0 && a.Text == c.Got.Path[0] {
			return false
		}
		if a.Text == "-C" && !slices.ContainsFunc(c.Got.Options[:index], func(o parsedOption) bool { return o.Name == "-C" }) {
			return true
		}
	}
	return false
}

func without(options []parsedOption, name string) []parsedOption {
	var out []parsedOption
	for _, o := range options {
		if o.Name != name {
			out = append(out, o)
		}
	}
	return out
}

// gitElsewhere judges git in another repository: its configuration runs code.
func (r *programs) gitElsewhere(sc *scope, c *call, dir value) {
	s := r.Locate(sc, dir)
	switch {
	case s.Free:
		r.Found(effect.Dynamic, "runs git in a directory that is not known")
	case r.InWork(s.Abs):
	case r.InHome(s.Abs):
		r.Reads(sc, dir)
	default:
		r.Found(effect.Exec, "runs git by the configuration of %s", dir.Shown())
		r.Reads(sc, dir)
	}
	if c.Got.Spec.Name == "clean" && !s.Free && places.IsRoot(s.Abs, r.Ctx.Context) && !r.InWork(s.Abs) {
		r.Found(effect.Destroy, "removes files of %s", dir.Shown())
	}
}

// gitRest applies the table and what all sub-commands share.
func (r *programs) gitRest(sc *scope, c *call) data {
	r.ownSettings(sc, c)
	if sc.Cwd != "" && !r.InWork(sc.Cwd) && len(c.Got.Path) > 0 {
		switch places.Classify(sc.Cwd, r.Ctx.Context) {
		case places.Temp, places.Tools:
		default:
			r.gitElsewhere(sc, c, literal(sc.Cwd))
		}
	}
	for _, o := range c.Got.Options {
		if o.Name == "-c" && o.Takes {
			r.gitSetting(sc, o.Value)
		}
	}
	if sc.Unedited && c.Got.Spec.Name == "rebase" {
		c.Got.Options = without(without(c.Got.Options, "-i"), "--interactive")
	}
	r.discards(sc, c)
	if c.Got.Spec.Name == "restore" {
		r.settingsOfAnotherTime(sc, c)
	}
	if c.Got.Unlisted && len(c.Got.Operands) > 0 && len(c.Got.Path) == 0 {
		r.AnyArgs(sc, c.Got.Operands[1:])
		return data{Taint: fromWork}
	}
	if how := c.Got.Spec.How; how != "" && how != "git" {
		if out, done := r.Shell.Handle(how, sc, c); done {
			return out
		}
	}
	return r.apply(sc, c)
}

// gitSetting judges name=value of the configuration: many of its names hold programs.
func (r *programs) gitSetting(sc *scope, v value) {
	name, val, _ := v.Cut("=")
	key := strings.ToLower(name.Text)
	if runsBySetting(key) {
		r.Found(effect.Exec, "git's %s runs a program", name.Shown())
		if cmd, ok := strings.CutPrefix(val.Text, "!"); ok || isCommandSetting(key) {
			r.Shell.Text(sc, val.With(cmd), nil)
		}
	}
}

// gitClean reads git clean: with -i it asks a person, unless the answers flow in.
func gitClean(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	switch {
	case c.Got.Has("-n", "--dry-run") || asksPerson(c):
	case c.Got.Has("-x", "-X"):
		r.Found(effect.Delete, "removes files that git does not know, also those that it ignores, which an undo may not bring back")
	default:
		r.Found(effect.Delete, "removes files that git does not know")
	}
	return data{Known: true}, true
}

// asksPerson reports whether a program with -i gets its answers from a person.
func asksPerson(c *call) bool {
	return c.Got.Has("-i", "--interactive") && !c.In.Known && c.In.Taint&^fromInput == 0
}

// gitConfig reads git config: looking is harmless except for credentials, and setting depends on what.
func gitConfig(r *programs, sc *scope, c *call) (data, bool) {
	ops := c.Got.Operands
	if len(ops) > 0 {
		switch ops[0].Text {
		case "list", "get":
			c.Got.Options = append(c.Got.Options, parsedOption{Name: "--" + ops[0].Text})
			ops = ops[1:]
		case "set", "unset", "edit", "rename-section", "remove-section":
			if ops[0].Text == "edit" {
				r.Found(effect.Exec, "opens an editor")
			}
			ops = append(ops[1:len(ops):len(ops)], literal("x"))
		}
	}
	if file, ok := c.Got.Value("-f", "--file"); ok && len(ops) > 1 {
		r.Writes(sc, file)
	}
	looks := c.Got.Has("--get", "--get-all", "--get-regexp", "--list", "-l", "--get-urlmatch", "--get-color", "--get-colorbool")
	changes := c.Got.Has("--unset", "--unset-all", "--add", "--replace-all", "--rename-section", "--remove-section", "-e", "--edit")
	name := ""
	if len(ops) > 0 {
		name = strings.ToLower(ops[0].Text)
	}
	if strings.Contains(name, "credential") || strings.Contains(name, "token") || strings.Contains(name, "password") || strings.Contains(name, "extraheader") {
		r.Effect(effect.Private)
	}
	if !looks && (len(ops) > 1 || changes) {
		r.gitConfigures(sc, c, name, ops)
	}
	return data{Taint: fromWork}, true
}

func (r *programs) gitConfigures(sc *scope, c *call, name string, ops []value) {
	switch {
	case c.Got.Has("--system"):
		r.Found(effect.Destroy, "changes git's configuration of the machine")
	case c.Got.Has("--global"):
		r.Found(effect.OutsideWrite, "changes git's configuration of the user")
		note(&r.Report.Writes, path.Join(r.Ctx.Home, ".gitconfig"))
	case name == "user.name" || name == "user.email" || strings.HasPrefix(name, "color.") || strings.HasPrefix(name, "branch.") ||
		strings.HasPrefix(name, "pull.") || strings.HasPrefix(name, "push.") || name == "core.autocrlf" || name == "core.filemode" ||
		name == "core.ignorecase" || name == "init.defaultbranch" || strings.HasPrefix(name, "advice.") || name == "commit.gpgsign" || strings.HasPrefix(name, "rerere."):
		r.Effect(effect.Commit)
	default:
		r.Found(effect.Config, "changes git's configuration: %s", name)
	}
	if len(ops) > 1 {
		r.gitSetting(sc, value{Text: ops[0].Text + "=" + ops[1].Text, Taint: ops[1].Taint})
		if cmd, ok := strings.CutPrefix(ops[1].Text, "!"); ok {
			r.Shell.Text(sc, ops[1].With(cmd), nil)
		}
	}
}

// gitPush reads git push: what rewrites or removes something on the server is more severe.
func gitPush(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	if c.Got.Has("-u", "--set-upstream") {
		r.Found(effect.Config, "sets the upstream branch in git's configuration")
	}
	if len(c.Got.Operands) == 0 {
		r.Writes(sc, literal(r.Ctx.Pushes[""]))
	}
	for i, v := range c.Got.Operands {
		if i == 0 {
			if here, ok := repositoryHere(v, r.Ctx.Pushes); ok {
				r.Writes(sc, here)
				continue
			}
			r.remoteName(v)
			if strings.Contains(v.Text, "://") || isRemote(v) {
				r.Found(effect.Upload, "sends the work to %s, which is not a named remote", v.Shown())
			}
			continue
		}
		if strings.HasPrefix(v.Text, "+") || strings.HasPrefix(v.Text, ":") {
			r.Found(effect.RemoteChange, "rewrites or removes %s elsewhere", v.Shown())
		}
	}
	return data{}, true
}

// repositoryHere is the repository of this machine that an address names by its path, or as one of these remotes.
func repositoryHere(v value, remotes map[string]string) (path value, ok bool) {
	if dir := remotes[v.Text]; dir != "" {
		return literal(dir), true
	}
	path = v
	path.Text = strings.TrimPrefix(v.Text, "file://")
	ok = path.Text != v.Text || strings.HasPrefix(v.Text, ".") || strings.Contains(v.Text, "/") && !strings.Contains(v.Text, "://") && !isRemote(v)
	return path, ok && !strings.Contains(v.Text, "::") && !strings.HasPrefix(v.Text, "-")
}

// remoteName judges where git goes: a name, or an address, some of which run programs.
func (r *programs) remoteName(v value) {
	switch {
	case strings.Contains(v.Text, "::"):
		r.Found(effect.Exec, "git starts a remote helper program for %s", v.Shown())
	case strings.HasPrefix(v.Text, "-"):
		r.Found(effect.Exec, "an address that git would read as an option")
	case strings.Contains(v.Text, "://"):
		r.Contact(effect.ContactOf(v.Text))
	case isRemote(v):
		r.Contact(sshContact(v.Text))
	}
	r.Sends(v.Taint&(fromSecret|fromPrivate|fromEnv|fromOutside), "in an address")
}

// gitRemote reads fetch, pull, clone, ls-remote: where from.
func gitRemote(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	clones := c.Got.Spec.Name == "clone" || c.Got.Spec.Name == "add"
	if all := c.Got.Has("--all") || c.Got.Spec.Name == "update"; len(c.Got.Operands) == 0 {
		for name, dir := range r.Ctx.Fetches {
			if all || name == "" {
				r.Reads(sc, literal(dir))
			}
		}
	}
	for i, v := range c.Got.Operands {
		if i == 0 || c.Got.Has("--multiple") {
			remotes := r.Ctx.Fetches
			if clones {
				remotes = nil
			}
			if here, ok := repositoryHere(v, remotes); ok {
				r.Reads(sc, here)
				continue
			}
			r.remoteName(v)
			continue
		}
		if c.Got.Spec.Name == "clone" {
			r.Writes(sc, v)
		}
	}
	if ops := c.Got.Operands; strings.Contains("clone checkout co export", c.Got.Spec.Name) && len(ops) > 0 {
		dir := ops[len(ops)-1]
		if len(ops) == 1 {
			dir = literal(strings.TrimSuffix(baseName(strings.TrimSuffix(dir.Text, "/")), ".git"))
		}
		sc.Fetch(r.Absolute(sc, dir))
	}
	return data{Taint: fromNet}, true
}

// gitCheckout reads git checkout: branches are changed, files are thrown away.
func gitCheckout(r *programs, sc *scope, c *call) (data, bool) {
	r.settingsOfAnotherTime(sc, c)
	for i, a := range c.Argv {
		if a.Text == "--" && i < len(c.Argv)-1 {
			r.Found(effect.Delete, "discards changes that are not committed")
		}
	}
	if c.Got.Has("-f", "--force", "--ours", "--theirs") {
		r.Found(effect.Delete, "discards changes that are not committed")
	}
	if !c.Got.Has("-b", "-B", "--orphan", "--detach", "-d", "-t", "--track") {
		for _, v := range c.Got.Operands {
			if v.Text == "." || strings.HasPrefix(v.Text, "./") || strings.ContainsAny(v.Text, unknownLetters) || looksLikeFile(v.Text) {
				r.Found(effect.Delete, "discards changes that are not committed")
			}
		}
		if len(c.Got.Operands) > 1 && !strings.Contains(c.Got.Operands[0].Text, "origin") {
			r.Found(effect.Delete, "discards changes that are not committed")
		}
	}
	r.discard(effect.Changes, r.Part >= effect.Delete)
	r.Effect(effect.Commit)
	return data{}, true
}

// gitObject reads git show and similar commands: REV:path shows a file of another commit, where a secret file
// is secret, too.
func gitObject(r *programs, sc *scope, c *call) (data, bool) {
	t := r.applyOptions(sc, c)
	for _, v := range c.Got.Operands {
		_, file, ok := v.Cut(":")
		if !ok {
			file = v
		}
		if file.Text == "" || strings.HasPrefix(v.Text, ":") && !ok {
			continue
		}
		if s := r.Locate(sc, file); !s.Free && (s.Class == places.Private || s.Class == places.Secret) {
			r.Reads(sc, file)
			t |= fromPrivate
		}
	}
	return data{Taint: t | fromWork, History: r.shownHistory(sc, c)}, true
}

// gitTop reads git rev-parse: with --show-toplevel it prints the top directory of the workspace.
func gitTop(r *programs, sc *scope, c *call) (data, bool) {
	if c.Got.Has("--show-toplevel") && len(r.Ctx.Workspaces) > 0 {
		return textData(r.Ctx.Workspaces[0]+"\n", 0), true
	}
	if c.Got.Has("--git-dir", "--absolute-git-dir", "--git-common-dir") && len(r.Ctx.Workspaces) > 0 {
		return textData(r.Ctx.Workspaces[0]+"/.git\n", 0), true
	}
	for _, v := range c.Got.Operands {
		if v.Wild() || strings.HasPrefix(v.Text, "/") || strings.HasPrefix(v.Text, "-") || strings.HasPrefix(v.Text, "..") {
			return data{Taint: v.Taint | fromLost}, true // it prints what it does not know
		}
	}
	return data{Taint: fromNumber}, true
}

// gitNoIndex reads git diff: with --no-index its operands are any files.
func gitNoIndex(r *programs, sc *scope, c *call) (data, bool) {
	if !c.Got.Has("--no-index") {
		d, done := gitObject(r, sc, c)
		if d.Taint == fromWork && c.Got.Has("--name-only") {
			d.Taint = fromNames
		}
		return d, done
	}
	t := r.applyOptions(sc, c)
	for _, v := range c.Got.Operands {
		r.Reads(sc, v)
		if s := r.Locate(sc, v); s.Free || !r.InWork(s.Abs) && s.Class != places.Sink && s.Class != places.Temp {
			r.Found(effect.Exec, "git reads files outside the repository")
		}
		t |= r.Contents(sc, v)
	}
	return data{Taint: t}, true
}

// ownSettings judges the programs that the repository's own settings name. Hooks run with what changes the history. The
// harness switches core.fsmonitor off in the environment of every program, so that it counts only where a line takes that away.
func (r *programs) ownSettings(sc *scope, c *call) {
	dir := sc.Cwd
	if v, ok := c.Got.Value("--git-dir"); ok {
		dir = r.Absolute(sc, v)
	}
	if dir != "" {
		note(&r.Report.Git, dir)
	}
	if len(c.Got.Path) == 0 || onlyNames(c.Got.Path[0]) {
		return
	}
	for _, key := range r.Ctx.Git {
		switch {
		case key == "hooks":
			if c.Got.Spec.Class >= effect.Commit {
				r.Found(effect.Build, "git runs the hooks of this repository")
			}
		case key == "core.fsmonitor" && !sc.Bared:
		default:
			r.Found(effect.Configured, "git runs the program that %s of this repository names", key)
		}
	}
}
