package settings

import (
	"fmt"
	"strings"
	"unicode"
)

// Compute bounds the tools program and run_code, and what an edit waits for. Zero means the default.
type Compute struct {
	Program     ProgramLimits `json:"program,omitzero"`
	Code        CodeLimits    `json:"code,omitzero"`
	Diagnostics Duration      `json:"diagnostics,omitempty" lower:"2s" none:"-1"` // that an edit waits for diagnostics of a language server: "2s"; "off": it does not
}

// ProgramLimits bound one call of the tool program.
type ProgramLimits struct {
	Steps  int64    `json:"steps,omitempty" lower:"10000000"`   // of the interpreter
	Calls  int      `json:"calls,omitempty" lower:"500"`        // of tools
	Memory int64    `json:"memory,omitempty" lower:"268435456"` // bytes
	Time   Duration `json:"time,omitempty" lower:"60s"`         // without the time of its calls
}

// CodeLimits bound one call of the tool run_code.
type CodeLimits struct {
	Time   Duration `json:"time,omitempty" lower:"300s"`         // that a call may ask for
	Memory int64    `json:"memory,omitempty" lower:"1073741824"` // bytes
	Idle   Duration `json:"idle,omitempty" lower:"30m"`          // after which a kept process ends
}

// Browser bounds the browser that the model uses. Zero means the default.
type Browser struct {
	Profile  string `json:"profile,omitempty"`                   // a name under which the cookies of pages are kept for later sessions; "": they end with the browser
	Download int64  `json:"download,omitempty" lower:"67108864"` // bytes of one file that a page gives for download
}

// check refuses the name of a profile that could be a path.
func (b Browser) check() error {
	if strings.ContainsFunc(b.Profile, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' }) || len(b.Profile) > 64 {
		return fmt.Errorf("browser.profile is %q: expected letters, digits, - and _, at most 64 bytes", b.Profile)
	}
	return nil
}
