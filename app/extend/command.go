package extend

import (
	"context"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// Command is something that a user may call by /name.
type Command struct {
	Name  string   // without the slash: "review", "docs:new"
	About string   // one line
	Hint  string   // what arguments it takes, in words; "" is nothing
	Names []string // of its arguments, by their position; nil: they have none
	From  string   // where it comes from: "user", "project", "built in", "skill"
	Path  string   // the file; "" where there is none

	// ExpandCommand returns the message. run runs calls through the pipeline of the session.
	Expand func(ctx context.Context, args string, run CommandRunner) (string, error)
}

// Line makes what follows the name of the command from values by the names of its arguments. A value with quotation marks of both
// kinds gets only single ones.
func (c Command) Line(values map[string]string) string {
	var words []string
	for _, name := range c.Names {
		words = append(words, quoted(values[name]))
	}
	for len(words) > 0 && words[len(words)-1] == `""` {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}

// CommandPlaces says where commands are looked for.
type CommandPlaces struct {
	Folder    *Folder
	Workspace string   // absolute, links resolved
	User      []string // directories of the user with commands, the strongest last
	Session   string   // takes the place of ${CLAUDE_SESSION_ID} in a text; "": nothing does
}

// FindCommands returns all commands, by name. A project's wins over the user's of the same name, and those over the built-in ones.
// Commands of a project that nobody trusts are left out.
func FindCommands(p CommandPlaces) []Command {
	all := map[string]Command{}
	add := func(c Command) { all[c.Name] = c }
	filled := func(text []byte) string {
		if p.Session == "" {
			return string(text)
		}
		return strings.ReplaceAll(string(text), "${CLAUDE_SESSION_ID}", p.Session)
	}
	for _, c := range builtIn() {
		add(c)
	}
	for _, dir := range p.User {
		EachFile(dir, ".md", mostCommands, func(name string, text []byte) {
			add(parse(name, "user", filepath.Join(dir, name), commandOrigin(dir), filled(text)))
		})
	}
	project, _ := p.Folder.Kind(TrustCommand, p.Workspace)
	for _, item := range project {
		text, err := p.Folder.Read(item.Path)
		if err != nil || !p.Folder.Trusted(TrustCommand, item.Path, text) {
			continue
		}
		dir, name, _ := strings.Cut(item.Path, "commands/")
		add(parse(name, "project", item.Path, commandOrigin(dir), filled(text)))
	}
	return CommandsByName(slices.Collect(maps.Values(all)))
}

// ExpandCommand returns the message of the command with a name. ok is false where there is none.
func ExpandCommand(ctx context.Context, all []Command, name, args string, run CommandRunner) (text string, ok bool, err error) {
	i := slices.IndexFunc(all, func(c Command) bool { return c.Name == name })
	if i < 0 {
		return "", false, nil
	}
	text, err = all[i].Expand(ctx, args, run)
	return text, true, err
}

// ByName sorts commands by their names. Of several with one name the last counts.
func CommandsByName(all []Command) []Command {
	slices.Reverse(all)
	sort.SliceStable(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return slices.CompactFunc(all, func(a, b Command) bool { return a.Name == b.Name })
}

// mostCommands bounds the files of one directory.
const mostCommands = 500

// parse reads a command from its file, whose path is relative to the directory of the commands.
func parse(name, from, file string, o CommandOrigin, text string) Command {
	fields, body, _ := ParseFrontmatter(text)
	t := Template{Text: body, Origin: o, Names: fields.List("arguments")}
	c := Command{Name: strings.ReplaceAll(strings.TrimSuffix(filepath.ToSlash(name), path.Ext(name)), "/", ":"), From: from, Path: file,
		About: fields.Text("description"), Hint: fields.Text("argument-hint"), Names: t.Names, Expand: t.Expand}
	if c.About == "" {
		c.About = firstLine(body)
	}
	return c
}

// firstLine returns the first words of a text, without the marks of a heading.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(strings.TrimLeft(line, "# "))
	if runes := []rune(line); len(runes) > 80 {
		return string(runes[:79]) + "…"
	}
	return line
}

// commandOrigin says by its directory whose rules a file follows.
func commandOrigin(dir string) CommandOrigin {
	dir = filepath.ToSlash(dir)
	switch {
	case strings.Contains(dir, "opencode"):
		return OpenCode
	case strings.Contains(dir, ".codex"):
		return Codex
	}
	return Own
}
