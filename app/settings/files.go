package settings

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Files are places outside the workspace that the work may use. The layers add up.
type Files struct {
	Write []string `json:"write,omitempty"` // directories
	Read  []string `json:"read,omitempty"`  // directories and files
}

// FilesOf reads the places of all layers.
func FilesOf(layers []Layer) (Files, error) {
	var all Files
	for _, l := range layers {
		if len(l.Files) == 0 {
			continue
		}
		var one Files
		if err := json.Unmarshal(l.Files, &one); err != nil {
			return all, Error{fmt.Errorf("%s: files: %w", l.Path, WrongKind(err))}
		}
		if slices.Contains(slices.Concat(one.Write, one.Read), "/") {
			return all, Error{fmt.Errorf("%s: files: / is the whole machine: name the directories", l.Path)}
		}
		all.Write, all.Read = append(all.Write, one.Write...), append(all.Read, one.Read...)
	}
	return all, nil
}
