package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rein/app/eval"
	"rein/app/settings"
)

// evalFlags are those of rein eval.
type evalFlags struct {
	configs []string
	own     eval.Config // what flags name, over the configurations
	runs    positiveNumber
	atOnce  positiveNumber
	out     string
	against string
	cases   []string
	tags    []string
	minPass float64
	usd     float64
	tokens  positiveNumber
	time    settings.Duration
	fresh   bool
	keep    bool
	list    bool
	json    bool
	quiet   bool
}

// newEval is the command rein eval.
func newEval() *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval [DIR|FILE]...",
		Short: "Run cases and measure how well a model works",
		Long: `Run the cases of directories and files, each in fresh copies of its files, and report how many pass. Without a name: the
suite that rein ships with. Without a model the scripts and models of the cases answer. docs/evals.md says how to write cases.

The reports are results.json, junit.xml, report.md and report.html. What was run already with the same case, configuration and
program is not run again, so a run that was stopped continues when it is started again. With two --config the second one is
compared with the first one. The exit code is 1 when fewer attempts pass than --min-pass, or when a comparison is worse.`,
		Example: `  rein eval                                     the shipped suite with its scripted model
  rein eval -m anthropic/claude-sonnet-5 -n 5 cases/
  rein eval --config before.yaml --config after.yaml -n 5 cases/
  rein eval compare before/results.json after/results.json`,
		RunE: f.run,
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.configs, "config", nil, "a file with a configuration: model, mode, settings … (twice: compare them)")
	flags.StringVarP(&f.own.Model, "model", "m", "", "provider/name, in place of the models and scripts of the cases")
	flags.StringVar(&f.own.Judge, "judge", "", "provider/name of the model for checks of the kind judge")
	flags.Var(modeFlag(&f.own.Mode), "mode", "the mode of cases that name none: read-only, plan, ask, supervised, auto or full")
	flags.Var(effortFlag(&f.own.Effort), "effort", "how long the model thinks: none, low, medium, high; some models also minimal, xhigh, max")
	flags.VarP(&f.runs, "runs", "n", "attempts at each case (default 1)")
	flags.Var(&f.atOnce, "parallel", "attempts at once (default 4)")
	flags.StringVar(&f.out, "out", "", "the directory for reports and sessions (default: a new one in rein's state directory)")
	flags.StringVar(&f.against, "against", "", "compare with the results.json of an earlier run")
	flags.StringSliceVar(&f.cases, "case", nil, "only cases with this name, with wildcards (repeat)")
	flags.StringSliceVar(&f.tags, "tag", nil, "only cases with one of these tags (repeat)")
	flags.Float64Var(&f.minPass, "min-pass", 1, "the share of attempts that have to pass, from 0 to 1")
	flags.Var(dollarsFlag(&f.usd), "total-usd", "limit in US dollars for the whole run, where prices are known")
	flags.Var(&f.tokens, "total-tokens", "limit of tokens for the whole run")
	flags.Var(limitFlag(&f.time), "total-time", "limit of time for the whole run, such as 30m")
	flags.BoolVar(&f.fresh, "fresh", false, "run also what was run already")
	flags.BoolVar(&f.keep, "keep", false, "keep the copies in which the attempts worked")
	flags.BoolVar(&f.list, "list", false, "list the cases and run nothing")
	flags.BoolVar(&f.json, "json", false, "print the results as JSON")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "show no attempts while they are made")
	cmd.AddCommand(newEvalCompare(), newEvalSuite())
	return cmd
}

// newEvalCompare is the command rein eval compare.
func newEvalCompare() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "Compare two results.json by an exact paired test over their cases",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			before, err := eval.ReadResults(args[0])
			if err != nil {
				return withExitCode(exitInput, err)
			}
			after, err := eval.ReadResults(args[1])
			if err != nil {
				return withExitCode(exitInput, err)
			}
			c := eval.Compare(before, after)
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), c)
			} else {
				_, err = fmt.Fprint(cmd.OutOrStdout(), printable(c.Text()))
			}
			return errors.Join(err, worsened(c))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

// newEvalSuite is the command rein eval suite.
func newEvalSuite() *cobra.Command {
	return &cobra.Command{
		Use:   "suite DIR",
		Short: "Write the shipped suite into a directory, to read and to change",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.CopyFS(args[0], eval.SuiteFiles()); err != nil {
				return withExitCode(exitInput, err)
			}
			return nil
		},
	}
}

func worsened(c *eval.Comparison) error {
	if c == nil || !c.Worsened() {
		return nil
	}
	return withExitCode(exitError, fmt.Errorf("%s is worse than %s", c.After, c.Before))
}

