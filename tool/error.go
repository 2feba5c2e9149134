package tool

import "errors"

// Kind is the reason why a call failed. Programs may switch on it.
type Kind string

// The kinds of failure.
const (
	UnknownTool  Kind = "unknown_tool"
	BadArguments Kind = "bad_arguments"
	Denied       Kind = "denied"     // by a guard, a rule, or a person
	Unapproved   Kind = "unapproved" // it needs an approval, and nobody was there to give it
	NotFound     Kind = "not_found"  // the thing named does not exist
	Outside      Kind = "outside"    // outside the workspace
	Stale        Kind = "stale"      // changed since it was last read, or never read
	Unsupported  Kind = "unsupported"
	NoPermission Kind = "no_permission" // the operating system refuses
	TooLarge     Kind = "too_large"
	TimedOut     Kind = "timed_out"
	Cancelled    Kind = "cancelled"
	Panicked     Kind = "panicked"
	Unrecorded   Kind = "unrecorded" // the journal failed, so the call did not run
	Waiting      Kind = "waiting"    // pending: it runs when its approval comes
	Failed       Kind = "failed"     // anything else; see the text
)

// Error is an error for the model: what happened, and what to try. The zero Kind means Failed.
type Error struct {
	Kind Kind
	Text string
	Hint string // what to do instead; may be empty
}

// Error returns the text and, after a line break, the hint.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Text
	}
	return e.Text + "\n" + e.Hint
}

// AsError returns the *Error in err's chain, or wraps err as a plain failure. It returns nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		if e.Kind == "" {
			e = &Error{Kind: Failed, Text: e.Text, Hint: e.Hint}
		}
		return e
	}
	return &Error{Kind: Failed, Text: err.Error()}
}
