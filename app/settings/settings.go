// Package settings reads, checks, explains and changes settings: the user's files, those of a project, which may only tighten, and
// those of whoever manages the machine. It knows the directories where rein keeps things, and keeps secrets in the keyring.
package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"time"

	"rein/guard"
	"rein/internal/plainfile"
	"rein/internal/plaintext"
	"rein/kit/catalog"
	"rein/kit/jsonc"
	"rein/model"
)

// Settings are what a settings file may say. All are optional.
//
// A file that comes with a project may set only what has the tag "lower", and only to a stricter value than the one that
// would hold without it. The tag names the value of a number that is not set, so that a project cannot raise it either:
// "off" is no limit. A key without the tag is ignored there.
type Settings struct {
	Schema string `json:"$schema,omitempty"`

	Model      string              `json:"model,omitempty"`               // provider/name
	SmallModel string              `json:"smallModel,omitempty"`          // provider/name of the model that answers questions about web pages, and writes titles
	Titles     bool                `json:"titles,omitempty"`              // the small model, else the session's, writes the titles of sessions
	Mode       string              `json:"mode,omitempty"`                // read-only, plan, ask, supervised, auto, full
	Effort     string              `json:"effort,omitempty"`              // how long a model thinks
	ThinkFirst bool                `json:"thinkFirst,omitempty"`          // it writes down what it will do before it acts on a message
	Dialect    string              `json:"dialect,omitempty"`             // auto, none, or a dialect's name
	MaxTurns   int                 `json:"maxTurns,omitempty" lower:"50"` // requests for one message
	Budget     int64               `json:"budget,omitempty"`              // tokens for one message
	Providers  map[string]Provider `json:"providers,omitempty"`

	// Models are facts of models by "provider/name": they replace what the catalogue and the server say.
	Models map[string]catalog.Model `json:"models,omitempty"`

	// Sampling says how models choose their words, by "provider/name" and, for all others, "*".
	Sampling map[string]model.Sampling `json:"sampling,omitempty"`

	// FallbackModels take over, in this order, when the model fails after its retries.
	FallbackModels []string `json:"fallbackModels,omitempty"`
	Compact        Compact  `json:"compact,omitzero"`

	Sandbox     string          `json:"sandbox,omitempty"`                   // required, auto, off
	Network     json.RawMessage `json:"network,omitempty"`                   // hosts that programs may reach
	Files       json.RawMessage `json:"files,omitempty"`                     // places outside the workspace that the work may use
	Permissions json.RawMessage `json:"permissions,omitempty" lower:"rules"` // the rules: see docs/rules.md
	Secrets     json.RawMessage `json:"secrets,omitempty"`                   // by name, for http_request
	Limits      Limits          `json:"limits,omitzero"`
	Loops       Loops           `json:"loops,omitzero"`          // when an agent that repeats itself is stopped
	Browser     Browser         `json:"browser,omitzero"`        // the browser that the model uses
	Compute     Compute         `json:"compute,omitzero"`        // the tools program and run_code, and diagnostics after edits
	Sessions    Sessions        `json:"sessions,omitzero"`       // how long they are kept
	Undo        Undo            `json:"undo,omitzero"`           // what is kept so that changes of files can be undone
	Memory      Memory          `json:"memory,omitzero"`         // what is remembered from one session to the next
	Programs    Programs        `json:"programs,omitzero"`       // bounds of each program that runs
	Backend     SandboxBackend  `json:"sandboxBackend,omitzero"` // where programs run
	Schedule    Schedule        `json:"schedule,omitzero"`       // tasks that run later or regularly
	Notify      Notify          `json:"notify,omitzero"`         // what the user is notified of, and where
	Server      Server          `json:"server,omitzero"`         // rein serve; only the user's own settings count
	Tools       []string        `json:"tools,omitempty"`         // the tools on offer, with wildcards; "-NAME" leaves one out

	Instructions Instructions `json:"instructions,omitzero"` // AGENTS.md and files like it
	Skills       Skills       `json:"skills,omitzero"`

	Agents Agents `json:"agents,omitzero"` // sub-agents

	// TrustedFolders are directories, also with * and **, whose instructions, skills, hooks and servers are obeyed, whatever they are.
	TrustedFolders []string `json:"trustedFolders,omitempty"`

	Search     Search          `json:"search,omitzero"`      // what web_search asks
	MCPServers json.RawMessage `json:"mcpServers,omitempty"` // tool servers by name: see docs/mcp.md
	ToolSearch ToolSearch      `json:"toolSearch,omitzero"`  // when the model sees only the tools that it searched for

	Terminal   Terminal   `json:"terminal,omitzero"`   // how the chat looks on a terminal
	StatusLine StatusLine `json:"statusLine,omitzero"` // a command for its status line

	Hooks      json.RawMessage `json:"hooks,omitempty" lower:"trust"` // programs that run at events: see docs/hooks.md
	HookPolicy HookPolicy      `json:"hookPolicy,omitzero"`

	Review Review `json:"review,omitzero"` // the reviewer of the mode auto

	// Format holds programs that run on a file after an edit, by its extension: {".go": [["gofmt", "-w"]]}.
	Format map[string][][]string `json:"format,omitempty"`
}

