package acp

import (
	"context"
	"slices"

	sdk "github.com/coder/acp-go-sdk"

	"rein/app/harness"
	"rein/guard"
)

// The ids of the options of a session. The mode is there twice: clients that know no options use the modes.
const (
	optionMode  = "mode"
	optionModel = "model"
)

// modeTexts say what the modes do, for people.
func modeTexts() []sdk.SessionMode {
	text := func(m guard.Mode, name, about string) sdk.SessionMode {
		return sdk.SessionMode{Id: sdk.SessionModeId(m.String()), Name: name, Description: &about}
	}
	return []sdk.SessionMode{
		text(guard.Supervised, "Supervised", "Reads run. The rest runs in the sandbox, or asks."),
		text(guard.Asking, "Ask", "Reads run. Everything else asks, edits of files too."),
		text(guard.Auto, "Auto", "As supervised; a model reviews what would ask, and may approve what is harmless."),
		text(guard.Plan, "Plan", "Read, and write a plan. Nothing else changes."),
		text(guard.ReadOnly, "Read only", "Read. Everything else is denied."),
		text(guard.Full, "Full", "Everything runs, except what only a person may approve."),
	}
}

func (s *session) modes() *sdk.SessionModeState {
	return &sdk.SessionModeState{CurrentModeId: sdk.SessionModeId(s.Terms().Mode), AvailableModes: modeTexts()}
}

// options are the choices of a session: the mode and the model.
func (s *session) options() []sdk.SessionConfigOption {
	how := s.Terms()
	var modes sdk.SessionConfigSelectOptionsUngrouped
	for _, m := range modeTexts() {
		modes = append(modes, sdk.SessionConfigSelectOption{Value: sdk.SessionConfigValueId(m.Id), Name: m.Name, Description: m.Description})
	}
	current := s.Context().Model
	if how.Model != "" {
		current = how.Model
	}
	s.mu.Lock()
	names := slices.Clone(s.models)
	s.mu.Unlock()
	if !slices.Contains(names, current) {
		names = append([]string{current}, names...)
	}
	var models sdk.SessionConfigSelectOptionsUngrouped
	for _, name := range names {
		models = append(models, sdk.SessionConfigSelectOption{Value: sdk.SessionConfigValueId(name), Name: name})
	}
	return []sdk.SessionConfigOption{
		choice(optionMode, "Mode", sdk.SessionConfigOptionCategoryMode, how.Mode, modes),
		choice(optionModel, "Model", sdk.SessionConfigOptionCategoryModel, current, models),
	}
}

func choice(id, name string, category sdk.SessionConfigOptionCategory, current string, values sdk.SessionConfigSelectOptionsUngrouped) sdk.SessionConfigOption {
	o := sdk.NewSessionConfigOptionSelect(sdk.SessionConfigValueId(current), sdk.SessionConfigSelectOptions{Ungrouped: &values})
	o.Select.Id, o.Select.Name, o.Select.Category = sdk.SessionConfigId(id), name, &category
	return o
}

// afterOpening sends what need not be there at once: the commands, and the models, which may take a moment to find.
func (s *session) afterOpening() {
	s.commandsChanged()
	ctx, cancel := context.WithCancel(s.a.ctx)
	defer cancel()
	go func() {
		select {
		case <-s.ended:
		case <-ctx.Done():
		}
		cancel()
	}()
	found, err := harness.Available(ctx, s.h.Root())
	if err != nil || ctx.Err() != nil {
		return
	}
	var names []string
	for _, m := range found {
		names = append(names, m.Provider+"/"+m.ID)
	}
	s.mu.Lock()
	s.models = names
	s.mu.Unlock()
	s.optionsChanged()
	s.commandsChanged()
}

// optionsChanged sends all options of the session.
func (s *session) optionsChanged() {
	s.show.send(sdk.SessionUpdate{ConfigOptionUpdate: &sdk.SessionConfigOptionUpdate{ConfigOptions: s.options()}})
}

type modeParams struct {
	Session string `json:"sessionId"`
	Mode    string `json:"modeId"`
}

func (a *agent) setMode(_ context.Context, p modeParams) (struct{}, error) {
	s, err := a.known(p.Session)
	if err != nil {
		return struct{}{}, err
	}
	if err := s.changeMode(p.Mode); err != nil {
		return struct{}{}, err
	}
	s.optionsChanged()
	return struct{}{}, nil
}

// changeMode changes the mode, because the user chose it.
func (s *session) changeMode(mode string) error {
	if err := s.SetMode(mode); err != nil {
		return invalid(err.Error())
	}
	return nil
}

// modeChanged tells the client about a mode that it did not set itself.
func (s *session) modeChanged() {
	s.show.send(sdk.SessionUpdate{CurrentModeUpdate: &sdk.SessionCurrentModeUpdate{CurrentModeId: sdk.SessionModeId(s.Terms().Mode)}})
	s.optionsChanged()
}

type optionParams struct {
	Session string `json:"sessionId"`
	Option  string `json:"configId"`
	Value   any    `json:"value"`
}

type optionsAnswer struct {
	Options []sdk.SessionConfigOption `json:"configOptions"`
}

func (a *agent) setOption(ctx context.Context, p optionParams) (optionsAnswer, error) {
	s, err := a.known(p.Session)
	if err != nil {
		return optionsAnswer{}, err
	}
	value, _ := p.Value.(string)
	switch p.Option {
	case optionMode:
		if err = s.changeMode(value); err == nil {
			s.show.send(sdk.SessionUpdate{CurrentModeUpdate: &sdk.SessionCurrentModeUpdate{CurrentModeId: sdk.SessionModeId(value)}})
		}
	case optionModel:
		err = s.changeModel(ctx, value)
	default:
		err = invalid("no such option: " + p.Option)
	}
	if err != nil {
		return optionsAnswer{}, err
	}
	return optionsAnswer{s.options()}, nil
}

func (s *session) changeModel(ctx context.Context, name string) error {
	if name == s.Terms().Model {
		return nil
	}
	if err := s.SetModel(ctx, name); err != nil {
		return invalid(err.Error())
	}
	s.show.forgetWindow()
	return nil
}

type modelParams struct {
	Session string `json:"sessionId"`
	Model   string `json:"modelId"`
}

// setModel is not part of the protocol any more; older clients use it.
func (a *agent) setModel(ctx context.Context, p modelParams) (struct{}, error) {
	s, err := a.known(p.Session)
	if err != nil {
		return struct{}{}, err
	}
	if err := s.changeModel(ctx, p.Model); err != nil {
		return struct{}{}, err
	}
	s.optionsChanged()
	return struct{}{}, nil
}
