package settings

// Undo says what is kept so that changes of files can be undone. Zero means the default.
type Undo struct {
	Off        bool     `json:"off,omitempty"`                  // keep nothing: what calls do to files cannot be undone
	Quota      int64    `json:"quota,omitempty"`                // bytes that one workspace may take
	Age        Duration `json:"age,omitempty"`                  // after which a call is forgotten: "720h"
	MaxFile    int64    `json:"maxFile,omitempty"`              // bytes; larger files are left out
	MaxIgnored int64    `json:"maxIgnored,omitempty" none:"-1"` // bytes up to which a file is kept that an ignore file leaves out; -1: none
	Ignored    bool     `json:"ignored,omitempty"`              // keep all that ignore files leave out, such as build outputs
	MaxEntries int      `json:"maxEntries,omitempty"`           // files and directories that a workspace may have
	MinFree    int64    `json:"minFree,omitempty"`              // bytes that stay free on the disk
	Deletions  int      `json:"deletions,omitempty" none:"-1"`  // files that a command may delete without a question when all can be restored; -1: each deletion asks
	KeepTimes  bool     `json:"keepTimes,omitempty"`            // give restored files their old time of change
}

// Sessions says how long recorded sessions are kept.
type Sessions struct {
	Days int `json:"days,omitempty"` // without an event, after which a session is deleted that has no name and no tag; 0: never
}
