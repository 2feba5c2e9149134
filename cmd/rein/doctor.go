package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"rein/harness"
	"rein/harness/settings"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rein/model/providers"
	"rein/sandbox"
	"rein/workspace"
)

// finding is one line of the doctor's: what was looked at, how it is, and what to do about it.
type finding struct {
	Area string `json:"area"`
	What string `json:"what"`
	OK   bool   `json:"ok"`
	Says string `json:"says"`
}

func newDoctor() *cobra.Command {
	var o options
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Tell what was found here: keys by name, servers, walls, programs, settings",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := examine(cmd.Context(), o)
			if asJSON {
				return encodeLines(cmd, all)
			}
			return printFindings(cmd.OutOrStdout(), all)
		},
	}
	cmd.Flags().StringVarP(&o.dir, "cwd", "C", ".", "look at this directory")
	cmd.Flags().StringVar(&o.backend, "sandbox-backend", "", backendUsage)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON lines")
	return cmd
}

func examine(ctx context.Context, o options) []finding {
	all := []finding{{"rein", "version", true, fmt.Sprintf("%s, %s, %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)}}
	all = append(all, keyFindings(os.Getenv)...)
	all = append(all, serverFindings(ctx, providersHere(o))...)
	all = append(all, sandboxFindings(ctx, o)...)
	all = append(all, programFindings()...)
	all = append(all, placeFindings(settings.DefaultDirs())...)
	return append(all, settingFindings(o)...)
}

func printFindings(out io.Writer, all []finding) error {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	area := ""
	for _, f := range all {
		if f.Area != area {
			area = f.Area
			fmt.Fprintf(table, "%s\n", area)
		}
		mark := "✓"
		if !f.OK {
			mark = "–"
		}
		fmt.Fprintf(table, "  %s %s\t%s\n", mark, f.What, f.Says)
	}
	return table.Flush()
}

// providersHere returns where the environment and the settings of a directory say that models are; without readable
// settings the environment alone.
func providersHere(o options) *providers.Options {
	layers, _, _ := settings.Load(settings.DefaultDirs(), o.dir)
	return harness.ProviderOptions(settings.Merge(layers))
}

// serverFindings reports the local model servers, as rein run looks for them.
func serverFindings(ctx context.Context, o *providers.Options) []finding {
	var all []finding
	for _, server := range providers.Servers(ctx, o) {
		says := server.Base + ": "
		if server.Err != nil {
			says += server.Err.Error()
		} else {
			says += "has " + strings.Join(server.Models[:min(len(server.Models), 5)], ", ")
		}
		all = append(all, finding{"local model servers", server.Title, server.Err == nil, says})
	}
	return all
}

// sandboxFindings tells what the sandbox enforces here, and what it does not.
func sandboxFindings(ctx context.Context, o options) []finding {
	const area = "walls around programs"
	dir, err := filepath.Abs(o.dir)
	if err != nil {
		return []finding{{area, "sandbox", false, err.Error()}}
	}
	box, err := sandbox.New(sandbox.Policy{Workspace: dir, Only: o.backend})
	if err != nil {
		return []finding{{area, "sandbox", false, err.Error()}}
	}
	defer box.Close()
	report, err := box.Report(ctx)
	if err != nil {
		return []finding{{area, "sandbox", false, err.Error()}}
	}
	all := []finding{{area, "sandbox-backend", report.Backend > sandbox.BackendNone, report.Backend.String()}}
	for _, t := range report.Tried {
		if t.Err != nil {
			all = append(all, finding{area, t.Backend.String(), false, "does not work here: " + oneLine(t.Err.Error(), 160)})
		}
	}
	for _, w := range report.Guarantees {
		all = append(all, finding{area, w.What, w.Enforced, w.How})
	}
	return all
}

func programFindings() []finding {
	var all []finding
	for _, p := range []struct{ name, use string }{
		{"bash", "needed by the bash tool; else sh is used"}, {"git", "for work on repositories"}, {"rg", "not needed: grep is built in"},
		{"bwrap", "walls where the full ones cannot be built"}, {"python3", "for the syntax check of Python files"},
	} {
		path, err := exec.LookPath(p.name)
		if err != nil {
			path = "not found: " + p.use
		}
		all = append(all, finding{"programs", p.name, err == nil, path})
	}
	return all
}

func placeFindings(d settings.Dirs) []finding {
	var all []finding
	for _, place := range []struct{ what, dir string }{{"sessions", d.Sessions}, {"kept outputs", d.Output}, {"log", d.State}} {
		err := writable(place.dir)
		says := place.dir
		if err != nil {
			says += ": " + err.Error()
		}
		all = append(all, finding{"places", place.what, err == nil, says})
	}
	return all
}

// writable tries to make a file below the nearest directory that exists.
func writable(dir string) error {
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is no directory", dir)
		}
		if err == nil {
			break
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		return err
	}
	f, err := os.CreateTemp(dir, ".rein-doctor-*")
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}

func settingFindings(o options) []finding {
	ws, err := workspace.Open(o.dir)
	if err != nil {
		return []finding{{"settings", o.dir, false, err.Error()}}
	}
	defer ws.Close()
	layers, warnings, err := settings.Load(settings.DefaultDirs(), ws.Dir())
	var all []finding
	for _, l := range layers {
		all = append(all, finding{"settings", l.Name, true, l.Path})
	}
	for _, w := range warnings {
		all = append(all, finding{"settings", "warning", false, w})
	}
	all = append(all, providerFindings(settings.Merge(layers).Providers, os.Getenv)...)
	if err != nil {
		all = append(all, finding{"settings", "error", false, strings.TrimSpace(err.Error())})
	}
	if len(all) == 0 {
		says, _ := json.Marshal(filepath.Join(settings.DefaultDirs().Config, "settings.json"))
		all = append(all, finding{"settings", "none", true, "defaults hold; yours would be in " + string(says)})
	}
	return all
}
