package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"rein/kit/sandbox"
)

// tidyTimeout is how long one formatter or linter may run.
const tidyTimeout = 20 * time.Second

// Tidy returns a function for files.Tools.Tidy. It runs programs on a file that was changed. The map has, for each
// extension such as ".go", command lines that run in order. The word {} in a command line is replaced by the file's name;
// without it, the name is added at the end. If a program fails or prints something, the function returns its last lines.
func (s Shell) Tidy(byExtension map[string][][]string) func(ctx context.Context, name string) (string, error) {
	return func(ctx context.Context, name string) (string, error) {
		var report []string
		for _, argv := range byExtension[strings.ToLower(path.Ext(name))] {
			text, err := s.tidy(ctx, argv, name)
			if err != nil {
				return strings.Join(report, "\n"), err
			}
			if text != "" {
				report = append(report, text)
			}
		}
		return strings.Join(report, "\n"), nil
	}
}

func (s Shell) tidy(ctx context.Context, argv []string, name string) (string, error) {
	argv = slices.Clone(argv)
	if strings.HasPrefix(name, "-") {
		name = "./" + name // not an option
	}
	if i := slices.Index(argv, "{}"); i >= 0 {
		argv[i] = name
	} else {
		argv = append(argv, name)
	}
	var out bytes.Buffer
	result, err := sandbox.Run(ctx, s.box(), sandbox.Spec{Argv: argv, Dir: s.Dir}, &out, tidyTimeout)
	if err != nil {
		return "", fmt.Errorf("%s: %w", argv[0], err)
	}
	text := strings.TrimSpace(strings.ToValidUTF8(out.String(), "�"))
	if lines := strings.Split(text, "\n"); len(lines) > 20 {
		text = "…\n" + strings.Join(lines[len(lines)-20:], "\n")
	}
	switch {
	case result.TimedOut:
		return fmt.Sprintf("%s was stopped after the timeout of %v", argv[0], tidyTimeout), nil
	case text == "" && result.Code == 0:
		return "", nil
	}
	return fmt.Sprintf("%s ended with exit code %d: %s", argv[0], result.Code, text), nil
}

// RunSystem runs a program of the system in the sandbox, from the root directory, and returns what it prints to its output and
// errors. It fails when the program does. It is a function for files.Tools.Run.
func (s Shell) RunSystem(ctx context.Context, argv []string, input string) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	go func() { // ends at the latest when r is closed
		_, _ = io.WriteString(w, input)
		w.Close()
	}()
	var out bytes.Buffer
	result, err := sandbox.Run(ctx, s.box(), sandbox.Spec{Argv: argv, Dir: "/", Stdin: r, ReadOnly: true}, &out, tidyTimeout)
	if err == nil && (result.Code != 0 || result.TimedOut || result.Cancelled) {
		err = fmt.Errorf("%s ended with exit code %d", argv[0], result.Code)
	}
	return out.String(), err
}
