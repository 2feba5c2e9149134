package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// prompt puts the task together from the arguments and standard input.
func (a *modelFlags) prompt(args []string, in io.Reader) (string, error) {
	prompt := strings.Join(args, " ")
	if len(args) > 0 && strings.TrimSpace(prompt) == "" {
		return "", withExitCode(exitUsage, errors.New("the prompt is blank"))
	}
	resuming := a.resumes()
	fromInput := prompt == "-" || prompt == "" && !resuming || a.print && isPiped(in)
	if !fromInput {
		return prompt, nil
	}
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if resuming {
			return prompt, nil
		}
		return "", withExitCode(exitUsage, errors.New("no prompt: give one as an argument or on standard input"))
	}
	if prompt == "-" {
		prompt = ""
	}
	prompt, err := readPrompt(prompt, in)
	if err == nil && prompt == "" && !resuming {
		return "", withExitCode(exitUsage, errors.New("no prompt: standard input is empty"))
	}
	return prompt, err
}

// readPrompt adds standard input to what the arguments say.
func readPrompt(prompt string, in io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxPrompt+1))
	if err != nil {
		return "", withExitCode(exitInput, err)
	}
	if len(text) > maxPrompt {
		return "", withExitCode(exitInput, fmt.Errorf("the prompt on standard input is longer than %d bytes", maxPrompt))
	}
	return strings.TrimSpace(prompt + "\n\n" + string(text)), nil
}

const maxPrompt = 4 << 20

// isPiped reports whether standard input holds something meant for us: a pipe or a file, not a device.
func isPiped(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}
