package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rein/app/eval"
)

// benchFlags are those of rein bench.
type benchFlags struct {
	eval.BenchOptions
	corpora string
	misses  string
	json    bool
}

// newBench is the command rein bench.
func newBench() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench [CORPUS] [-- COMMAND [ARG…]]",
		Short: "Measure a harness on labelled data: edits, text calls, schemas, repair, shell judgement",
		Long: `Measure a program on a corpus, and show the figures of others beside it. The program gets the rows as JSON lines on standard
input, and writes a line for each on standard output: docs/bench.md has the fields. Without a COMMAND rein itself answers.
Without a CORPUS: a list of them.

The corpora are in docs/corpora of the project. rein looks for them here, beside itself, and in share/doc/rein.`,
		Example: `  rein bench guard
  rein bench guard -- rein guard judge --batch
  rein bench edit --misses misses.jsonl -- python3 adapter.py`,
		RunE: f.run,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.corpora, "corpora", "", "the directory with the corpora")
	flags.StringVar(&f.misses, "misses", "", "write the rows that were not right to this file, as JSON lines")
	flags.Var(choiceFlag(&f.Mode, "supervised", "read-only", "full"), "mode", "what the guard is asked for: supervised, read-only or full (default supervised)")
	flags.Var(choiceFlag(&f.Pieces, "whole", "chunks", "bytes"), "pieces", "how texts of dialects come: whole, chunks (as they were recorded) or bytes (default whole)")
	flags.BoolVar(&f.json, "json", false, "print the figures as JSON")
	return cmd
}

func (f *benchFlags) run(cmd *cobra.Command, args []string) error {
	dash := cmd.ArgsLenAtDash()
	if dash < 0 {
		dash = len(args)
	}
	command := args[dash:]
	switch {
	case dash > 1:
		return withExitCode(exitUsage, errors.New("expected one corpus; a command stands after --"))
	case dash == 0:
		for _, c := range eval.Corpora() {
			fmt.Fprintf(cmd.OutOrStdout(), "%-9s %s (rein %s)\n", c.Name, c.About, strings.Join(c.Own, " "))
		}
		return nil
	}
	dir, err := corporaDir(f.corpora)
	if err != nil {
		return withExitCode(exitInput, err)
	}
	b, err := eval.OpenBench(dir, args[0], f.BenchOptions)
	if err != nil {
		return withExitCode(exitInput, err)
	}
	name := strings.Join(command, " ")
	if len(command) == 0 {
		program, err := os.Executable()
		if err != nil {
			return err
		}
		command, name = append([]string{program}, b.Own...), "rein "+programVersion()
	}
	peers, err := eval.ReadPeers(dir, b.Name)
	if err != nil {
		return withExitCode(exitInput, err)
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	score, seconds, err := answersOf(ctx, cmd, b, command)
	if err != nil {
		return err
	}
	if err := f.writeMisses(score); err != nil {
		return withExitCode(exitInput, err)
	}
	if f.json {
		return printJSON(cmd.OutOrStdout(), struct {
			Program string  `json:"program"`
			Seconds float64 `json:"seconds"`
			*eval.Score
			Peers eval.Peers `json:"peers"`
		}{name, seconds, score, peers})
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%.1f s\n", seconds)
	return score.Table(cmd.OutOrStdout(), printable(name), peers)
}

// answersOf runs the program and judges its answers.
func answersOf(ctx context.Context, cmd *cobra.Command, b *eval.Bench, command []string) (s *eval.Score, seconds float64, err error) {
	program := exec.CommandContext(ctx, command[0], command[1:]...)
	program.Stderr = cmd.ErrOrStderr()
	in, err := program.StdinPipe()
	if err != nil {
		return nil, 0, err
	}
	out, err := program.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	began := time.Now()
	if err := program.Start(); err != nil {
		return nil, 0, withExitCode(exitInput, fmt.Errorf("%s: %w", command[0], err))
	}
	asked := make(chan error, 1) // it is filled while the answers are read
	go func() { asked <- errors.Join(b.Ask(in), in.Close()) }()
	s, err = b.Score(out)
	if err != nil {
		_ = program.Process.Kill() // its answers are of no use
	}
	<-asked // who reads nothing more has no answers either
	ended := program.Wait()
	switch {
	case err != nil:
		return nil, 0, withExitCode(exitInput, fmt.Errorf("%s: %w", command[0], err))
	case s.Missing == s.Rows || ended != nil && s.Missing > 0:
		return nil, 0, withExitCode(exitInput, fmt.Errorf("%s left out the answers to %d of %d rows: %w", command[0], s.Missing, s.Rows, cmp.Or(ended, errors.New("it ended without an error"))))
	}
	return s, time.Since(began).Seconds(), nil
}

func (f *benchFlags) writeMisses(s *eval.Score) error {
	if f.misses == "" {
		return nil
	}
	out, err := os.Create(f.misses)
	if err != nil {
		return err
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	for _, m := range s.Misses {
		if err := e.Encode(m); err != nil {
			return errors.Join(err, out.Close())
		}
	}
	return out.Close()
}

// corporaDir finds the corpora: in the named directory, here, beside the program, or where packages put documents.
func corporaDir(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	usual := filepath.Join("docs", "corpora")
	places := []string{usual}
	if program, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(program); err == nil {
			program = real
		}
		dir := filepath.Dir(program)
		places = append(places, filepath.Join(dir, usual), filepath.Join(dir, "corpora"), filepath.Join(dir, "..", "share", "doc", "rein", "corpora"))
	}
	for _, dir := range places {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, nil
		}
	}
	return "", errors.New("the corpora are not here: go to a checkout of the project, which has them in docs/corpora, or name their directory with --corpora")
}