// Provider is where a provider is reached; keys come from the environment.
type Provider struct {
	BaseURL string `json:"baseURL,omitempty"`
	KeyEnv  string `json:"keyEnv,omitempty"` // the environment variable that holds the key

	TextOnly        bool     `json:"textOnly,omitempty"`        // its models take no images and no documents
	ThinkingFields  []string `json:"thinkingFields,omitzero"`   // of earlier answers that a compatible server takes back; [] is none
	ThinkingSwitch  bool     `json:"thinkingSwitch,omitempty"`  // a compatible server takes "thinking":{"type":"enabled"}
	NoStreamOptions bool     `json:"noStreamOptions,omitempty"` // a compatible server refuses "stream_options"
}

// Compact says when older parts of a conversation are replaced, so that it fits the window of the model. Zero means the
// default.
type Compact struct {
	Off        bool     `json:"off,omitempty"`        // only when the user or the provider wants it
	References int      `json:"references,omitempty"` // percent of the window at which old results become references
	Summary    int      `json:"summary,omitempty"`    // … at which older messages become a summary
	Cut        int      `json:"cut,omitempty"`        // … at which older messages go without one
	Most       int      `json:"most,omitempty"`       // tokens that a conversation may have, however large the window is
	Model      string   `json:"model,omitempty"`      // provider/name of the model that writes summaries
	Timeout    Duration `json:"timeout,omitempty"`    // of a summary
}

// HookPolicy says what the hooks of the user may do. Zero means the default. The hooks themselves are in the setting "hooks":
// see package extend.
type HookPolicy struct {
	Off       bool     `json:"off,omitempty"`       // run no hooks
	Approve   bool     `json:"approve,omitempty"`   // hooks of the user's own files may answer approval requests
	Open      bool     `json:"open,omitempty"`      // a PreToolUse hook that fails does not deny the call
	Timeout   Duration `json:"timeout,omitempty"`   // of a hook that names none: "60s"
	MostStops int      `json:"mostStops,omitempty"` // how often in a row Stop hooks may keep a session going: 3
}

// Review says who reviews calls in the mode auto. Zero means the default.
type Review struct {
	Model    string   `json:"model,omitempty"`    // provider/name; "" is the session's model
	Severity string   `json:"severity,omitempty"` // the most severe calls that it may approve: low, medium, high
	Tokens   int64    `json:"tokens,omitempty"`   // that reviews of one session may use
	Timeout  Duration `json:"timeout,omitempty"`  // of one review
}

// Most returns Severity; 0 is the default.
func (r Review) Most() (guard.Severity, error) {
	most, ok := map[string]guard.Severity{"": guard.None, "low": guard.Low, "medium": guard.Medium, "high": guard.High}[r.Severity]
	if !ok {
		return guard.None, fmt.Errorf("review.severity: no such severity: %q (expected low, medium or high)", r.Severity)
	}
	return most, nil
}