func (f *evalFlags) run(cmd *cobra.Command, args []string) error {
	cases, err := f.read(args)
	if err != nil {
		return withExitCode(exitInput, err)
	}
	if f.list {
		for _, c := range cases {
			fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\n", printable(c.Name), printable(c.Title()))
		}
		return nil
	}
	configs, err := f.configurations()
	if err != nil {
		return err
	}
	var before *eval.Results
	if f.against != "" {
		if before, err = eval.ReadResults(f.against); err != nil {
			return withExitCode(exitInput, err)
		}
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	out, err := f.outDir()
	if err != nil {
		return err
	}
	var missed error
	for i, config := range configs {
		dir := out
		if len(configs) > 1 {
			dir = filepath.Join(out, fmt.Sprintf("%d-%s", i+1, config.Name))
		}
		results, err := eval.Run(ctx, f.options(cmd, cases, config, out))
		if err != nil {
			return err
		}
		missed, err = f.report(cmd, results, before, dir)
		if err != nil {
			return err
		}
		before = results
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return missed
}

// outDir is the directory for the reports; without a name a new one.
func (f *evalFlags) outDir() (string, error) {
	if f.out != "" {
		return f.out, nil
	}
	all := filepath.Join(settings.DefaultDirs().State, "evals")
	if err := os.MkdirAll(all, 0o700); err != nil {
		return "", settings.Unwritable(err)
	}
	return os.MkdirTemp(all, time.Now().Format("20060102-150405-"))
}

// read reads the cases that the arguments and flags choose.
func (f *evalFlags) read(args []string) ([]*eval.Case, error) {
	var all []*eval.Case
	if len(args) == 0 {
		suite, err := eval.Suite()
		if err != nil {
			return nil, err
		}
		all = suite
	}
	for _, name := range args {
		cases, err := eval.Read(name)
		if err != nil {
			return nil, err
		}
		all = append(all, cases...)
	}
	all = slices.DeleteFunc(all, func(c *eval.Case) bool {
		named := len(f.cases) == 0 || slices.ContainsFunc(f.cases, func(p string) bool { ok, err := path.Match(p, c.Name); return ok || err != nil && p == c.Name })
		tagged := len(f.tags) == 0 || slices.ContainsFunc(f.tags, func(t string) bool { return slices.Contains(c.Tags, t) })
		return !named || !tagged
	})
	if len(all) == 0 {
		return nil, errors.New("no case has this name or tag: rein eval --list shows them")
	}
	return all, nil
}

// configurations are those of the files, with what flags name.
func (f *evalFlags) configurations() ([]eval.Config, error) {
	if len(f.configs) > 2 {
		return nil, withExitCode(exitUsage, errors.New("at most two configurations are compared"))
	}
	if f.minPass < 0 || f.minPass > 1 {
		return nil, withExitCode(exitUsage, errors.New("--min-pass: expected a share from 0 to 1"))
	}
	all := make([]eval.Config, max(len(f.configs), 1))
	for i, file := range f.configs {
		c, err := eval.ReadConfig(file)
		if err != nil {
			return nil, withExitCode(exitInput, err)
		}
		all[i] = c
	}
	for i := range all {
		c := &all[i]
		c.Model, c.Judge, c.Mode, c.Effort = cmp.Or(f.own.Model, c.Model), cmp.Or(f.own.Judge, c.Judge), cmp.Or(f.own.Mode, c.Mode), cmp.Or(f.own.Effort, c.Effort)
	}
	return all, nil
}

func (f *evalFlags) options(cmd *cobra.Command, cases []*eval.Case, config eval.Config, out string) eval.Options {
	program, _ := os.Executable() // without it some documents are not read
	dirs := settings.DefaultDirs()
	o := eval.Options{Cases: cases, Config: config, Runs: int(f.runs), Parallel: int(f.atOnce), Out: out, Keep: f.keep, USD: f.usd, Tokens: int64(f.tokens), Time: time.Duration(f.time),
		Dirs: dirs, Program: program, Version: programVersion(), Warn: warningsTo(cmd), Cache: filepath.Join(dirs.State, "evals", "attempts")}
	if f.fresh {
		o.Cache = ""
	}
	if !f.quiet {
		o.Done = func(a *eval.Attempt) { showAttempt(cmd.ErrOrStderr(), a) }
	}
	return o
}

func showAttempt(out io.Writer, a *eval.Attempt) {
	line := fmt.Sprintf("%-7s %s", a.Status, printable(a.Case))
	if a.Number > 1 {
		line += fmt.Sprintf(" (attempt %d)", a.Number)
	}
	if a.Cached {
		line += ", from an earlier run"
	} else {
		line += fmt.Sprintf(", %.1f s", a.Seconds)
	}
	fmt.Fprintln(out, line)
	if why := a.Why(); why != "" {
		fmt.Fprintln(out, "        "+printable(why))
	}
	if a.Kept != "" {
		fmt.Fprintln(out, "        the files: "+a.Kept)
	}
}

// report writes the reports. missed says what of the wanted share is missing.
func (f *evalFlags) report(cmd *cobra.Command, r, before *eval.Results, dir string) (missed, err error) {
	var c *eval.Comparison
	if before != nil {
		c = eval.Compare(before, r)
	}
	if err := r.Write(dir, c); err != nil {
		return nil, withExitCode(exitInput, err)
	}
	if f.json {
		err = r.JSON(cmd.OutOrStdout())
	} else {
		err = r.Markdown(cmd.OutOrStdout(), c)
		fmt.Fprintln(cmd.ErrOrStderr(), "reports:", filepath.Join(dir, "report.html"))
	}
	s := r.Summaries()[0]
	switch {
	case s.Cases == 0:
		missed = withExitCode(exitLimit, errors.New("no attempt was made"))
	case s.Pass.Value < f.minPass:
		missed = withExitCode(exitError, fmt.Errorf("%.1f %% of the attempts pass, less than %.1f %%", 100*s.Pass.Value, 100*f.minPass))
	case s.Skipped > 0 && (f.usd > 0 || f.tokens > 0 || f.time > 0):
		missed = withExitCode(exitLimit, errors.New("the limits of the whole run are used up: some attempts were not made"))
	}
	return cmp.Or(worsened(c), missed), err
}
