package extend

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"rein/hook"
	"rein/kit/jsonc"
)

// HookFile is one file that may list hooks, under the key "hooks": {EVENT: [{"matcher": …, "hooks": [HANDLER, …]}]}.
type HookFile struct {
	Path    string
	Format  string // of its hooks that name none: see formatNames
	Project bool   // it comes with the project, so it counts only where it is trusted
}

// HookFiles lists the files that are read for a workspace, those of the user first. managed is the settings file of the machine and
// own are the user's other settings files; home is the user's home directory.
func HookFiles(managed string, own []string, home, workspace string) []HookFile {
	files := []HookFile{{Path: managed, Format: "rein"}}
	for _, path := range own {
		files = append(files, HookFile{Path: path, Format: "rein"})
	}
	at := func(dir string, project bool) {
		files = append(files,
			HookFile{filepath.Join(dir, ".claude", "settings.json"), "claude", project},
			HookFile{filepath.Join(dir, ".claude", "settings.local.json"), "claude", project},
			HookFile{filepath.Join(dir, ".codex", "hooks.json"), "codex", project})
	}
	if home != "" && home != workspace {
		at(home, false)
	}
	for _, name := range []string{"settings.json", "settings.local.json", "hooks.json"} {
		files = append(files, HookFile{filepath.Join(workspace, ".rein", name), "rein", true})
	}
	at(workspace, true)
	return files
}

// HookEntry is one hook of a file.
type HookEntry struct {
	Event     hook.Event
	Matcher   string
	Handler   HookHandler
	File      HookFile
	Untrusted bool   // it does not run: the user does not trust the file as it is now
	Skipped   string // why it does not run; "": it runs, unless it is untrusted
}

// format is whose JSON the hook takes and gives.
func (e HookEntry) format() string { return cmp.Or(e.Handler.Format, e.File.Format) }

// matcher reads the matcher of the entry.
func (e HookEntry) matcher() (func(subject string) bool, error) {
	ofTool := e.Event == hook.PreToolUse || e.Event == hook.PostToolUse || e.Event == hook.PostToolUseFailure || e.Event == hook.PermissionRequest
	return readMatcher(e.Matcher, e.format(), ofTool)
}

// Why returns why a hook does not run; "" when it runs.
func (e HookEntry) Why() string {
	if e.Untrusted && e.Skipped == "" {
		return "you have not trusted the file as it is now (rein trust)"
	}
	return e.Skipped
}

// HookHandler is what runs. The names of the fields are those of Claude Code.
type HookHandler struct {
	Type            string            `json:"type"` // command, http, prompt
	Command         string            `json:"command,omitempty"`
	Args            []string          `json:"args,omitempty"` // with them Command is a program and no shell runs it
	URL             string            `json:"url,omitempty"`
	Headers         map[string]string `json:"headers,omitempty"`        // $NAME is the value of an environment variable
	AllowedEnvVars  []string          `json:"allowedEnvVars,omitempty"` // the only variables that Headers may name
	Prompt          string            `json:"prompt,omitempty"`         // $ARGUMENTS is the input
	Model           string            `json:"model,omitempty"`          // provider/name
	ContinueOnBlock bool              `json:"continueOnBlock,omitempty"`
	Timeout         float64           `json:"timeout,omitempty"` // seconds
	OnFailure       string            `json:"onFailure,omitempty"`
	Async           bool              `json:"async,omitempty"`
	If              string            `json:"if,omitempty"`
	Sandbox         string            `json:"sandbox,omitempty"` // "off": without isolation; only in the user's own files
	Format          string            `json:"format,omitempty"`  // whose JSON it takes and gives: see formatNames; "" is that of its file
	Env             map[string]string `json:"env,omitempty"`     // more variables for a command
}

// Name is how messages and records call the handler.
func (h HookHandler) Name() string {
	switch h.Type {
	case "command":
		return shortText(strings.Join(append([]string{h.Command}, h.Args...), " "))
	case "http":
		return shortText(h.URL)
	}
	return shortText(h.Type + ": " + h.Prompt)
}

