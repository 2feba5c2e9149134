package guards

import (
	"testing"

	"rein/guard"
	"rein/tool"
)

// TestAround: what the runner saw on the disk decides with the line.
func TestAround(t *testing.T) {
	dashed := func(names ...string) *tool.Surroundings {
		var a tool.Surroundings
		for _, n := range names {
			a.Dashed = append(a.Dashed, "/home/dev/project/"+n)
		}
		return &a
	}
	git := func(keys ...string) *tool.Surroundings { return &tool.Surroundings{Git: keys} }
	checkpoint := dashed("--checkpoint=1", "--checkpoint-action=exec=sh x")
	rows := []struct {
		rule   string
		cmd    string
		around *tool.Surroundings
		want   guard.Decision
		alone  guard.Decision // without what is around
	}{
		{"shell-16 tar runs the command in a file name", "tar cf a *", checkpoint, guard.Ask, guard.Allow},
		{"shell-16 what the name runs is judged", "tar cf a *", dashed("--checkpoint-action=exec=rm -rf ~"), guard.Deny, guard.Allow},
		{"shell-16 in a loop", `for f in *; do tar cf a "$f" main.go; done`, checkpoint, guard.Ask, guard.Allow},
		{"shell-16 after a cd", "cd sub && tar cf a *", dashed("sub/--checkpoint-action=exec=sh"), guard.Ask, guard.Allow},
		{"shell-16 in another directory", "tar cf a *", dashed("sub/--checkpoint-action=exec=sh"), guard.Allow, guard.Allow},
		{"shell-16 the pattern does not fit", "tar cf a *.go", checkpoint, guard.Allow, guard.Allow},
		{"shell-16 with a directory before it", "tar cf a ./*", checkpoint, guard.Allow, guard.Allow},
		{"shell-16 after the end of options", "tar cf a -- *", checkpoint, guard.Allow, guard.Allow},
		{"shell-16 a directory with a dash makes a list of files of what is in it", "wc -l */x", dashed("--files0-from=y"), guard.Ask, guard.Allow},
		{"shell-16 a harmless option", "ls *", dashed("-la"), guard.Allow, guard.Allow},
		{"shell-16 through an array", `a=(*); tar cf a "${a[@]}"`, checkpoint, guard.Ask, guard.Allow},
		{"shell-16 through a function", `f() { tar cf a "$@"; }; f *`, checkpoint, guard.Ask, guard.Allow},
		{"shell-16 sort writes to the path in a file name", "sort *", dashed("-o.bashrc", "--compress-program=./x"), guard.Ask, guard.Allow},
		{"shell-10 a filter of the repository", "git status", git("filter.x.clean"), guard.Ask, guard.Allow},
		{"shell-10 a driver for differences", "git diff", git("diff.x.textconv"), guard.Ask, guard.Allow},
		{"shell-10 names alone run nothing", "git branch -a", git("filter.x.clean"), guard.Allow, guard.Allow},
		{"shell-10 behind a wrapper", "cd sub && timeout 5 git diff --stat", git("diff.external"), guard.Ask, guard.Allow},
		{"shell-10 fsmonitor is switched off by the harness", "git status", git("core.fsmonitor"), guard.Allow, guard.Allow},
		{"shell-10 unless the line takes that away", "env -i PATH=/usr/bin:/bin git status", git("core.fsmonitor"), guard.Ask, guard.Allow},
		{"shell-10 or unsets it", "unset GIT_CONFIG_COUNT; git status", git("core.fsmonitor"), guard.Ask, guard.Allow},
		{"shell-10 hooks are code of the project", "git commit -m x", git("hooks"), guard.Allow, guard.Allow},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			c := bash(row.cmd)
			if v := home.Judge(t.Context(), c); v.Decision != row.alone {
				t.Errorf("alone %q: %v (%s)", row.cmd, v.Decision, v.Reason)
			}
			c.Intent.Surroundings = row.around
			if v := home.Judge(t.Context(), c); v.Decision != row.want {
				t.Errorf("%q: %v (%s)", row.cmd, v.Decision, v.Reason)
			}
		})
	}
	hooks := bash("git commit -m x")
	hooks.Intent.Surroundings, hooks.Isolation = git("hooks"), guard.FileIsolation
	if v := home.Judge(t.Context(), hooks); v.Decision != guard.Ask {
		t.Errorf("shell-10 hooks with less than full isolation: %v", v.Decision)
	}
}
