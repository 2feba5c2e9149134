package extend

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"rein/hook"
)

// mostHookOutput is how many bytes of an answer are read.
const mostHookOutput = 1 << 20

// HookProgram is a program that a hook names.
type HookProgram struct {
	Name string // what the hook names: a command
	Argv []string
	Dir  string
	Env  []string // NAME=value pairs beside the allow-listed environment
	Free bool     // without isolation
}

// command runs a program. It gets the input on its standard input.
func (r HookRunner) command(ctx context.Context, e HookEntry, in hook.Input, input []byte) (hookEnd, error) {
	if r.Command == nil {
		return hookEnd{}, errors.New("programs cannot run here")
	}
	h := e.Handler
	argv := []string{"bash", "--noprofile", "--norc", "-c", h.Command}
	if len(h.Args) > 0 {
		argv = []string{r.filled(h.Command)}
		for _, a := range h.Args {
			argv = append(argv, r.filled(a))
		}
	}
	env := hookVariables(in, e.format(), r.Dir)
	if parent := r.trace(in); parent != "" {
		env = append(env, "TRACEPARENT="+parent)
	}
	for _, name := range slices.Sorted(maps.Keys(h.Env)) {
		env = append(env, name+"="+h.Env[name])
	}
	code, stdout, stderr, err := r.Command(ctx, HookProgram{Name: h.Command, Argv: argv, Dir: r.Dir, Env: env, Free: h.Sandbox == "off"}, input)
	return hookEnd{Code: code, Stdout: stdout, Stderr: stderr}, err
}

// filled replaces the name of the project in a word that no shell reads.
func (r HookRunner) filled(word string) string {
	return strings.NewReplacer("${CLAUDE_PROJECT_DIR}", r.Dir, "$CLAUDE_PROJECT_DIR", r.Dir).Replace(word)
}
