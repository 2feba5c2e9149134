package main

import (
	"errors"
	"fmt"
	"rein/harness/settings"
	"strconv"

	"github.com/spf13/cobra"
)

// strict makes what is wrong on a command line a usage error, for a command and all below it: arguments that it does not
// take, and an unknown name after a command that only holds others.
func strict(cmd *cobra.Command) {
	if !cmd.Runnable() {
		cmd.Args, cmd.DisableFlagsInUseLine = knownCommand, true
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	if check := cmd.Args; check != nil {
		cmd.Args = usageArgs(check)
	}
	for _, c := range cmd.Commands() {
		strict(c)
	}
}

// usageArgs makes cobra's argument errors usage errors.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if _, known := errors.AsType[coded](err); err == nil || known {
			return err
		}
		return coded{exitUsage, fmt.Errorf("%w\nusage: %s", err, cmd.UseLine())}
	}
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
	return coded{exitUsage, fmt.Errorf("no such command: %q%s", args[0], hint)}
}

// positive is a flag's whole number above zero; zero when it was not given.
type positive int64

// Set reads the number from a flag.
func (p *positive) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || int64(int(n)) != n {
		return errors.New("want a whole number above zero")
	}
	*p = positive(n)
	return nil
}

// String writes the number as Set reads it.
func (p *positive) String() string { return strconv.FormatInt(int64(*p), 10) }

// Type names what a flag takes.
func (p *positive) Type() string { return "int" }
