package harness

import (
	"bufio"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rein/internal/plainfile"
	"rein/kit/shell"
)

// gitRepository is what git would read about a directory, as data: nothing of it is run.
type gitRepository struct {
	git   string       // its directory, usually .git; "" where there is none
	tree  string       // the root of the work tree; the directory itself where it is bare
	files []string     // of configuration, in the order in which git reads them
	all   []gitSetting // of these files
}

// A gitSetting is one line of git's configuration.
type gitSetting struct {
	file, key, value string // the key in lower case, but for the name between the dots
}

// Bounds on what one repository makes rein read.
const (
	mostIncludes = 20
	mostModules  = 200
)

// readRepository reads the settings of the repository that git would find from a directory: of its own directory, of the
// common one, of this work tree, of its modules, and of the files that these include.
func readRepository(dir string) *gitRepository {
	r := &gitRepository{}
	if r.git, r.tree = gitDir(dir); r.git == "" {
		return r
	}
	r.read(filepath.Join(r.git, "config"), 0)
	r.read(filepath.Join(r.git, "config.worktree"), 0)
	if common := r.common(); common != r.git {
		r.read(filepath.Join(common, "config"), 0)
	}
	for _, pattern := range []string{"modules/*/config", "modules/*/*/config", "modules/*/modules/*/config"} {
		more, _ := filepath.Glob(filepath.Join(r.git, pattern)) // the pattern is a good one
		for _, m := range more[:min(len(more), mostModules)] {
			r.read(m, 0)
		}
	}
	return r
}

// common is the directory that the work trees of a repository share.
func (r *gitRepository) common() string {
	text, err := plainfile.Read(filepath.Join(r.git, "commondir"))
	if err != nil {
		return r.git
	}
	return absoluteIn(r.git, strings.TrimSpace(string(text)))
}

