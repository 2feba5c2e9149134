// Package tool says what a model may ask for, and what it gets back.
package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"rein/schema"
)

// Tool is something a model may ask for: a value, made by New or written out. It is copied, one field changed,
// to make another; it does not change once it is in a Set.
type Tool struct {
	Name        string         // 1 to 64 letters, digits, '_' or '-'; what the model calls it by
	Description string         // told to the model
	Input       *schema.Schema // the shape of the arguments; every call is checked against it before Run
	Effect      Effect         // what the tool can do at most
	Keep        bool           // true: results of this tool stay whole when a session is compacted
	Timeout     time.Duration  // limit of one call; 0 means the runner's
	Output      int            // bytes of output kept for the model; 0 means the runner's

	// Intent tells what a call with these arguments would do, before it runs and without doing it. It is pure.
	// Nil means nothing is known beyond Effect: such a call waits for every call before it that writes.
	Intent func(args json.RawMessage) (Intent, error)

	// Run does the work and writes what the model is to read to the reply. It must stop when ctx is done. An
	// *Error is told to the model as it is; any other error is told by its text.
	Run func(ctx context.Context, args json.RawMessage, r *Reply) error
}

// Effect is the most that a tool can do; effects are or-ed together. The zero value is a tool that only thinks.
type Effect uint8

// The effects.
const (
	Reads   Effect = 1 << iota // reads files or other state
	Writes                     // changes files or other state
	Runs                       // starts programs
	Reaches                    // talks over a network
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

// intender is an argument struct that tells its own intent.
type intender interface{ Intent() Intent }

// New makes a tool of a function over a struct of arguments. The schema comes from the struct's tags. If In has a
// method Intent() Intent, calls are judged and ordered by it. New panics when the struct has no schema: that is a
// programmer's mistake, seen at start.
func New[In any](name, description string, effect Effect, run func(context.Context, In, *Reply) error) *Tool {
	input, err := schema.For[In]()
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	t := &Tool{Name: name, Description: description, Input: input, Effect: effect}
	if _, tells := any(*new(In)).(intender); tells {
		t.Intent = func(args json.RawMessage) (Intent, error) {
			in, err := decode[In](args)
			if err != nil {
				return Intent{}, err
			}
			return any(in).(intender).Intent(), nil
		}
	}
	t.Run = func(ctx context.Context, args json.RawMessage, r *Reply) error {
		in, err := decode[In](args)
		if err != nil {
			return err
		}
		return run(ctx, in, r)
	}
	return t
}

func decode[In any](args json.RawMessage) (In, error) {
	var in In
	if bytes.Equal(args, emptyObject) {
		return in, nil
	}
	if err := schema.Decode(args, &in); err != nil {
		return in, &Error{Kind: BadArguments, Text: err.Error()}
	}
	return in, nil
}

var emptyObject = []byte("{}")
