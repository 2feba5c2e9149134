package workspace

import (
	"path"
	"slices"
	"strings"

	"rein/internal/ignore"
)

// chain is the rules of one directory, and those above it.
type chain struct {
	above *chain
	rules *ignore.Rules
	skip  int // bytes of a path that are the directory and its slash
}

func (c *chain) ignores(path string, dir bool) bool {
	for ; c != nil; c = c.above {
		if v := c.rules.Match(path[c.skip:], dir); v != ignore.Silent {
			return v == ignore.Ignore
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
	rules := ignore.Parse(texts...)
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
	var c *chain
	if start == "" {
		return nil
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
