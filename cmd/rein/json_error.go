package main

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// printedError is an error that standard output already has as JSON.
type printedError struct{ error }

// asPrinted marks an error that standard output already has as JSON.
func asPrinted(err error) error { return printedError{err} }

func (e printedError) Unwrap() error { return e.error }

// wantsJSON reports whether a command line asks for JSON. The line may be wrong, so it is not parsed: flags after the
// first wrong one would be lost.
func wantsJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	for i, arg := range args {
		value, is := strings.CutPrefix(arg, "--output-format=")
		if arg == "--output-format" && i+1 < len(args) {
			value, is = args[i+1], true
		}
		if arg == "--json" || arg == "--json=true" || is && (value == "json" || value == "stream-json") {
			return true
		}
	}
	return false
}

// printJSONError writes an error for a program that reads JSON, with the fields of a run's result.
func printJSONError(out io.Writer, err error) error {
	enc := json.NewEncoder(newJSONWriter(out))
	enc.SetEscapeHTML(false)
	text := inWords(err)
	return enc.Encode(map[string]any{
		"type": "result", "subtype": "error_during_execution", "is_error": true, "result": text, "error": text, "exit_code": exitCode(err),
	})
}
