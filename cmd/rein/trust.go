package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"rein/app/extend"
	"rein/app/harness"
)

// newTrust is the command rein trust.
func newTrust() *cobra.Command {
	var yes, forget, secrets bool
	cmd := &cobra.Command{
		Use:   "trust [DIR]",
		Short: "Show what a folder tells sessions to do, and decide whether to trust it",
		Long: `Show the instructions, skills, agents, commands, hooks and servers that a folder has for sessions, and whether you trust
them. Anybody may have written them: until you trust them, sessions neither read nor run them. You trust the content of a
file: when it changes, rein asks again.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o := harness.Options{Version: programVersion(), OneCall: true}
			if len(args) == 1 {
				o.Dir = args[0]
			}
			h, err := harness.Open(cmd.Context(), o)
			if err != nil {
				return err
			}
			f := h.Trust()
			switch {
			case forget:
				err = f.Forget()
			case yes:
				err = f.Accept(withoutSent(cmd, h, f.Found(h.Root(), true), secrets))
			}
			if err != nil {
				return err
			}
			return showTrust(cmd, h)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "trust all of it, as it is now")
	cmd.Flags().BoolVar(&secrets, "secrets", false, "with --yes: also tool servers that get secrets of your environment on another machine")
	cmd.Flags().BoolVar(&forget, "forget", false, "forget your answers about the folder")
	cmd.MarkFlagsMutuallyExclusive("yes", "forget")
	return cmd
}

// withoutSent leaves out tool servers that would get a secret of the environment on another machine, unless the user named that.
func withoutSent(cmd *cobra.Command, h *harness.Harness, all []extend.TrustItem, secrets bool) []extend.TrustItem {
	sent := slices.DeleteFunc(h.ProjectSends(), func(s harness.SentVariable) bool { return !s.Secret })
	if secrets || len(sent) == 0 {
		return all
	}
	for _, s := range sent {
		sayTo(cmd, "not trusted: "+s.String()+"; --yes --secrets trusts it, too")
	}
	return slices.DeleteFunc(all, func(i extend.TrustItem) bool { return i.Kind == extend.TrustMCP })
}

// showTrust writes what the folder holds, with its state.
func showTrust(cmd *cobra.Command, h *harness.Harness) error {
	f, out := h.Trust(), cmd.OutOrStdout()
	all := f.Found(h.Root(), true)
	if len(all) == 0 {
		_, err := fmt.Fprintln(out, ownWords().Command("There is nothing in "+printable(f.Dir())+" that sessions would use."))
		return err
	}
	not := f.Untrusted(all)
	for _, i := range all {
		state := "trusted"
		if slices.Contains(not, i) {
			state = "not trusted"
		}
		if _, err := fmt.Fprintf(out, "%-12s %-13s %s\n", state, i.Kind, printable(i.Path)); err != nil {
			return err
		}
	}
	listDoes(out, h, ownWords())
	if f.Always() {
		sayTo(cmd, "your setting trustedFolders trusts this folder, whatever it holds")
	} else if len(not) > 0 {
		sayTo(cmd, "to trust all of it as it is now: rein trust --yes")
	}
	return nil
}
