package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"
	"github.com/tailscale/hujson"

	"rein/app/harness"
	"rein/app/settings"
	"rein/internal/plainfile"
)

// importItem is one thing that another program has.
type importItem struct {
	Program string   `json:"program"`
	Kind    string   `json:"kind"` // rules, server, agent, skill, command, hooks, instructions, setting
	From    string   `json:"from"`
	What    string   `json:"what"`
	To      string   `json:"to,omitempty"` // "": rein reads it where it is, or does not take it
	Notes   []string `json:"notes,omitempty"`

	write  func() error
	read   bool // rein reads it where it is
	secret bool // it sends a secret of the environment to another machine: --yes does not write it
}

// importReader collects the items for one user and directory.
type importReader struct {
	home, root string
	h          *harness.Harness
	items      []importItem
}

// newImport is the command rein import.
func newImport() *cobra.Command {
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Import what Claude Code, Codex, Gemini CLI, opencode, crush and Cursor have here",
		Long: `Look for what Claude Code, Codex, Gemini CLI, opencode, crush and Cursor have for you and for this directory: settings, rules,
tool servers, agents, skills, slash commands, hooks, instructions. rein shows what it would write where, and what has another
meaning here, and asks. What is set already stays. What rein reads in place is not copied. Rules that allow are taken from
your own files only, never from those of a repository; no mode and no switched-off sandbox is taken over.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := harness.Open(cmd.Context(), harness.Options{Version: programVersion()})
			if err != nil {
				return err
			}
			r := &importReader{home: settings.HomeDir(), root: h.Root(), h: h}
			r.collect()
			if yes {
				r.hold()
			}
			if asJSON {
				if r.items == nil {
					r.items = []importItem{}
				}
				return printJSON(cmd.OutOrStdout(), r.items)
			}
			if !r.show(cmd.OutOrStdout()) {
				return nil
			}
			if !yes {
				if ok, err := confirmQuestion(cmd, "Write this?"); err != nil || !ok {
					return err
				}
			}
			return r.write(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "write it without a question")
	cmd.Flags().BoolVar(&asJSON, "json", false, "show it as JSON, and write nothing")
	return cmd
}

// collect finds everything.
func (r *importReader) collect() {
	r.settings()
	r.rules()
	r.servers()
	r.texts()
	r.agents()
	r.hooks()
	r.inPlace()
	r.left()
}

// add keeps an item. An item with a write function is one that would be written.
func (r *importReader) add(i importItem) { r.items = append(r.items, i) }

// hold leaves out what nobody may write unseen.
func (r *importReader) hold() {
	for n := range r.items {
		if i := &r.items[n]; i.secret {
			i.write, i.Notes = nil, append(i.Notes, "--yes does not write it, because it sends a secret to another machine: answer the question, or rein mcp add")
		}
	}
}

// show writes the items, by program, and reports whether there is anything to write.
func (r *importReader) show(out io.Writer) (something bool) {
	if len(r.items) == 0 {
		fmt.Fprintln(out, "There is nothing of other programs here.")
		return false
	}
	sort.SliceStable(r.items, func(i, j int) bool { return r.items[i].Program < r.items[j].Program })
	program := ""
	for _, i := range r.items {
		if i.Program != program {
			program = i.Program
			fmt.Fprintln(out, program)
		}
		to := "not imported"
		switch {
		case i.write != nil:
			something = true
			to = "→ " + r.short(i.To)
		case i.What == importDiffers:
			to = ""
		case i.read || len(i.Notes) == 0:
			to = "rein reads it where it is"
		}
		fmt.Fprintln(out, strings.TrimRight(fmt.Sprintf("  %-12s %s  (%s)  %s", i.Kind, printable(i.What), printable(r.short(i.From)), printable(to)), " "))
		for _, n := range i.Notes {
			fmt.Fprintf(out, "  %-12s   %s\n", "", printable(n))
		}
	}
	return something
}

// short names a file below the home directory or the workspace.
func (r *importReader) short(file string) string {
	if rest, ok := strings.CutPrefix(file, r.root+string(filepath.Separator)); ok {
		return rest
	}
	if rest, ok := strings.CutPrefix(file, r.home+string(filepath.Separator)); ok {
		return "~/" + filepath.ToSlash(rest)
	}
	return file
}

// write writes the items. One that fails does not stop the others.
func (r *importReader) write(out io.Writer) (failed error) {
	written := 0
	for _, i := range r.items {
		if i.write == nil {
			continue
		}
		if err := i.write(); err != nil {
			failed = withExitCode(exitInput, fmt.Errorf("%s %s: %w", i.Kind, i.What, err))
			fmt.Fprintln(out, "not written:", printable(failed.Error()))
			continue
		}
		written++
	}
	fmt.Fprintf(out, "%d written\n", written)
	return failed
}

// userFile and projectFile are the settings of the user, for everything and for this directory.
func (r *importReader) userFile() string    { return filepath.Join(r.h.Dirs().Config, "settings.json") }
func (r *importReader) projectFile() string { return settings.ProjectFile(r.h.Dirs(), r.root) }

// each gives the files that match patterns, relative to the home directory or the workspace.
func (r *importReader) each(project bool, patterns []string, do func(file string, project bool)) {
	base := r.home
	if project {
		base = r.root
	}
	for _, p := range patterns {
		files, _ := filepath.Glob(filepath.Join(escapePattern(base), filepath.FromSlash(p))) // the patterns are good ones
		for _, f := range files[:min(len(files), mostFiles)] {
			if info, err := os.Stat(f); err == nil && (info.Mode().IsRegular() || info.IsDir()) {
				do(f, project)
			}
		}
	}
}

const mostFiles = 300

// escapePattern makes a path stand for itself in a pattern.
func escapePattern(dir string) string {
	return strings.NewReplacer("[", `[[]`, "*", `[*]`, "?", `[?]`).Replace(dir)
}

// document reads a file of JSON or TOML; nil where there is none.
func (r *importReader) document(file string) map[string]any {
	text, err := plainfile.Read(file)
	if err != nil {
		return nil
	}
	var doc map[string]any
	if filepath.Ext(file) == ".toml" {
		err = toml.Unmarshal(text, &doc)
	} else if text, err = hujson.Standardize(text); err == nil {
		err = json.Unmarshal(text, &doc)
	}
	if err != nil {
		return nil // what reads the rules and the servers of the file reports it
	}
	return doc
}

// valueAt returns a value of a document, by the names on the way; nil where there is none.
func valueAt(doc map[string]any, names ...string) any {
	var at any = doc
	for _, name := range names {
		m, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = m[name]
	}
	return at
}

// put is the item of a setting that is written where none is set.
func (r *importReader) put(program, from, what string, names []string, value any, notes ...string) {
	file := r.userFile()
	text, _ := json.Marshal(value)
	r.add(importItem{Program: program, Kind: "setting", From: from, What: what + " " + string(text), To: file, Notes: notes, write: func() error {
		_, err := settings.Put(file, value, names...)
		return err
	}})
}

func tomlDocument(text []byte) (doc map[string]any) {
	if toml.Unmarshal(text, &doc) != nil {
		return nil
	}
	return doc
}
