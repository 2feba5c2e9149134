package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Error is a fault in a settings file, or in a place where rein keeps things.
type Error struct{ Err error }

func (e Error) Error() string { return e.Err.Error() }

// Unwrap gives the fault.
func (e Error) Unwrap() error { return e.Err }

// WrongKind rewrites in plain words the error that a JSON value is of the wrong kind. It returns any other error as it is.
func WrongKind(err error) error {
	e, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	if e.Field == "" {
		return fmt.Errorf("expected %s, not %s", kindOf(e.Type), e.Value)
	}
	return fmt.Errorf("%s: expected %s, not %s", e.Field, kindOf(e.Type), e.Value)
}

func kindOf(t reflect.Type) string {
	if t == reflect.TypeFor[Duration]() {
		return `a text such as "90s"`
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	}
	return "something else"
}

// noJSON is the error of a text that is no JSON, in our words: where it breaks off, and why.
func noJSON(err error) error {
	return errors.New("this is not JSON: " + strings.TrimPrefix(err.Error(), "hujson: "))
}
