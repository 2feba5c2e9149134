package api

// Settings are those that hold in a workspace.
type Settings struct {
	Dir     string    `json:"dir"`
	Values  []Setting `json:"values" nullable:"false" doc:"what some file sets; all others have their default"`
	Project string    `json:"project" doc:"file of the user's settings for this workspace"`
	User    string    `json:"user" doc:"file of the user's settings for all workspaces"`
	ByHand  []string  `json:"by_hand" nullable:"false" doc:"settings that are changed only in the file itself"`
}

// Setting is one setting that a file sets.
type Setting struct {
	Names  []string `json:"names" nullable:"false" doc:"the path of keys in the file"`
	Value  any      `json:"value" doc:"as the file writes it; of what may hold secrets only the names"`
	Layer  string   `json:"layer" doc:"managed, user, own (the user's for this workspace), project, local; the last one that sets it decides, and a project only tightens"`
	Source string   `json:"source" doc:"the file"`
}

// SettingChange changes a setting of the user.
type SettingChange struct {
	Dir   string   `json:"dir,omitempty" doc:"one of the workspaces; empty: the first one"`
	Names []string `json:"names" nullable:"false" minItems:"1" maxItems:"6" doc:"the path of keys"`
	Value any      `json:"value,omitempty" doc:"as the file writes it; without it the setting is taken away"`
	Scope string   `json:"scope" enum:"project,always" doc:"for this workspace, or for all"`
	Check bool     `json:"check,omitempty" doc:"change nothing"`
}

// Reload is the request to read the settings again, and its answer.
type Reload struct{}
