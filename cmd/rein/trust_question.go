package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"rein/app/extend"
	"rein/app/harness"
	"rein/app/tui/text"
)

// askTrust asks the person at the terminal once whether sessions may obey what the folder holds. Where there is nobody, it
// warns about what sessions do not obey.
func askTrust(cmd *cobra.Command, h *harness.Harness, person bool) error {
	folder := h.Trust()
	in, _ := cmd.InOrStdin().(*os.File)
	if person = person && in != nil && term.IsTerminal(int(in.Fd())); !person {
		h.WarnUntrusted()
		return nil
	}
	all := folder.New(folder.Found(h.Root(), true))
	if len(all) == 0 {
		return nil
	}
	out, own := cmd.ErrOrStderr(), ownWords()
	fmt.Fprintf(out, "%s\n\n", own.Of("The folder %s has content that sessions would use:", printable(folder.Dir())))
	listItems(out, all, own)
	listDoes(out, h, own)
	fmt.Fprintf(out, "\n%s\n%s\n", own.Of("It may come from anybody who can change the folder."), own.Of("Rules and the sandbox hold in any case."))
	if ok, err := confirmQuestion(cmd, own.Of("Trust this content as it is now?")); err != nil || ok {
		if err != nil {
			return err
		}
		return folder.Accept(all)
	}
	fmt.Fprintln(out, own.Of("It is not used. To trust it later: rein trust --yes, or /trust yes in the chat"))
	return folder.Decline(all)
}

// confirmQuestion asks the person at the terminal. What was typed before is no answer. Where there is nobody, it is an error that names --yes.
func confirmQuestion(cmd *cobra.Command, question string) (bool, error) {
	in, _ := cmd.InOrStdin().(*os.File)
	if in == nil || !term.IsTerminal(int(in.Fd())) {
		return false, withExitCode(exitDenied, errors.New("nobody is there to answer; --yes answers"))
	}
	if err := dropTyped(in); err != nil {
		return false, err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", question)
	answer, err := readOneLine(in)
	answer = strings.ToLower(strings.TrimSpace(answer))
	return err == nil && (answer == "y" || answer == "yes"), err
}

// dropTyped drops what was typed, until no key has come for a while.
func dropTyped(in *os.File) error {
	k, err := newKeyboard(in).Keys()
	if err != nil {
		return err
	}
	defer k.Close()
	for {
		ctx, cancel := context.WithTimeout(context.Background(), pause)
		key, err := k.Key(ctx)
		late := ctx.Err() != nil
		cancel()
		switch {
		case late:
			return nil
		case err != nil:
			return err
		case key == ctrlC:
			return errors.New("interrupted")
		}
	}
}

// mostPaths is how many files of a kind are listed.
const mostPaths = 8

// listItems writes items, a line for each kind and path.
func listItems(out io.Writer, all []extend.TrustItem, own text.Words) {
	kinds := map[extend.TrustKind][]string{}
	for _, i := range all {
		kinds[i.Kind] = append(kinds[i.Kind], printable(i.Path))
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		for n, name := range kinds[kind] {
			if n == mostPaths {
				fmt.Fprintf(out, "  %-14s %s\n", "", own.Of("and %d more", len(kinds[kind])-n))
				break
			}
			fmt.Fprintf(out, "  %-14s %s\n", kind, name)
		}
	}
}

// listDoes writes what the programs of the folder would do that is not trusted: what hooks and tool servers run, and which variables these get.
func listDoes(out io.Writer, h *harness.Harness, own text.Words) {
	hooks, _ := h.Hooks() // what is wrong in their files is reported where they are read for a session
	for _, e := range hooks {
		if does := strings.TrimSpace(strings.Join(append([]string{e.Handler.Command}, e.Handler.Args...), " ")); e.Untrusted {
			fmt.Fprintln(out, " ", own.Of("the hook of %s: %s", printable(string(e.Event)), oneLine(cmp.Or(does, e.Handler.Name()), mostHook)))
		}
	}
	names, runs := harness.UntrustedServers(h)
	for _, name := range names {
		fmt.Fprintln(out, " ", own.Of("the tool server %s: %s", printable(name), oneLine(runs[name], mostHook)))
	}
	for _, s := range h.ProjectSends() {
		fmt.Fprintln(out, " ", printable(s.String()))
	}
}

// mostHook is how much of a hook's command is shown, in bytes.
const mostHook = 500

// readOneLine reads one line and no byte more: what follows belongs to others.
func readOneLine(in io.Reader) (string, error) {
	var text []byte
	one := make([]byte, 1)
	for len(text) < 100 {
		if _, err := in.Read(one); err != nil || one[0] == '\n' {
			if err == io.EOF {
				err = nil
			}
			return string(text), err
		}
		text = append(text, one[0])
	}
	return string(text), nil
}
