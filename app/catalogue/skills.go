package catalogue

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"rein/app/extend"
	"rein/app/harness"
)

// skillRow is a skill as "rein skills list --json" prints it.
type skillRow struct {
	Name, From, Dir, About string
	State                  string `json:",omitempty"`
	Worst                  string // of the scanner's findings
}

func listSkills(_ context.Context, h *harness.Harness) (list List, err error) {
	c, store := h.Skills(), h.SkillStore()
	pins, err := store.Load()
	if err != nil {
		return list, err
	}
	for _, s := range c.All() {
		r := skillRow{s.Name, s.From, s.Dir, s.About, skillState(store, s, pins), extend.WorstFinding(s.Findings())}
		list.Entries = append(list.Entries, Entry{ID: s.Name, Name: s.Name, About: s.From + "   " + s.About, Value: r,
			Fields: Fields("name", s.Name, "about", s.About, "from", s.From, "directory", s.Dir, "state", r.State, "worst", r.Worst)})
	}
	list.Warnings = c.Problems()
	return list, nil
}

// skillState says whether a skill that was added is as the user saw it.
func skillState(in extend.SkillStore, s *extend.Skill, pins map[string]extend.SkillPin) string {
	pin, pinned := pins[s.Name]
	switch {
	case !pinned || filepath.Dir(s.Dir) != in.Dir:
		return ""
	case pin.Tree != s.Tree():
		return "changed since it was added"
	}
	return "added from " + pin.Source
}

func doSkill(_ context.Context, h *harness.Harness, r Request) (string, error) {
	if r.Verb == "show" {
		return showSkill(h.Skills().Get(r.Name), r.Name)
	}
	if err := h.SkillStore().Remove(r.Name); err != nil {
		return "", inputError("%w", err)
	}
	return "", nil
}

func showSkill(s *extend.Skill, name string) (string, error) {
	if s == nil {
		return "", inputError("there is no skill %q here: see rein skills list", name)
	}
	out := Lines(16, Fields("name", s.Name, "description", s.About, "from", s.From+", "+s.Dir, "hash", s.Tree(), "allowed tools", strings.Join(s.Allowed, ", "),
		"only for you", yesOrNo(s.HideModel), "only for models", yesOrNo(s.HideUser), "sub-agent", yesOrNo(s.Fork), "warnings", strings.Join(s.Warnings, "; ")))
	files, err := extend.SkillFiles(s.Dir)
	for _, f := range files {
		out += fmt.Sprintf("%-16s %7d  %s\n", "file", len(f.Text), f.Path)
	}
	for _, line := range extend.FindingLines(s.Findings()) {
		out += line + "\n"
	}
	return out, err
}
