package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rein/app/settings"
	"rein/kit/sandbox"
)

func newSandbox() *cobra.Command {
	dir, mode := ".", string(sandbox.Auto)
	var policy sandbox.Policy
	var bounds settings.Programs
	cmd := &cobra.Command{
		Use:   "sandbox [flags] [-- CMD ARG…]",
		Short: "Run a program in the sandbox, or print what the sandbox enforces here",
		Long: `Run a program in the same sandbox as the programs of the tools. Its input and output are passed through.
Without a program, print what the sandbox enforces on this machine, and what it does not.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if policy.Workspace, err = realDir(dir); err != nil {
				return err
			}
			layers, _, err := settings.Load(settings.DefaultDirs(), policy.Workspace)
			if err != nil {
				return err
			}
			policy.Mode, policy.Limits, policy.Debuggers = sandbox.Mode(mode), bounds.Limits(), bounds.Debuggers
			policy = settings.Merge(layers).Backend.Apply(policy)
			policy.Warn = func(line string) { sayTo(cmd, line) }
			return runInSandbox(cmd, policy, args)
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().StringVarP(&dir, "cwd", "C", ".", "the workspace: the program starts here and may write here")
	cmd.Flags().Var(choiceFlag(&mode, "required", "auto", "off"), "sandbox", "required, auto or off")
	cmd.Flags().Var((*backendName)(&policy.Only), "sandbox-backend", backendUsage)
	cmd.Flags().StringArrayVar(&policy.Writable, "add-dir", nil, "another directory that may be written")
	cmd.Flags().StringArrayVar(&policy.Readable, "read", nil, "a file or directory of the home directory that may be read")
	cmd.Flags().BoolVar(&policy.EnvFiles, "env-files", false, "let the program read the .env files of the workspace")
	cmd.Flags().BoolVar(&policy.HostNetwork, "host-network", false, "do not isolate the network")
	bounds.Add(cmd.Flags())
	return cmd
}

// runInSandbox runs a program inside, or reports when there is none.
func runInSandbox(cmd *cobra.Command, policy sandbox.Policy, args []string) (err error) {
	for _, list := range [][]string{policy.Writable, policy.Readable} {
		for i := range list {
			if list[i], err = filepath.Abs(list[i]); err != nil {
				return withExitCode(exitUsage, err)
			}
		}
	}
	box, err := sandbox.New(policy)
	if err != nil {
		return withExitCode(exitInput, err)
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	if len(args) == 0 {
		report, err := box.Report(cmd.Context())
		printIsolation(cmd.OutOrStdout(), report)
		return err
	}
	if policy.Limits.Output > 0 {
		result, err := sandbox.Run(cmd.Context(), box, sandbox.Spec{Argv: args, Stdin: os.Stdin}, cmd.OutOrStdout(), 0)
		return exitFailure(result.Exit, err)
	}
	process, err := box.Start(cmd.Context(), sandbox.Spec{Argv: args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
	if err != nil {
		return exitFailure(sandbox.Exit{}, err)
	}
	return waitForExit(cmd, process)
}

// waitForExit waits for the program and returns its exit code as ours, as a shell does.
func waitForExit(cmd *cobra.Command, process sandbox.Process) error {
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-cmd.Context().Done():
			_ = process.Kill()
		case <-over:
		}
	}()
	return exitFailure(process.Wait())
}

// exitFailure gives how a program ended as an error of ours.
func exitFailure(exit sandbox.Exit, err error) error {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return withExitCode(exitNotFound, err)
	case err != nil:
		return err
	case exit.Limit != "":
		return withExitCode(exitLimit, fmt.Errorf("stopped by the limit: %s", exit.Limit))
	case exit.Signal != 0:
		return withExitCode(128+int(exit.Signal), fmt.Errorf("ended by signal %d (%s)", int(exit.Signal), exit.Signal))
	case exit.Code != 0:
		return asSeen(withExitCode(exit.Code, fmt.Errorf("exit code %d", exit.Code))) // the program has printed its own error
	}
	return nil
}

// printIsolation prints the table of what is and is not enforced.
func printIsolation(out io.Writer, report sandbox.Report) {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	defer table.Flush()
	fmt.Fprintf(table, "backend\t%s\n", report.Backend)
	for _, t := range report.Tried {
		if t.Err != nil {
			fmt.Fprintf(table, "  – %s\tdoes not work here: %v\n", t.Backend, t.Err)
		}
	}
	fmt.Fprintln(table, "guarantees")
	for _, w := range report.Guarantees {
		mark := "✓"
		if !w.Enforced {
			mark = "–"
		}
		fmt.Fprintf(table, "  %s %s\t%s\n", mark, w.What, w.How)
	}
	for _, line := range sandbox.Gaps(report.Backend) {
		fmt.Fprintf(table, "  open\t%s\n", line)
	}
}
