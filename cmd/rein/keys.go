package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"rein/app/settings"
	"rein/app/tui/text"
)

// newKeys is the command rein keys.
func newKeys() *cobra.Command {
	var press, asJSON bool
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "List the keys of the chat, or show what a key press sends",
		Long: `List the actions of the chat and the keys that are bound to them, with your settings (terminal.keys). With --press it shows what
this terminal sends for each key: some terminals keep keys for themselves, or send the same for two of them.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			layers, _, err := settings.Load(settings.DefaultDirs(), ".")
			if err != nil {
				return withExitCode(exitInput, err)
			}
			k, err := text.DefaultKeys().With(settings.Merge(layers).Terminal.Keys)
			if err != nil {
				return withExitCode(exitInput, fmt.Errorf("settings: %w", err))
			}
			switch {
			case press && (cmd.InOrStdin() != os.Stdin || !term.IsTerminal(int(os.Stdin.Fd()))):
				return withExitCode(exitUsage, errors.New("--press needs a terminal"))
			case press:
				return text.ShowPresses(cmd.Context(), k, os.Stdin, cmd.OutOrStdout())
			case asJSON:
				return printJSONLines(cmd, k.Bindings)
			}
			for _, b := range k.Bindings {
				var names []string
				for _, key := range b.Keys {
					names = append(names, text.KeyWords(key))
				}
				line := fmt.Sprintf("%-17s %-34s %s", b.Action, cmp.Or(strings.Join(names, ", "), "-"), b.Help)
				fmt.Fprintln(cmd.OutOrStdout(), strings.TrimRight(line, " "))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&press, "press", false, "show what each key press sends; Ctrl+C twice leaves")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object per line")
	return cmd
}
