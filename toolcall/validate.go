package toolcall

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"rein/hook"
	"rein/tool"
)

// valid is a call whose arguments have the shape that its tool asks for, and whose intent is known.
type valid struct {
	decoded
	intent tool.Intent
	hooks  hook.Outcome // of the hooks that saw it

	changed string // the arguments that a hook or the user gave it, for the model
}

// understand decodes and validates a call of the turn. A call that cannot be understood gets its result and leaves a nil.
func understand(t *turn, w *worker, i int) {
	v, err := t.one(w, i, t.calls[i])
	if err != nil {
		notUnderstood(t, i, err)
		return
	}
	t.understood[i] = v
}

func notUnderstood(t *turn, i int, why error) { t.results[i] = refusal(t.calls[i], why) }

func (t *turn) one(w *worker, i int, call tool.Call) (v *valid, err error) {
	defer t.caught("a schema", call, &err)
	if i >= t.limits.Calls {
		return nil, &tool.Error{Kind: tool.TooLarge,
			Text: fmt.Sprintf("At most %d calls run in one turn; this one did not.", t.limits.Calls),
			Hint: "Send it again in the next turn."}
	}
	d, err := t.decode(i, call)
	if err != nil {
		return nil, err
	}
	return t.validate(w, d)
}

func (t *turn) validate(w *worker, d decoded) (*valid, error) {
	v := &valid{decoded: d}
	checked, err := v.tool.Input.Check(v.call.Args)
	if err != nil {
		return nil, &tool.Error{Kind: tool.BadArguments, Text: err.Error()}
	}
	v.call.Args = checked.Args
	v.notes = append(v.notes, checked.Notes...)
	look := func(context.Context) (err error) {
		v.intent, err = t.intent(v.tool, v.call.Args)
		return err
	}
	if v.tool.Intent == nil {
		return v, look(t.ctx)
	}
	return v, inTime(t, w, &v.call, "looking at what the call would do", look, nil)
}

// intent returns what a call of a tool would do. It is Unknown where it hides an effect of the tool.
func (t *turn) intent(of *tool.Tool, args json.RawMessage) (intent tool.Intent, err error) {
	if of.Intent != nil {
		intent, err = of.Intent(bytes.Clone(args))
	}
	intent.Unknown = intent.Unknown || intent.Command != "" // a program may do anything, unless Normalize knows better
	if err == nil && t.Normalize != nil && of.Intent != nil {
		intent = t.Normalize(intent)
	}
	intent.Unknown = intent.Unknown || hides(of.Effect, intent)
	return intent.Clone(), err
}

// hides reports whether a tool can write, start programs or use the network, and the intent of a call lists nothing of
// that kind. An intent may list less than the tool can do, but it must list something for each effect. A command covers
// all effects.
func hides(e tool.Effect, i tool.Intent) bool {
	if i.Command != "" || i.RequestsAccess {
		return false
	}
	return e&tool.Writes != 0 && len(i.Writes) == 0 || e&tool.Runs != 0 || e&tool.Reaches != 0 && len(i.Hosts) == 0
}
