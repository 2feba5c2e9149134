package server

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"rein/app/server/api"
	"rein/app/settings"
)

// settingOperations show the settings that hold, and change those of the user that name no programs and open nothing.
type settingOperations struct {
	*workspaces
	*auditLog
}

func (o settingOperations) table() []apiOperation {
	const tag = "settings"
	return []apiOperation{
		operationAt(roleOperator, "GET /v1/settings", "list-settings", tag, "The settings that hold in a workspace, with the files that set them", inWorkspace(o.workspaces, o.list)),
		operationAt(roleOperator, "POST /v1/settings", "change-setting", tag, "Change a setting of the user; the next start or reload uses it", o.change),
	}
}

// list reads the files as they are now, not as they were when the server started.
func (o settingOperations) list(_ context.Context, w *servedWorkspace, _ ofDir) (api.Settings, error) {
	d := w.h.Dirs()
	out := api.Settings{Dir: w.dir, Values: []api.Setting{}, Project: settings.ProjectFile(d, w.dir), User: filepath.Join(d.Config, "settings.json"), ByHand: settings.ByHand()}
	layers, _, err := settings.Load(d, w.dir)
	if err != nil {
		return out, err
	}
	all, err := settings.Explain(layers)
	for _, v := range all {
		var value any
		if err := json.Unmarshal(o.mask(v.Value), &value); err != nil {
			value = nil // a secret was in the form of the value
		}
		if slices.Contains([]string{"secrets", "mcpServers", "providers", "search", "notify"}, v.Names[0]) {
			if o, ok := value.(map[string]any); ok {
				value = slices.Sorted(maps.Keys(o))
			}
		}
		out.Values = append(out.Values, api.Setting{Names: v.Names, Value: value, Layer: v.Layer, Source: v.Path})
	}
	return out, err
}

func (o settingOperations) change(ctx context.Context, in api.SettingChange) (none api.Settings, err error) {
	c := senderOf(ctx)
	w, err := o.mayChange(c, in.Dir, in.Scope)
	if err == nil {
		err = o.write(c, w, in)
	}
	if err != nil {
		return none, err
	}
	return o.list(ctx, w, ofDir{})
}

func (o settingOperations) write(c requestSender, w *servedWorkspace, in api.SettingChange) error {
	file := filepath.Join(w.h.Dirs().Config, "settings.json")
	if in.Scope == "project" {
		file = settings.ProjectFile(w.h.Dirs(), w.dir)
	}
	o.changing.Lock()
	defer o.changing.Unlock()
	err := settings.Change(file, in.Value, in.Check, in.Names...)
	if errors.Is(err, settings.ErrByHand) {
		return problem(http.StatusForbidden, "by_hand", err.Error())
	}
	if err != nil {
		return problem(http.StatusUnprocessableEntity, "setting", err.Error())
	}
	if in.Check {
		return nil
	}
	value, err := json.Marshal(in.Value)
	o.note(c, api.Entry{What: "changed_setting", Dir: w.dir, Text: strings.Join(in.Names, ".") + " " + string(o.mask(value)) + " (" + in.Scope + ")"})
	return err
}
