package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"rein/app/catalogue"
	"rein/app/harness"
)

// newHooks returns the command "hooks".
func newHooks() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hooks",
		Short: "List the hooks that run at events of a session, and try them",
		Long: `Hooks are programs, servers and prompts of yours that run at events of a session: before and after a
call, at a message, at the end of an answer. They read and write the JSON of Claude Code's hooks and are read from
the settings of rein, from .claude/settings.json and from .codex/hooks.json. See docs/hooks.md.`,
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(newHooksList(), newHooksTest())
	return cmd
}

func newHooksList() *cobra.Command {
	var dir string
	entries := entryCommands{Kind: catalogue.Hooks, Head: "EVENT\tMATCHES\tRUNS\tHOOK\tFILE",
		Local: func(cmd *cobra.Command) catalogue.Local {
			return catalogue.Local{Options: (&callFlags{Dir: dir}).Harness(cmd, nil)}
		},
		None: func(cmd *cobra.Command) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "no hooks")
			return err
		},
		Row: func(e catalogue.Entry) []string {
			return []string{e.Name, e.Field("matches"), e.Field("runs"), e.Field("hook"), e.Field("file")}
		},
	}
	cmd := entries.List(&cobra.Command{Use: "list", Short: "List the hooks of this directory, and why some do not run"}, "as JSON, one hook a line")
	cmd.Flags().StringVarP(&dir, "cwd", "C", ".", "of this directory")
	return cmd
}

func newHooksTest() *cobra.Command {
	var dir, text, why, tool, args string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "test EVENT",
		Short: "Run the hooks of an event, as a session would, and show what they answer",
		Long: `Run the hooks of an event, as a session in this directory would, and show what they answer. Nothing else
happens: no call runs. The tool has the name and the arguments of rein; the hooks see those of Claude Code.`,
		Example: `  rein hooks test PreToolUse --tool bash --args '{"command":"git push"}'
  rein hooks test UserPromptSubmit --text 'fix the build'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, event []string) (err error) {
			ctx := cmd.Context()
			h, err := harness.Open(ctx, (&callFlags{Dir: dir, Single: true}).Harness(cmd, nil))
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, h.Close(ctx)) }()
			s, err := h.Start(ctx, harness.NewSession{NoModel: true, Ephemeral: true})
			if err != nil {
				return err
			}
			t, err := s.TryHooks(ctx, event[0], tool, args, why, text)
			if err != nil {
				return usageError(cmd, err)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), t)
			}
			out := cmd.OutOrStdout()
			if len(t.Hooks) == 0 {
				fmt.Fprintln(out, "no hook runs at this event")
			}
			for _, a := range t.Hooks {
				fmt.Fprintf(out, "%s (%d ms)\n", a.Hook, a.Millis)
				printNamed(out, "failed", a.Error, "decision", strings.TrimSpace(a.Decision+" "+a.Reason), "arguments", string(a.Args),
					"for the model", a.Context, "for you", a.Notice, "ends the turn", a.Halt)
			}
			if len(t.Hooks) > 1 {
				fmt.Fprintln(out, "together:", cmp.Or(strings.TrimSpace(t.Decision+" "+strings.ReplaceAll(t.Reason, "\n", "; ")), "no decision"))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVarP(&dir, "cwd", "C", ".", "of this directory")
	f.StringVar(&tool, "tool", "", "name of the tool, for events of calls")
	f.StringVar(&args, "args", "{}", "arguments of the call, as JSON")
	f.StringVar(&text, "text", "", "the message, the result or the answer that the event is about")
	f.StringVar(&why, "why", "", "what caused the event, such as startup, auto, permission_prompt")
	f.BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

// printNamed prints what has a text, each under its name.
func printNamed(out io.Writer, namesAndTexts ...string) {
	printed := false
	for i := 0; i < len(namesAndTexts); i += 2 {
		if namesAndTexts[i+1] != "" {
			fmt.Fprintf(out, "  %s: %s\n", namesAndTexts[i], namesAndTexts[i+1])
			printed = true
		}
	}
	if !printed {
		fmt.Fprintln(out, "  no decision")
	}
}
