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
	var yes, ask, forget, secrets bool
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
			case ask && len(f.Untrusted(f.Found(h.Root(), true))) > 0:
				return askNow(cmd, h, secrets)
			}
			if err != nil {
				return err
			}
			return showTrust(cmd, h)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "trust all of it, as it is now")
	cmd.Flags().BoolVar(&ask, "ask", false, "show it, then ask whether to trust it")
	cmd.Flags().BoolVar(&secrets, "secrets", false, "with --yes: also tool servers that get secrets of your environment on another machine")
	cmd.Flags().BoolVar(&forget, "forget", false, "forget your answers about the folder")
	cmd.MarkFlagsMutuallyExclusive("yes", "ask", "forget")
	return cmd
}

// askNow shows what is not trusted, and trusts what was shown if the person says so.
func askNow(cmd *cobra.Command, h *harness.Harness, secrets bool) error {
	f, out, own := h.Trust(), cmd.OutOrStdout(), ownWords()
	all := withoutSent(cmd, h, f.Untrusted(f.Found(h.Root(), true)), secrets)
	if len(all) == 0 {
		return nil
	}
	listItems(out, all, own)
	listDoes(out, h, own)
	ok, err := confirmQuestion(cmd, own.Of("Trust this content as it is now?"))
	if err != nil || !ok {
		return err
	}
	if err = f.Accept(all); err == nil {
		sayTo(cmd, "trusted; a chat that is open goes on without it: leave it, and continue with rein -c")
	}
	return err
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
		sayTo(cmd, "to trust all of it as it is now: rein trust --yes (in the chat: /trust yes)")
	}
	return nil
}
