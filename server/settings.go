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

	"github.com/danielgtaylor/huma/v2"

	"rein/harness/settings"
	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
	"rein/server/signin"
)

// settingOperations show the settings that hold, and change those of the user that name no programs and open nothing.
func (s *Server) settingOperations(a huma.API) {
	add(a, auth.Operator, huma.Operation{OperationID: "list-settings", Method: http.MethodGet, Path: "/v1/settings", Summary: "The settings that hold in a workspace, with the files that set them", Tags: []string{"settings"}},
		inRoom(s, func(_ context.Context, w *workspace, _ InDir) (api.Settings, error) { return s.settings(w) }))
	add(a, auth.Operator, huma.Operation{OperationID: "change-setting", Method: http.MethodPost, Path: "/v1/settings", Summary: "Change a setting of the user; the next start or reload uses it", Tags: []string{"settings"}},
		func(ctx context.Context, in *body[api.SettingChange]) (*body[api.Settings], error) {
			c := signin.Of(ctx)
			w, err := s.mayChange(c, in.Body.Dir, in.Body.Scope)
			if err != nil {
				return nil, err
			}
			if err := s.changeSetting(c, w, in.Body); err != nil {
				return nil, err
			}
			out, err := s.settings(w)
			return &body[api.Settings]{out}, err
		})
}

// settings reads the files as they are now, not as they were when the server started.
func (s *Server) settings(w *workspace) (api.Settings, error) {
	d := w.h.Dirs()
	out := api.Settings{Dir: w.dir, Values: []api.Setting{}, Project: settings.ProjectFile(d, w.dir), User: filepath.Join(d.Config, "settings.json"), ByHand: settings.ByHand()}
	layers, _, err := settings.Load(d, w.dir)
	if err != nil {
		return out, err
	}
	all, err := settings.Explain(layers)
	for _, v := range all {
		var value any
		if err := json.Unmarshal(s.mask(v.Value), &value); err != nil {
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

func (s *Server) changeSetting(c signin.Client, w *workspace, in api.SettingChange) error {
	file := filepath.Join(w.h.Dirs().Config, "settings.json")
	if in.Scope == "project" {
		file = settings.ProjectFile(w.h.Dirs(), w.dir)
	}
	s.changing.Lock()
	defer s.changing.Unlock()
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
	s.note(c, audit.Entry{What: "changed_setting", Dir: w.dir, Text: strings.Join(in.Names, ".") + " " + string(s.mask(value)) + " (" + in.Scope + ")"})
	return err
}
