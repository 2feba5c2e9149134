package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rein/app/settings"
	"rein/app/tui/text"
	"rein/kit/tools/lsp"
)

// finding is one line of the doctor's: what was looked at, how it is, and what to do about it.
type finding struct {
	Area   string `json:"area"`
	What   string `json:"what"`
	OK     bool   `json:"ok"`
	Detail string `json:"says"`
}

// newDoctor is the command rein doctor.
func newDoctor() *cobra.Command {
	var o callFlags
	var asJSON, reset bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check whether rein can start here: keys, model servers, sandbox, programs, settings",
		Long: `Check what rein needs: keys (their names only), local model servers, the sandbox, programs, directories and settings.
The last line is the verdict: whether rein can start here, and with which model, mode and sandbox backend. The exit code
is 1 when rein cannot start.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if reset {
				_, err := fmt.Fprint(cmd.OutOrStdout(), resetTerminal)
				return err
			}
			if _, err := realDir(o.Dir); err != nil {
				return err
			}
			all := examineAll(cmd.Context(), o)
			var err error
			if asJSON {
				err = printJSONLines(cmd, all)
			} else {
				err = printFindings(cmd.OutOrStdout(), all)
			}
			if last := all[len(all)-1]; err == nil && !last.OK {
				err = asSeen(asPrinted(withExitCode(exitError, errors.New(last.Detail))))
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&o.Dir, "cwd", "C", ".", "look at this directory")
	cmd.Flags().Var(&o.Backend, "sandbox-backend", backendUsage)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON lines")
	cmd.Flags().BoolVar(&reset, "reset-terminal", false, "only reset a terminal that a program left in a bad state")
	return cmd
}

// resetTerminal ends what a program with a full screen may have begun: the other screen, the hidden cursor, mouse, pastes and focus in
// brackets, synchronized output, keys in other forms (kitty, xterm), colours.
const resetTerminal = "\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1004l\x1b[?2026l\x1b[<u\x1b[>4;0m\x1b[0m"

func examineAll(ctx context.Context, o callFlags) []finding {
	all := []finding{{"rein", "version", true, fmt.Sprintf("%s, %s, %s/%s", programVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)}}
	all = append(all, keyFindings(os.Getenv)...)
	all = append(all, serverFindings(ctx, providersHere(o))...)
	box := sandboxFindings(ctx, o)
	all = append(all, box...)
	all = append(all, programFindings()...)
	all = append(all, searchFindings(o)...)
	all = append(all, placeFindings(settings.DefaultDirs())...)
	all = append(all, migrationFindings(settings.DefaultDirs())...)
	all = append(all, settingFindings(o)...)
	return append(all, startFinding(ctx, o, box[0].Detail)...)
}

// printFindings writes the findings in the language of the user, the details of an area in one column.
func printFindings(out io.Writer, all []finding) error {
	own := ownWords()
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(f finding) bool { return f.Area != all[0].Area })
		if n < 0 {
			n = len(all)
		}
		area, names, wide := all[:n], make([]string, n), 0
		for i, f := range area {
			names[i] = own.Command(printable(f.What))
			wide = max(wide, text.Width(names[i]))
		}
		if _, err := fmt.Fprintln(out, own.Command(area[0].Area)); err != nil {
			return err
		}
		for i, f := range area {
			mark := "✓"
			if !f.OK {
				mark = "–"
			}
			space := strings.Repeat(" ", wide-text.Width(names[i]))
			if _, err := fmt.Fprintf(out, "  %s %s%s  %s\n", mark, names[i], space, own.Command(printable(f.Detail))); err != nil {
				return err
			}
		}
		all = all[n:]
	}
	return nil
}

func programFindings() (all []finding) {
	for _, p := range []struct{ name, use string }{
		{"bash", "needed by the bash tool; else sh is used (Windows: Git for Windows brings one, which need not be in PATH)"}, {"git", "for git_status, git_diff, git_log, git_show and git_blame"}, {"rg", "not needed: grep is built in"},
		{"bwrap", "for the sandbox where rein cannot make namespaces itself"}, {"python3", "for run_code with Python, and the syntax check of Python files"},
		{"go", "for run_code with Go"}, {"node", "for run_code with JavaScript"}, {"tsx", "for run_code with TypeScript (npm install -g tsx), unless Node is 22.6 or later"},
		{"chromium chromium-browser google-chrome-stable google-chrome microsoft-edge-stable microsoft-edge", "for the browser tools; google-chrome and microsoft-edge also work"},
		{"pdftotext", "for PDF files; without it their text is worse (package poppler-utils)"},
		{"pdftoppm", "for view_image on pages of a PDF (package poppler-utils)"},
		{"ffmpeg", "for view_video (package ffmpeg)"},
		{"scrot maim gnome-screenshot spectacle import", "for screenshot of the desktop (package scrot)"}, {"grim gnome-screenshot spectacle", "for screenshot of the desktop (package grim)"},
		{"rsvg-convert", "for view_image on SVG drawings (package librsvg2-bin)"},
		{"notify-send", "for notify and other notifications on the desktop (package libnotify-bin); a webhook or mail also works (notify in the settings)"},
	} {
		names := strings.Fields(p.name) // one of them is enough
		if names[0] == "notify-send" && (runtime.GOOS == "darwin" || runtime.GOOS == "windows") {
			continue
		}
		if display := map[string]string{"scrot": "DISPLAY", "grim": "WAYLAND_DISPLAY"}[names[0]]; display != "" && os.Getenv(display) == "" {
			continue
		}
		path := ""
		for _, name := range names {
			if found, err := exec.LookPath(name); err == nil && path == "" {
				path = found
			}
		}
		all = append(all, finding{"programs", names[0], path != "", cmp.Or(path, "not found: "+p.use)})
	}
	for _, s := range lsp.Known() {
		f := finding{"programs", s.Name, s.Program != "", s.Program}
		if !f.OK {
			f.Detail = fmt.Sprintf("not found: for lsp and diagnostics of %s files (%s)", s.Files, s.Install)
		}
		all = append(all, f)
	}
	return all
}

// doctorMissing says, a line for each, which programs are not installed, and what they are for.
func doctorMissing() (lines []string) {
	for _, f := range programFindings() {
		if !f.OK && strings.Contains(f.Detail, ": for ") {
			lines = append(lines, f.What+" "+f.Detail)
		}
	}
	return lines
}

func placeFindings(d settings.Dirs) []finding {
	var all []finding
	for _, place := range []struct{ what, dir string }{{"sessions", d.Sessions}, {"kept outputs", d.Output}, {"log", d.State}} {
		err := checkWritable(place.dir)
		detail := place.dir
		if err != nil {
			detail += ": " + err.Error()
		}
		all = append(all, finding{"places", place.what, err == nil, detail})
	}
	return all
}

// checkWritable tries to make a file below the nearest directory that exists.
func checkWritable(dir string) error {
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is not a directory", dir)
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