// absoluteIn makes a path absolute that a file of git has.
func absoluteIn(dir, name string) string {
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(name, "~/") {
		return filepath.Join(home, name[2:])
	}
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// read adds the settings of a file, and of the files that it includes, whatever the condition is.
func (r *gitRepository) read(file string, depth int) {
	if slices.Contains(r.files, file) || len(r.files) > mostModules+mostIncludes {
		return
	}
	settings, found := gitSettings(file)
	if !found {
		return
	}
	r.files = append(r.files, file)
	r.all = append(r.all, settings...)
	for _, s := range settings {
		if first, _, _ := strings.Cut(s.key, "."); (first == "include" || first == "includeif") && strings.HasSuffix(s.key, ".path") && depth < mostIncludes {
			r.read(absoluteIn(filepath.Dir(file), s.value), depth+1)
		}
	}
}

// programs names the settings that make git run programs, and "hooks" where there are any.
func (r *gitRepository) programs() []string {
	if r.git == "" {
		return nil
	}
	var all []string
	for _, s := range r.all {
		switch {
		case s.key == tooLong:
			all = append(all, "a line that is too long")
		case s.key == "core.hookspath" && s.value != "" && s.value != os.DevNull:
			all = append(all, "hooks")
		case shell.GitRuns(s.key, s.value):
			all = append(all, s.key)
		}
	}
	if (hasHooks(filepath.Join(r.git, "hooks")) || hasHooks(filepath.Join(r.common(), "hooks"))) && !slices.Contains(all, "hooks") {
		all = append(all, "hooks")
	}
	return all
}

// trusted lists the files and directories that later runs of git obey: the repository's own directories where they have
// other names than .git, the files of settings, the directories of hooks, and programs that settings name by a path.
func (r *gitRepository) trusted() []string {
	if r.git == "" {
		return nil
	}
	all := slices.Concat([]string{r.common()}, r.files)
	if r.git == r.tree { // a bare repository: git also writes to the directory, and it may hold other files
		all = append(r.files[:len(r.files):len(r.files)], filepath.Join(r.git, "hooks"), filepath.Join(r.git, "HEAD"), filepath.Join(r.git, "info"))
	} else {
		all = append(all, r.git)
	}
	for _, s := range r.all {
		switch {
		case s.key == "core.hookspath" && s.value != "":
			all = append(all, hooksIn(absoluteIn(r.treeOf(s.file), s.value), r.tree)...)
		case s.key == "core.attributesfile" && s.value != "":
			all = append(all, absoluteIn(r.treeOf(s.file), s.value))
		case strings.HasPrefix(s.key, "include") && strings.HasSuffix(s.key, ".path"): // also where the file does not exist yet
			all = append(all, absoluteIn(filepath.Dir(s.file), s.value))
		case shell.GitRuns(s.key, s.value):
			if program, _, _ := strings.Cut(strings.TrimLeft(s.value, "! "), " "); strings.Contains(program, "/") {
				all = append(all, absoluteIn(r.treeOf(s.file), program))
			}
		}
	}
	return all
}

// treeOf is the work tree in which the settings of a file hold: a module has its own.
func (r *gitRepository) treeOf(file string) string {
	for _, s := range r.all {
		if s.file == file && s.key == "core.worktree" {
			return absoluteIn(filepath.Dir(file), s.value)
		}
	}
	return r.tree
}

// hooksIn is a directory of hooks, or the names of the hooks where other files are in it too.
func hooksIn(dir, tree string) []string {
	if rest, err := filepath.Rel(dir, tree); err != nil || !filepath.IsLocal(rest) {
		return []string{dir}
	}
	var all []string
	for _, name := range []string{"applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-applypatch", "post-checkout", "post-commit", "post-merge",
		"post-rewrite", "pre-applypatch", "pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase", "prepare-commit-msg", "sendemail-validate"} {
		all = append(all, filepath.Join(dir, name))
	}
	return all
}

// remotesIn returns the addresses of the remotes that git commands contact: those that they name, else the one of the branch.
func (r *gitRepository) remotesIn(commands [][]string) (addresses []string) {
	for _, words := range commands {
		if len(words) == 0 || filepath.Base(words[0]) != "git" {
			continue
		}
		named := false
		for _, s := range r.all {
			if name, ok := remoteOf(s.key); ok && slices.Contains(words[1:], name) {
				addresses, named = append(addresses, r.address(s.value)), true
			}
		}
		if named {
			continue
		}
		for _, s := range r.all {
			if name, ok := remoteOf(s.key); ok && name == r.defaultRemote() {
				addresses = append(addresses, r.address(s.value))
			}
		}
	}
	slices.Sort(addresses)
	addresses = slices.Compact(addresses)
	return slices.DeleteFunc(addresses, func(a string) bool { return a == "" })
}

// remoteOf returns the name of a remote from the key of its address.
func remoteOf(key string) (string, bool) {
	name, ok := strings.CutPrefix(key, "remote.")
	for _, suffix := range []string{".url", ".pushurl"} {
		if n, is := strings.CutSuffix(name, suffix); ok && is {
			return n, true
		}
	}
	return "", false
}

// defaultRemote is the remote of the branch that is checked out, else origin.
func (r *gitRepository) defaultRemote() string {
	head, _ := plainfile.Read(filepath.Join(r.git, "HEAD")) // without it there is no branch
	branch := strings.TrimPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
	remote := "origin"
	for _, s := range r.all {
		if s.key == "branch."+branch+".remote" || s.key == "remote.pushdefault" {
			remote = s.value
		}
	}
	return remote
}

// here adds the remotes that are directories of this machine, by the setting with this suffix that has their address.
func (r *gitRepository) here(all map[string]string, suffix string) map[string]string {
	for _, s := range r.all {
		name, ok := remoteOf(s.key)
		dir := strings.TrimPrefix(r.rewritten(s.value), "file://")
		if !ok || !strings.HasSuffix(s.key, suffix) || dir == "" || remoteHost(dir) != "" || strings.Contains(dir, "::") || strings.Contains(dir, "://") {
			continue
		}
		if all == nil {
			all = map[string]string{}
		}
		all[name] = absoluteIn(r.treeOf(s.file), dir)
		if name == r.defaultRemote() {
			all[""] = all[name]
		}
	}
	return all
}

// rewritten is an address as url.X.insteadOf changes it.
func (r *gitRepository) rewritten(remote string) string {
	for _, s := range r.all {
		if real, ok := strings.CutPrefix(s.key, "url."); ok && s.value != "" && strings.HasPrefix(remote, s.value) {
			real = strings.TrimSuffix(strings.TrimSuffix(real, ".pushinsteadof"), ".insteadof")
			return real + strings.TrimPrefix(remote, s.value)
		}
	}
	return remote
}

// address is the host:port of a remote's address; "" for a directory of this machine.
func (r *gitRepository) address(remote string) string { return remoteHost(r.rewritten(remote)) }

func remoteHost(remote string) string {
	if !strings.Contains(remote, "://") {
		host, _, scp := strings.Cut(remote, ":")
		if !scp || strings.ContainsAny(host, "/\\") {
			return ""
		}
		return net.JoinHostPort(strings.ToLower(strings.Trim(host[strings.LastIndexByte(host, '@')+1:], "[]")), "22")
	}
	u, err := url.Parse(remote)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80", "ssh": "22", "git+ssh": "22", "git": "9418"}[u.Scheme]
	}
	if port == "" {
		return ""
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// gitDir finds the repository that git would find from a directory, also a bare one, and its work tree; "" where there is
// none.
func gitDir(dir string) (git, tree string) {
	for ; ; dir = filepath.Dir(dir) {
		git := filepath.Join(dir, ".git")
		if info, err := os.Stat(git); err == nil && info.IsDir() {
			return git, dir
		} else if err == nil {
			text, _ := plainfile.Read(git) // a file that cannot be read names no directory
			return absoluteIn(dir, strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir:"))), dir
		}
		if isFile(filepath.Join(dir, "HEAD")) && isFile(filepath.Join(dir, "config")) {
			return dir, dir
		}
		if dir == filepath.Dir(dir) {
			return "", ""
		}
	}
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func hasHooks(dir string) bool {
	all, _ := os.ReadDir(dir) // none where it cannot be read
	for _, e := range all {
		if info, err := e.Info(); err == nil && !strings.HasSuffix(e.Name(), ".sample") && info.Mode().Perm()&0o111 != 0 {
			return true
		}
	}
	return false
}

// tooLong is the key of what could not be read because its line is too long.
const tooLong = "…"

// gitSettings reads one file of git's configuration.
func gitSettings(file string) (all []gitSetting, found bool) {
	f, err := plainfile.Open(file)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	section := ""
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			head, rest, _ := strings.Cut(line[1:], "]")
			name, sub, _ := strings.Cut(head, " ")
			if section = strings.ToLower(strings.TrimSpace(name)); sub != "" {
				section += "." + strings.Trim(strings.TrimSpace(sub), `"`)
			}
			line = strings.TrimSpace(rest)
		}
		key, value, _ := strings.Cut(line, "=")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.Trim(strings.TrimSpace(value), `"`)
		if key != "" && !strings.HasPrefix(key, "#") && !strings.HasPrefix(key, ";") {
			all = append(all, gitSetting{file, section + "." + key, value})
		}
	}
	if lines.Err() != nil {
		all = append(all, gitSetting{file, tooLong, ""})
	}
	return all, true
}
