package extend

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// SkillPlaces says where skills are looked for.
type SkillPlaces struct {
	Folder    *Folder
	Workspace string   // absolute, links resolved
	User      []string // directories of the user with skills, the strongest last
	Limit     int      // bytes of all descriptions in the prompt; 0: DefaultLimit
	Off       bool     // there are no skills
}

// SkillsLimit is how many bytes of names and descriptions the prompt has when Places.Limit is 0.
const SkillsLimit = 12 << 10

// Skills holds the skills of a session. Nothing is read before the first use. Several goroutines may use it at once.
type Skills struct {
	places SkillPlaces
	find   func() foundSkills

	mu      sync.Mutex
	byUser  map[string]int // by the name of the skill: calls that the user made
	next    *Skill         // whose allowed-tools hold from the user's next message on
	current *Skill         // whose allowed-tools hold; nil: none
}

type foundSkills struct {
	all      []*Skill // by name
	problems []string // a line for each directory that is no skill, or that another one hides
}

// NewSkills returns the catalogue of the skills in some places.
func NewSkills(p SkillPlaces) *Skills {
	c := &Skills{places: p, byUser: map[string]int{}}
	c.find = sync.OnceValue(c.look)
	return c
}

// All returns the skills by name. A project's skill hides the user's of the same name.
func (c *Skills) All() []*Skill { return c.find().all }

// Problems returns a line for each directory that is no skill, that nobody trusts, or that another one hides.
func (c *Skills) Problems() []string { return c.find().problems }

// Get returns the skill with a name; nil where there is none.
func (c *Skills) Get(name string) *Skill {
	for _, s := range c.All() {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// mostSkills bounds the skills of one directory.
const mostSkills = 500

func (c *Skills) look() (f foundSkills) {
	if c.places.Off {
		return f
	}
	byName := map[string]*Skill{}
	add := func(dir, from string) {
		s, err := OpenSkill(dir, from)
		if err != nil {
			f.problems = append(f.problems, fmt.Sprintf("%s is not a skill: %v", dir, err))
			return
		}
		if old := byName[s.Name]; old != nil {
			f.problems = append(f.problems, fmt.Sprintf("%s is hidden by %s", old.Dir, dir))
		}
		byName[s.Name] = s
	}
	for _, dir := range c.places.User {
		entries, _ := os.ReadDir(dir) // a directory that is not there has none
		for _, e := range entries[:min(len(entries), mostSkills)] {
			if at := filepath.Join(dir, e.Name()); exists(filepath.Join(at, "SKILL.md")) {
				add(at, "user")
			}
		}
	}
	project, not := c.places.Folder.Kind(TrustSkill, c.places.Workspace)
	for _, item := range not {
		f.problems = append(f.problems, item.Path+" is not used: the user does not trust its content (rein trust)")
	}
	for _, item := range project {
		add(filepath.Join(c.places.Folder.Dir(), filepath.FromSlash(item.Path)), "project")
	}
	for _, s := range byName {
		f.all = append(f.all, s)
	}
	slices.SortFunc(f.all, func(a, b *Skill) int { return strings.Compare(a.Name, b.Name) })
	return f
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// Prompt returns the part of the system prompt: the names and descriptions of the skills that the model may load. "" where there
// are none. What does not fit is left out; the tool finds it by words.
func (c *Skills) Prompt() string {
	limit := c.places.Limit
	if limit <= 0 {
		limit = SkillsLimit
	}
	var b strings.Builder
	left := 0
	for _, s := range c.All() {
		if s.HideModel {
			continue
		}
		line := "- " + s.Name + ": " + visible(s.About) + "\n"
		if b.Len()+len(line) > limit {
			left++
			continue
		}
		b.WriteString(line)
	}
	if b.Len() == 0 && left == 0 {
		return ""
	}
	if left > 0 {
		fmt.Fprintf(&b, "- and %d more: the tool skill with the argument search finds them\n", left)
	}
	return "Skills say how to do one kind of task. When a task fits a description, load the skill with the tool skill before you begin. A skill grants no permission.\n" + strings.TrimRight(b.String(), "\n")
}

// visible returns a text on one line without what a person does not see.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return -1
	}, text)
}

// Search returns the skills that the model may load and that have all these words in their names or descriptions.
func (c *Skills) Search(words string) (all []*Skill) {
	for _, s := range c.All() {
		text := strings.ToLower(s.Name + " " + s.About)
		if !s.HideModel && !slices.ContainsFunc(strings.Fields(strings.ToLower(words)), func(w string) bool { return !strings.Contains(text, w) }) {
			all = append(all, s)
		}
	}
	return all
}

// Commands returns the skills that the user may call by /name. They load through the tool, as the model's calls do.
func (c *Skills) Commands() (all []Command) {
	for _, s := range c.All() {
		if s.HideUser {
			continue
		}
		all = append(all, Command{Name: s.Name, About: s.About, Hint: s.Hint, Names: s.template.Names, From: "skill", Path: filepath.Join(s.Dir, "SKILL.md"),
			Expand: func(ctx context.Context, args string, run CommandRunner) (string, error) {
				c.called(s.Name, 1)
				defer c.called(s.Name, -1)
				return run(ctx, SkillTool, loadArgs{Name: s.Name, Arguments: args})
			}})
	}
	return all
}

// called counts the calls of the user that load a skill now.
func (c *Skills) called(name string, by int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byUser[name] += by
}
