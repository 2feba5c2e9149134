package command

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"rein/sandbox"
)

// tidyTimeout is the longest that one formatter or linter may take.
const tidyTimeout = 20 * time.Second

// Tidy returns a function for files.Tools.Tidy that runs programs on a file that was changed: for each extension, as
// ".go", command lines in order. A word {} stands for the file's name; without one it comes last. A program
// that ends badly, or says something, is told by its last lines.
func (s Shell) Tidy(byExtension map[string][][]string) func(ctx context.Context, name string) (string, error) {
	return func(ctx context.Context, name string) (string, error) {
		var said []string
		for _, argv := range byExtension[strings.ToLower(path.Ext(name))] {
			text, err := s.tidy(ctx, argv, name)
			if err != nil {
				return strings.Join(said, "\n"), err
			}
			if text != "" {
				said = append(said, text)
			}
		}
		return strings.Join(said, "\n"), nil
	}
}

func (s Shell) tidy(ctx context.Context, argv []string, name string) (string, error) {
	argv = slices.Clone(argv)
	if strings.HasPrefix(name, "-") {
		name = "./" + name // a name, not a flag
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
		return fmt.Sprintf("%s was stopped after %v", argv[0], tidyTimeout), nil
	case text == "" && result.Code == 0:
		return "", nil
	}
	return fmt.Sprintf("%s ended with %d: %s", argv[0], result.Code, text), nil
}