// ReadHooks reads the hooks of the files that exist, with read. trusted reports whether the user trusts a file of the project with this content;
// nil trusts none. A file that cannot be read has a warning and no hooks.
func ReadHooks(files []HookFile, read func(path string) ([]byte, error), trusted func(path string, text []byte) bool) (all []HookEntry, warnings []string) {
	seen := map[string]bool{}
	for _, f := range files {
		text, err := read(f.Path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue
		}
		var more []HookEntry
		if err == nil {
			more, err = f.parse(text)
		}
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("%s: its hooks are not read: %v", f.Path, err))
			continue
		}
		for _, e := range more {
			e.Untrusted = f.Project && (trusted == nil || !trusted(f.Path, text))
			key, _ := json.Marshal([]any{e.Event, e.Matcher, e.Handler})
			if seen[string(key)] && e.Skipped == "" {
				e.Skipped = "it is listed in another file too"
			}
			seen[string(key)] = seen[string(key)] || !e.Untrusted
			all = append(all, e)
		}
	}
	return all, warnings
}

// ReadHooksUnless is ReadHooks; where off is set none of the hooks runs.
func ReadHooksUnless(off bool, files []HookFile, read func(path string) ([]byte, error), trusted func(path string, text []byte) bool) (all []HookEntry, warnings []string) {
	all, warnings = ReadHooks(files, read, trusted)
	for i := range all {
		if off {
			all[i].Skipped = "hookPolicy.off is set"
		}
	}
	return all, warnings
}

type rawGroup struct {
	Matcher string            `json:"matcher"`
	Hooks   []json.RawMessage `json:"hooks"`
}

// parse reads the hooks of a file.
func (f HookFile) parse(text []byte) ([]HookEntry, error) {
	if !bytes.Contains(text, []byte(`"hooks"`)) {
		return nil, nil
	}
	standard, err := jsonc.Standard(text)
	if err != nil {
		return nil, err
	}
	var file struct {
		Hooks   map[string][]rawGroup `json:"hooks"`
		Disable bool                  `json:"disableAllHooks"`
	}
	if err := json.Unmarshal(standard, &file); err != nil {
		return nil, jsonc.WrongKind(err)
	}
	var all []HookEntry
	for event, groups := range file.Hooks {
		for _, g := range groups {
			for _, raw := range g.Hooks {
				e := HookEntry{Event: hook.Event(event), Matcher: g.Matcher, File: f}
				if file.Disable {
					e.Skipped = "disableAllHooks is set in its file"
				}
				if err := json.Unmarshal(raw, &e.Handler); err != nil {
					return nil, fmt.Errorf("%s: a hook: %w", event, jsonc.WrongKind(err))
				}
				e.check()
				all = append(all, e)
			}
		}
	}
	order := hook.Events()
	sort.SliceStable(all, func(i, j int) bool { return slices.Index(order, all[i].Event) < slices.Index(order, all[j].Event) })
	return all, nil
}

// check finds out why a hook cannot run.
func (e *HookEntry) check() {
	h := e.Handler
	switch {
	case e.Skipped != "":
	case !slices.Contains(hook.Events(), e.Event):
		e.Skipped = fmt.Sprintf("rein has no event %q", string(e.Event))
	case h.Type == "command" && h.Command == "", h.Type == "http" && h.URL == "", h.Type == "prompt" && h.Prompt == "":
		e.Skipped = "it has no " + map[string]string{"command": "command", "http": "url", "prompt": "prompt"}[h.Type]
	case h.Type != "command" && h.Type != "http" && h.Type != "prompt":
		e.Skipped = fmt.Sprintf("rein has no hooks of the type %q", h.Type)
	case h.OnFailure != "" && h.OnFailure != "continue" && h.OnFailure != "block":
		e.Skipped = fmt.Sprintf("onFailure is %q: expected continue or block", h.OnFailure)
	case h.Sandbox != "" && h.Sandbox != "off":
		e.Skipped = fmt.Sprintf("sandbox is %q: expected off", h.Sandbox)
	case h.Sandbox == "off" && e.File.Project:
		e.Skipped = "only hooks of your own files may run without the sandbox"
	case h.Format != "" && !slices.Contains(formatNames(), h.Format):
		e.Skipped = fmt.Sprintf("its format is %q: expected one of %s", h.Format, strings.Join(formatNames(), ", "))
	case h.Timeout < 0 || h.Timeout > mostHookSeconds:
		e.Skipped = fmt.Sprintf("its timeout is %v s: expected 0 to %d", h.Timeout, mostHookSeconds)
	default:
		if _, err := e.matcher(); err != nil {
			e.Skipped = fmt.Sprintf("its matcher cannot be read: %v", err)
		}
	}
}

// mostHookSeconds bounds HookHandler.Timeout.
const mostHookSeconds = 3600
