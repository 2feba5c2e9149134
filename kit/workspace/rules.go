package workspace

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// chain is the rules of one directory, and those above it.
type chain struct {
	above *chain
	rules *IgnoreRules
	skip  int    // bytes of a path that are the directory and its slash
	under string // for rules from above the tree: the path from there to the tree, with a slash
}

func (c *chain) ignores(path string, dir bool) bool {
	for ; c != nil; c = c.above {
		if v := c.rules.Match(c.under+path[c.skip:], dir); v != NotIgnored {
			return v == Ignored
		}
	}
	return false
}

// ruleFiles are read in this order; what comes later wins.
func ruleFiles() [3]string { return [3]string{".gitignore", ".ignore", ".reinignore"} }

// maxRules is the most that is read of one ignore file.
const maxRules = 1 << 20

// rulesOf returns the rules for what is in a directory of which the names are known.
func (k *ranger) rulesOf(d *folder, names []Entry) *chain {
	var texts [][]byte
	if d.path == "" && slices.ContainsFunc(names, func(e Entry) bool { return e.Path == ".git" }) {
		texts = append(texts, k.tree.small(".git/info/exclude"))
	}
	for _, file := range ruleFiles() {
		if slices.ContainsFunc(names, func(e Entry) bool { return e.Path == file }) {
			texts = append(texts, k.tree.small(path.Join(d.path, file)))
		}
	}
	return d.rules.with(d.path, texts)
}

func (c *chain) with(dir string, texts [][]byte) *chain {
	if len(texts) == 0 {
		return c
	}
	rules := ParseIgnore(texts...)
	if rules.Empty() {
		return c
	}
	skip := 0
	if dir != "" {
		skip = len(dir) + 1
	}
	return &chain{above: c, rules: rules, skip: skip}
}

// rulesAbove returns the rules of the directories above a start.
func (k *ranger) rulesAbove(start string) *chain {
	c := k.tree.rulesBeyond()
	if start == "" {
		return c
	}
	dir := ""
	for rest := start; ; {
		texts := [][]byte{}
		if dir == "" {
			texts = append(texts, k.tree.small(".git/info/exclude"))
		}
		for _, file := range ruleFiles() {
			texts = append(texts, k.tree.small(path.Join(dir, file)))
		}
		c = c.with(dir, texts)
		var first string
		var more bool
		if first, rest, more = strings.Cut(rest, "/"); !more {
			return c
		}
		dir = path.Join(dir, first)
	}
}

// rulesBeyond returns the rules of a repository that the tree is a directory of: they are read from above the tree,
// which no tool can.
func (t *tree) rulesBeyond() *chain {
	repository, ok := t.repository()
	if !ok || repository == t.dir {
		return nil
	}
	var c *chain
	for dir := filepath.Dir(t.dir); ; dir = filepath.Dir(dir) {
		if root, err := os.OpenRoot(dir + onlyDir); err == nil {
			above := &tree{dir: dir, root: root}
			texts := [][]byte{above.plainly(".gitignore"), above.plainly(".ignore"), above.plainly(".reinignore")}
			root.Close()
			if rules := ParseIgnore(texts...); !rules.Empty() {
				rel, _ := filepath.Rel(dir, t.dir)
				c = c.underneath(&chain{rules: rules, under: filepath.ToSlash(rel) + "/"})
			}
		}
		if dir == repository {
			return c
		}
	}
}

// underneath puts the rules of a higher directory at the end of a chain.
func (c *chain) underneath(higher *chain) *chain {
	if c == nil {
		return higher
	}
	last := c
	for last.above != nil {
		last = last.above
	}
	last.above = higher
	return c
}

// repository finds the nearest directory at or above the tree that has a .git in it.
func (t *tree) repository() (string, bool) {
	for dir := t.dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, true
		}
		if dir == filepath.Dir(dir) {
			return "", false
		}
	}
}

// plainly reads a small file through os.Root alone.
func (t *tree) plainly(name string) []byte {
	f, err := t.root.OpenFile(name, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	return smallText(f)
}
