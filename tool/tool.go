// Package tool defines what a model calls: tools, calls, intents and results, and bounds and keeps their outputs.
package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"rein/schema"
)

// Tool is something that a model may call. It is a value: New makes one, or a literal. To change one, copy it and change a
// field. It does not change once it is in a Set.
type Tool struct {
	Name        string         // 1 to 64 letters, digits, '_' or '-'; the model calls it by this name
	Description string         // for the model
	Input       *schema.Schema // the shape of the arguments; every call is checked against it before Run
	Effect      Effect         // what the tool can do at most
	Timeout     time.Duration  // limit of one call; 0 means the runner's
	Output      int            // bytes of output kept for the model; 0 means the runner's

	// Keep: results stay in the conversation when others of their age are replaced by references. For short results that the
	// model needs all the time, such as the plan.
	Keep bool

	// Nests: Run makes calls of other tools, with Reply.Run. Each is judged and approved by itself; the call itself waits
	// for the earlier calls of its turn, and the later ones wait for it. Such a tool cannot be called by another one.
	Nests bool

	// Intent returns what a call with these arguments would do, before it runs and without doing it. It depends on nothing
	// else. Nil means that nothing is known beyond Effect: a call that may read then waits for every earlier call that writes.
	Intent func(args json.RawMessage) (Intent, error)

	// Run does the work and writes what the model is to read to the reply. It must stop when ctx is done. The model gets
	// the text and the hint of an *Error, and the text of any other error.
	Run func(ctx context.Context, args json.RawMessage, r *Reply) error
}

// Tokens estimates what the definition of the tool takes in each request: JSON and English have 3.5 bytes in a token.
func (t *Tool) Tokens() int {
	return (len(t.Name)+len(t.Description)+len(t.Input.Raw()))*2/7 + 10
}

// Effect is the most that a tool can do; effects are or-ed together. The zero value is a tool that touches nothing outside
// itself.
type Effect uint8

// The effects.
const (
	Reads   Effect = 1 << iota // reads files or other state; a call that does nothing else runs again after a crash
	Writes                     // changes files or other state
	Runs                       // starts programs
	Reaches                    // uses the network
)

// String names the effects, joined by '+'; "none" for the zero value.
func (e Effect) String() string {
	var b []byte
	for i, name := range []string{"reads", "writes", "runs", "reaches"} {
		if e&(1<<i) != 0 {
			if len(b) > 0 {
				b = append(b, '+')
			}
			b = append(b, name...)
		}
	}
	if len(b) == 0 {
		return "none"
	}
	return string(b)
}

// intender is an argument struct that knows the intent of its call.
type intender interface{ Intent() Intent }

// New makes a tool from a function and its struct of arguments. The schema comes from the struct's tags. If In has a
// method Intent() Intent, calls are judged and ordered by it. New panics when the struct has no schema: that is a
// programmer's mistake, which shows at the start.
func New[In any](name, description string, effect Effect, run func(context.Context, In, *Reply) error) *Tool {
	t := withArguments(name, description, effect, reflect.TypeFor[In]())
	t.Run = func(ctx context.Context, args json.RawMessage, r *Reply) error {
		var in In
		if err := decode(args, &in); err != nil {
			return err
		}
		return run(ctx, in, r)
	}
	return t
}

// withArguments is all of New that is not compiled for each struct of arguments again.
func withArguments(name, description string, effect Effect, in reflect.Type) *Tool {
	input, err := schema.Of(in)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	t := &Tool{Name: name, Description: description, Input: input, Effect: effect}
	if in.Implements(reflect.TypeFor[intender]()) {
		t.Intent = func(args json.RawMessage) (Intent, error) {
			v := reflect.New(in)
			if err := decode(args, v.Interface()); err != nil {
				return Intent{}, err
			}
			return v.Interface().(intender).Intent(), nil
		}
	}
	return t
}

// IntentBy makes the Intent of a Tool from a function on its struct of arguments: for a tool whose intent depends on more
// than its arguments, or whose arguments can be wrong in a way that the schema cannot express.
func IntentBy[In any](intent func(In) (Intent, error)) func(json.RawMessage) (Intent, error) {
	return func(args json.RawMessage) (Intent, error) {
		var in In
		if err := decode(args, &in); err != nil {
			return Intent{}, err
		}
		return intent(in)
	}
}

func decode(args json.RawMessage, into any) error {
	if bytes.Equal(args, emptyObject) {
		return nil
	}
	if err := schema.Decode(args, into); err != nil {
		return &Error{Kind: BadArguments, Text: err.Error()}
	}
	return nil
}

var emptyObject = []byte("{}")