// Limits are the bounds of calls. Zero means the default.
type Limits struct {
	Parallel    int      `json:"parallel,omitempty" lower:"8"`   // calls at once
	Timeout     Duration `json:"timeout,omitempty" lower:"60s"`  // of one call: "60s"
	Output      int      `json:"output,omitempty" lower:"32768"` // bytes of one result
	OutputQuota int64    `json:"outputQuota,omitempty"`          // bytes of all kept outputs
	Recording   int64    `json:"recording,omitempty"`            // bytes of the recording of one session: see rein run --record
	Calls       int      `json:"calls,omitempty" lower:"128"`    // of one turn

	CallsPerHour    int `json:"callsPerHour,omitempty" lower:"off"`    // of one session; more are asked about
	CallsPerSession int `json:"callsPerSession,omitempty" lower:"off"` // more are asked about

	Args int `json:"args,omitempty" lower:"1048576"` // bytes of one call's arguments

	Parts     int `json:"parts,omitempty" lower:"20"`          // images, documents and links of one result
	PartBytes int `json:"partBytes,omitempty" lower:"8388608"` // bytes of the images and documents of one result

	Answer Duration `json:"answer,omitempty" lower:"off"` // after which an approval request without an answer is denied; zero: never

	Background Duration `json:"background,omitempty" lower:"60s"` // after which a command goes to the background by itself

	SecretScan Duration `json:"secretScan,omitempty"` // of one search of the workspace for files with secrets

	Message Budget `json:"message,omitzero"` // what one message of the user may cost, sub-agents included
	Session Budget `json:"session,omitzero"` // what a session may cost
	Day     Budget `json:"day,omitzero"`     // what all sessions of a day may cost together

	Tools map[string]toolLimits `json:"tools,omitempty"` // by name of the tool
}

// Budget bounds what is spent. Zero means no limit.
type Budget struct {
	Tokens    int64    `json:"tokens,omitempty" lower:"off"` // in and out
	USD       float64  `json:"usd,omitempty"`                // where prices are known: see rein models
	Time      Duration `json:"time,omitempty" lower:"off"`   // while the session is at work
	Calls     int64    `json:"calls,omitempty" lower:"off"`
	Requests  int64    `json:"requests,omitempty" lower:"off"` // to models
	SubAgents int64    `json:"subAgents,omitempty" lower:"off"`
}

// Loops say when an agent that repeats itself gets a note, needs an approval, and is stopped. Zero means the default, -1 never.
type Loops struct {
	Same     Ladder `json:"same,omitzero"`            // the same call with the same result: 3 and 5
	Waits    Ladder `json:"waits,omitzero"`           // the same, with waiting in between: 20 and 60
	PingPong Ladder `json:"pingPong,omitzero"`        // rounds of two calls with known results: 2 and 4
	Idle     Ladder `json:"idle,omitzero"`            // turns in a row with known results: 4 and 6
	Failures Ladder `json:"failures,omitzero"`        // turns in a row in which one tool failed in the same way: 4 and 7
	Stop     int    `json:"stop,omitempty" none:"-1"` // requests in a row that nobody approved, after which the turn ends: 3
}

// Ladder is when a loop gets which answer.
type Ladder struct {
	Note int `json:"note,omitempty" none:"-1"` // the model gets a note
	Ask  int `json:"ask,omitempty" none:"-1"`  // the call needs an approval of a person
}

type toolLimits struct {
	Timeout Duration `json:"timeout,omitempty" lower:"off"`
	Output  int      `json:"output,omitempty" lower:"off"`

	CallsPerHour int `json:"callsPerHour,omitempty" lower:"off"` // more are asked about

	// Most is what the project's files set: a limit that holds where it is below the one of the tool.
	Most struct {
		Timeout Duration
		Output  int
	} `json:"-"`
}

// Duration reads "90s" or "2m".
type Duration time.Duration

// off is the Duration that "off" is read as, in a field with the tag none.
const off Duration = -1

// UnmarshalText reads a duration with units, such as "1m30s", or "off".
func (d *Duration) UnmarshalText(text []byte) error {
	if string(text) == "off" {
		*d = off
		return nil
	}
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a duration: expected one such as 90s or 2m", text)
	}
	if parsed < 0 {
		return fmt.Errorf("a duration below zero: %s", text)
	}
	*d = Duration(parsed)
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (d Duration) MarshalText() ([]byte, error) {
	if d == off {
		return []byte("off"), nil
	}
	return []byte(time.Duration(d).String()), nil
}

