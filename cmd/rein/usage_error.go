package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rein/app/settings"
)

// refuseWrongFlags makes what is wrong on a command line a usage error, for a command and all below it: arguments that it does not
// take, and an unknown name after a command that only holds others.
func refuseWrongFlags(cmd *cobra.Command) {
	if !cmd.Runnable() {
		cmd.Args, cmd.DisableFlagsInUseLine = knownCommand, true
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	if check := cmd.Args; check != nil {
		cmd.Args = usageArgs(check)
	}
	for _, c := range cmd.Commands() {
		refuseWrongFlags(c)
	}
}

// usageArgs makes an error about the arguments a usage error with words of ours: the checks of cobra only count them.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if _, known := errors.AsType[codedError](err); err == nil || known {
			return err
		}
		if cmd.HasAvailableSubCommands() && check(cmd, nil) == nil {
			return knownCommand(cmd, args)
		}
		return usageError(cmd, fmt.Errorf("wrong number of arguments: %d", len(args)))
	}
}

// usageError is an error of the command line, with how the command is used.
func usageError(cmd *cobra.Command, err error) error {
	return withExitCode(exitUsage, fmt.Errorf("%w\nusage: %s", err, cmd.UseLine()))
}

// flagError describes in plain words what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return usageError(cmd, fmt.Errorf("--%s %q: %s", e.GetFlag().Name, e.GetValue(), wantedValue(e)))
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name := e.GetSpecifiedName()
		if e.GetSpecifiedShortnames() != "" {
			return usageError(cmd, fmt.Errorf("unknown flag: -%s", name))
		}
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		return usageError(cmd, fmt.Errorf("unknown flag: --%s%s", name, settings.DidYouMean(name, known)))
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return usageError(cmd, fmt.Errorf("--%s needs a value", e.GetFlag().Name))
	}
	return usageError(cmd, err)
}

// wantedValue describes the values that a flag takes.
func wantedValue(e *pflag.InvalidValueError) string {
	switch e.GetFlag().Value.Type() {
	case "duration":
		if want := errors.Unwrap(e).Error(); strings.HasPrefix(want, "expected ") {
			return want
		}
		return "expected a duration such as 90s or 2m"
	case "bool":
		return "expected true or false"
	}
	return errors.Unwrap(e).Error()
}

// knownCommand refuses arguments: were the first a command's name, that command would run.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	hint := settings.DidYouMean(args[0], names)
	if hint == "" {
		hint = fmt.Sprintf("; %s --help lists them", cmd.CommandPath())
	}
	if !cmd.HasParent() {
		hint += fmt.Sprintf("\na task for the model goes after run: rein run %q", oneLine(args[0], 60))
	}
	return withExitCode(exitUsage, fmt.Errorf("no such command: %q%s", args[0], hint))
}

// positiveNumber is a flag's whole number above zero; zero when it was not given.
type positiveNumber int64

// Set reads the number from a flag.
func (p *positiveNumber) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || int64(int(n)) != n {
		return errors.New("expected a whole number above zero")
	}
	*p = positiveNumber(n)
	return nil
}

// String writes the number as Set reads it.
func (p *positiveNumber) String() string { return strconv.FormatInt(int64(*p), 10) }

// Type names what a flag takes.
func (p *positiveNumber) Type() string { return "int" }
