package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"rein/tool"
)

// Errors and warnings repeat what servers, files and their names say.
func TestNothingReachesTheTerminalRaw(t *testing.T) {
	const hostile = "\x1b]0;owned\x07\u202e"
	var out bytes.Buffer
	root := &cobra.Command{Use: "rein", RunE: func(cmd *cobra.Command, _ []string) error {
		warningsTo(cmd)(hostile)
		return errors.New(hostile)
	}}
	root.SetErr(&out)
	if code := execute(t.Context(), root, []string{}); code != exitError {
		t.Error("exit code", code)
	}
	if got := out.String(); strings.ContainsAny(got, "\x1b\x07\u202e") || strings.Count(got, "owned") != 2 {
		t.Errorf("injection-11 control characters in an error or a warning: %q", got)
	}
}

func TestErrorsOfTheLibraryAreInPlainWords(t *testing.T) {
	_, gone := os.ReadFile("nowhere.json")
	_, below := os.ReadFile("execute_test.go/x")
	_, directory := os.ReadFile(".")
	_, empty := os.ReadFile("")
	_, program := exec.LookPath("no-such-program")
	for _, row := range []struct {
		err  error
		want string
	}{
		{gone, "nowhere.json does not exist"},
		{fmt.Errorf("--mcp-config: nowhere.json: %w", gone), "--mcp-config: nowhere.json does not exist"},
		{fmt.Errorf("x: %w (as you know)", below), "x: execute_test.go/x: a part of this path is not a directory (as you know)"},
		{directory, ". is a directory"},
		{empty, "a file without a name"},
		{program, "there is no program no-such-program"},
		{fmt.Errorf("f: %w", json.Unmarshal([]byte("{"), new(any))), "f: this is not JSON (at byte 1)"},
		{json.Unmarshal([]byte("[1,}"), new(any)), "this is not JSON (at byte 4)"},
		{fmt.Errorf("--agents: %w", json.Unmarshal([]byte(`{"x":3}`), new(map[string][]int))), "--agents: expected a list, not number"},
		{os.NewSyscallError("getwd", syscall.ENOENT), "the directory in which you are does not exist any more"},
		{fmt.Errorf("HEAD~9: %w", &tool.Error{Text: "There is no such revision.", Hint: "git_log lists revisions."}), "HEAD~9: There is no such revision."},
		{errors.New("anything else"), "anything else"},
	} {
		if got := inWords(row.err); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}
