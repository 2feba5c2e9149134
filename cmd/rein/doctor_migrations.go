package main

import (
	"fmt"
	"path/filepath"

	"rein/app/memory"
	"rein/app/schedule"
	"rein/app/settings"
)

// migrationFindings say which files of older programs change when they are first used, and which are newer than this program. Journals and
// what undo keeps are read as they are, and the index of the sessions is made again.
func migrationFindings(d settings.Dirs) (all []finding) {
	jobs := filepath.Join(d.State, schedule.DirName)
	for _, file := range []struct {
		what, name string
		versions   func(string) (have, own int, err error)
	}{{"memory", filepath.Join(d.State, memory.FileName), memory.Versions}, {"tasks", jobs, schedule.Versions}} {
		switch have, own, err := file.versions(file.name); {
		case err != nil:
			all = append(all, finding{"migrations", file.what, false, fmt.Sprintf("%s: %v", file.name, err)})
		case have > own:
			all = append(all, finding{"migrations", file.what, false, fmt.Sprintf("%s: a newer program wrote it (version %d, this one reads up to %d): update rein", file.name, have, own)})
		case have > 0 && have < own:
			all = append(all, finding{"migrations", file.what, true, fmt.Sprintf("%s: its first use brings it from version %d to %d; a copy is kept beside it, with the ending .v%d", file.name, have, own, have)})
		}
	}
	if len(all) == 0 {
		all = []finding{{"migrations", "none", true, "every file has the form of this version"}}
	}
	return all
}