// Set reads a duration from a flag.
func (d *Duration) Set(text string) error {
	if err := d.UnmarshalText([]byte(text)); err != nil || *d != off {
		return err
	}
	return errors.New("it cannot be off")
}

// String writes the duration as Set reads it; "" when there is none.
func (d *Duration) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

// Type names what a flag takes.
func (d *Duration) Type() string { return "duration" }

// Layer is one settings file. Later layers override earlier ones, but a project's may only tighten.
type Layer struct {
	Name string // managed, user, own (the user's, for this project), project, local
	Path string
	Settings
}

// Load reads the settings files that exist, from the lowest layer to the highest. A file that does not parse
// stops the start; an unknown key is a warning with the nearest name.
func Load(d Dirs, workspace string) (all []Layer, warnings []string, err error) {
	files := []Layer{
		{Name: "managed", Path: ManagedFile()},
		{Name: "user", Path: filepath.Join(d.Config, "settings.json")},
		{Name: "own", Path: ProjectFile(d, workspace)},
		{Name: "project", Path: filepath.Join(workspace, ".rein", "settings.json")},
		{Name: "local", Path: filepath.Join(workspace, ".rein", "settings.local.json")},
	}
	for _, l := range files {
		text, err := plainfile.Read(l.Path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) && l.Name == "managed" {
			continue
		}
		if err != nil {
			return nil, nil, Error{err}
		}
		more, err := l.Parse(text)
		if err != nil {
			return nil, nil, Error{fmt.Errorf("%s: %w", l.Path, err)}
		}
		warnings = append(warnings, more...)
		all = append(all, l)
	}
	return all, warnings, nil
}

// ProjectFile is the user's file for one project; it is outside of it.
func ProjectFile(d Dirs, workspace string) string {
	return filepath.Join(d.Config, "projects", WorkspaceName(workspace)+".json")
}

// ManagedFile returns the path of the settings of the machine, which its administrator writes.
func ManagedFile() string {
	if runtime.GOOS == "windows" {
		return filepath.Join(os.Getenv("ProgramData"), "rein", "settings.json")
	}
	return "/etc/rein/settings.json"
}

// Parse reads the text of a settings file into the layer. The warnings name what has no effect.
func (l *Layer) Parse(text []byte) (warnings []string, err error) {
	standard, err := jsonc.Standard(text)
	if err != nil {
		return nil, err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(standard, &keys); err != nil {
		return nil, errors.New("expected one JSON object")
	}
	for _, line := range doubledKeys("", json.NewDecoder(bytes.NewReader(standard))) {
		warnings = append(warnings, l.Path+": "+line)
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		t := settingType(key)
		if t == nil {
			warnings = append(warnings, fmt.Sprintf("%s: unknown setting %q is ignored%s", l.Path, key, DidYouMean(key, settingNames())))
			delete(keys, key) // package json would take "MODE" for "mode"
			continue
		}
		for _, line := range unknownKeys(key, keys[key], t) {
			warnings = append(warnings, l.Path+": "+line)
		}
	}
	if standard, err = json.Marshal(keys); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(standard, &l.Settings); err != nil {
		return warnings, WrongKind(err)
	}
	if l.cloned() {
		warnings = append(warnings, l.withoutLoosening("", reflect.ValueOf(&l.Settings).Elem())...)
	}
	return warnings, l.Settings.check()
}

// DidYouMean returns " (did you mean …?)" with the known name that is nearest, or "".
func DidYouMean(name string, known []string) string {
	if n := plaintext.NearestName(name, known); n != "" {
		return fmt.Sprintf(" (did you mean %q?)", n)
	}
	return ""
}

// Unknown reads a settings file and reports the settings in it that nothing reads, a line for each.
func Unknown(path string) (lines []string, err error) {
	text, err := plainfile.Read(path)
	if err != nil {
		return nil, err
	}
	lines, err = (&Layer{Name: "user", Path: path}).Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return lines, nil
}

func settingNames() []string { return namesOf[Settings]() }

// namesOf are the keys that a struct is read from.
func namesOf[T any]() []string {
	var names []string
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		names = append(names, nameOfField(t.Field(i)))
	}
	return names
}
