// Package jsonc reads JSON with comments, as people write it into settings, and says in plain words what is wrong with it.
package jsonc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"
)

// Standard returns a text as plain JSON. Comments become blanks, so that lines stay where they are. The text itself is not changed.
func Standard(text []byte) ([]byte, error) {
	standard, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return nil, Broken(err)
	}
	return standard, nil
}

// Broken returns the error of package hujson about a text that is no JSON in our words: where the text breaks off, and why.
func Broken(err error) error {
	return errors.New("this is not JSON: " + strings.TrimPrefix(err.Error(), "hujson: "))
}

// WrongKind returns the error that a JSON value is of the wrong kind in plain words, and any other error as it is.
func WrongKind(err error) error {
	e, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	return Expected(e, kindOf(e.Type))
}

// Expected returns the error that a JSON value is not of the kind that these words name.
func Expected(e *json.UnmarshalTypeError, kind string) error {
	if e.Field == "" {
		return fmt.Errorf("expected %s, not %s", kind, e.Value)
	}
	return fmt.Errorf("%s: expected %s, not %s", e.Field, kind, e.Value)
}

func kindOf(t reflect.Type) string {
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
