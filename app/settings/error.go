package settings

import (
	"encoding/json"
	"errors"
	"reflect"

	"rein/kit/jsonc"
)

// Error is a fault in a settings file, or in a place where rein keeps things.
type Error struct{ Err error }

// Error returns the text of the fault.
func (e Error) Error() string { return e.Err.Error() }

// Unwrap gives the fault.
func (e Error) Unwrap() error { return e.Err }

// WrongKind returns the error that a JSON value is of the wrong kind in plain words, and any other error as it is.
func WrongKind(err error) error {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && e.Type == reflect.TypeFor[Duration]() {
		return jsonc.Expected(e, `a text such as "90s"`)
	}
	return jsonc.WrongKind(err)
}
