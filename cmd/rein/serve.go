package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rein/app/catalogue"
	"rein/app/harness"
	"rein/app/server"
	"rein/app/settings"
)

// serveFlags are the flags of both commands.
type serveFlags struct {
	version string

	dir        string
	workspaces []string
	model      string
	mode       string
	sandbox    string
	record     bool
	front      server.Front
	drain      settings.Duration
	proxy      bool
	json       bool
	verbose    bool
	browser    bool

	// Of rein demo --web.
	harness harness.Options // Dirs and Private
	state   string          // where the server keeps its key; "": in the state directory
	first   string          // the first message of a session that is shown
}

func (f *serveFlags) add(flags *pflag.FlagSet, address string) {
	flags.StringVarP(&f.dir, "cwd", "C", ".", "the workspace that is served")
	flags.StringArrayVar(&f.workspaces, "workspace", nil, "serve this directory (repeat); default: the current one")
	flags.StringVarP(&f.model, "model", "m", "", "provider/name for new sessions (default: the first provider with a key, else a local server)")
	flags.Var(modeFlag(&f.mode), "mode", "of new sessions: read-only, plan, ask, supervised, auto or full (default supervised)")
	flags.BoolVar(&f.record, "record", false, "also record what sessions send to models (see rein replay)")
	flags.Var(choiceFlag(&f.sandbox, "required", "auto", "off"), "sandbox", "isolation of programs by the operating system: required, auto or off (default auto)")
	f.front.Address = address
	flags.Var(addressFlag(&f.front.Address), "listen", "address and port; port 0 is any free one")
	flags.StringArrayVar(&f.front.Hosts, "host", nil, "another name, with its port, by which browsers reach the server (repeat)")
	flags.StringVar(&f.front.KeyFile, "token-file", "", "file with the owner's key; it is created if it does not exist")
	flags.StringVar(&f.front.Cert, "tls-cert", "", "file with the certificate, PEM")
	flags.StringVar(&f.front.Key, "tls-key", "", "file with the certificate's key, PEM")
	flags.BoolVar(&f.front.Insecure, "insecure", false, "accept an address that other machines reach without TLS")
	flags.StringVar(&f.front.BasePath, "base-path", "", "path below which a proxy serves the page, such as /rein")
	flags.Var(&f.drain, "drain", "how long turns that are at work may go on when the server is ended, such as 25s (default: they are cancelled)")
	flags.BoolVar(&f.proxy, "trust-proxy", false, "take the client's address and whether it used TLS from X-Forwarded-For and X-Forwarded-Proto")
	flags.BoolVar(&f.json, "json", false, "print one JSON line when the server is ready")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "log to standard error")
}

// newServe returns the command rein serve.
func newServe() *cobra.Command {
	f := serveFlags{version: programVersion()}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve sessions and approval requests over HTTP, with a page for browsers",
		Long: `Serve sessions and approval requests over HTTP, with a page for browsers. The server prints a link that signs one browser
in. Programs use the owner's key, which is in a file (see --token-file), as "Authorization: Bearer KEY".

The server listens on 127.0.0.1. Sessions, open approval requests and signed-in browsers survive a restart. It also runs
scheduled tasks (rein cron), unless another program does.`,
		Example: `  rein serve
  rein serve --workspace ~/src/app --workspace ~/src/docs
  rein serve --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem --host rein.example.org:8443`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.add(cmd.Flags(), "127.0.0.1:4096")
	cmd.Flags().Var(choiceFlag(new(string), "local", "temporal"), "engine", "what runs the sessions: this server, or temporal; then all other flags are those of rein-temporal serve (docs/scale_page.md)")
	cmd.AddCommand(newServeKey(), newServeUsers(), newServeOpenAPI())
	return cmd
}

// newWeb returns the command rein web.
func newWeb() *cobra.Command {
	f := serveFlags{version: programVersion(), browser: true}
	cmd := &cobra.Command{
		Use:   "web",
		Short: "Open the page of this directory in the browser",
		Long:  "Serve this directory on a free port of this machine and open the page in the browser. Ctrl-C ends the server.",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.add(cmd.Flags(), "127.0.0.1:0")
	return cmd
}

// serveDemo serves one directory on a free port of this machine, begins a session with a message, and opens it in the browser, until
// it is interrupted. o has the directories of all that is kept, and the model; the server keeps its own files in state. With
// asJSON it prints one line for programs and opens no browser.
func serveDemo(cmd *cobra.Command, o harness.Options, state, first string, asJSON bool) error {
	f := serveFlags{version: o.Version, browser: !asJSON, json: asJSON, front: server.Front{Address: "127.0.0.1:0"}, dir: o.Dir, model: o.Model, mode: o.Mode, harness: o, state: state, first: first}
	return f.run(cmd)
}

func (f *serveFlags) run(cmd *cobra.Command) error {
	moreThreads()
	ctx, stop := untilEnded(cmd.Context())
	defer stop()
	cert, err := f.front.Certificate()
	if errors.Is(err, server.ErrHalfCertificate) {
		return withExitCode(exitUsage, err)
	}
	if err != nil {
		return withExitCode(exitInput, err)
	}
	print := func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), line) }
	store, set, err := catalogue.OpenSchedules()
	if err != nil {
		return err
	}
	defer store.Close()
	tasks := newJobsDaemon(store, set, f.version, print)
	l, err := f.front.Listen(ctx, cert)
	if err != nil {
		return err
	}
	o := f.options(cmd)
	o.Tasks = tasks
	if f.first == "" { // a demo sends nothing to anybody
		o.Settings = userSettings
	}
	s, err := server.New(ctx, o)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	view := ""
	if f.first != "" {
		id, err := s.Begin(ctx, f.first)
		if err != nil {
			return errors.Join(err, l.Close(), s.Close(ctx))
		}
		view = "s/" + id
	}
	if err := f.tell(cmd, s, l.Addr(), cert != nil, view); err != nil {
		return errors.Join(err, l.Close(), s.Close(ctx))
	}
	defer reloadOnSignal(ctx, s, print, stop)()
	wait := func() {}
	if !f.browser && f.first == "" && !set.Schedule.Off { // the page of one directory runs no tasks by itself
		wait = runTasks(ctx, tasks, print)
	}
	err = s.Serve(ctx, l, cert)
	stop() // the tasks end with the server, those that a click began with its Close
	err = errors.Join(err, s.Close(context.WithoutCancel(ctx)))
	wait()
	return err
}

// threads is how many threads a server runs its code with at least. With one for each of two processors, a thread that the system
// stops, or that waits for the disk, holds back half of all event streams. docs/server.md has the measurement.
const threads = 8

// moreThreads lets the server run its code with enough threads, unless the user or a limit of the container says otherwise.
func moreThreads() {
	if now := runtime.GOMAXPROCS(0); now == runtime.NumCPU() && now < threads && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(threads)
	}
}

// untilEnded returns a context that ends with the other one, unless a hang-up has ended it, which means that the settings are read
// again.
func untilEnded(outer context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := endedBy(context.WithoutCancel(outer), os.Interrupt, syscall.SIGTERM)
	leave := context.AfterFunc(outer, func() {
		if s, ok := errors.AsType[stoppedBySignal](context.Cause(outer)); !ok || s.Signal != syscall.SIGHUP {
			stop()
		}
	})
	return ctx, func() {
		leave()
		stop()
	}
}

// userSettings reads the server's settings, of the user only.
func userSettings() (settings.Server, error) {
	layers, _, err := settings.Load(settings.DefaultDirs(), "")
	return settings.Merge(layers).Server, err
}

// runTasks runs scheduled tasks until ctx is done, unless another program runs them; wait waits for them then.
func runTasks(ctx context.Context, tasks interface{ Work(context.Context) error }, print func(string)) (wait func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := tasks.Work(ctx); err != nil {
			print("rein: warning: scheduled tasks no longer run: " + err.Error())
		}
	}()
	return func() { <-ended }
}

func (f *serveFlags) options(cmd *cobra.Command) server.Options {
	var out io.Writer = io.Discard
	if f.verbose {
		out = cmd.ErrOrStderr()
	}
	return f.front.Options(server.Options{
		Dir: f.state,
		Harness: harness.Options{Dirs: f.harness.Dirs, Private: f.harness.Private, Dir: f.dir, Terms: harness.Terms{Model: f.model, Mode: f.mode, Sandbox: f.sandbox, Record: f.record},
			Version: f.version, Warn: warningsTo(cmd)},
		Workspaces: f.workspaces, TrustProxy: f.proxy, Drain: time.Duration(f.drain),
		Log: slog.New(slog.NewTextHandler(out, nil)),
	})
}

// tell prints where the server is, and how to sign in. view is the part of the page that the link opens.
func (f *serveFlags) tell(cmd *cobra.Command, s *server.Server, at net.Addr, secure bool, view string) error {
	r := f.front.Ready(s, at, secure, view)
	if f.browser && !f.json {
		if err := openBrowser(r.Link); err == nil {
			_, err = fmt.Fprintf(cmd.ErrOrStderr(), "The page is open in your browser: %s\nCtrl-C ends the server.\n", r.URL)
			return err
		}
	}
	return r.Print(cmd.OutOrStdout(), cmd.ErrOrStderr(), f.json)
}

// stateDir is where the server keeps its key, users and audit log.
func stateDir() string { return server.DefaultDir(harness.Options{}.Dirs) }

func newServeKey() *cobra.Command {
	var renew bool
	cmd := &cobra.Command{
		Use:   "key",
		Short: "Print where the owner's key is, or make a new one",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !renew {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), server.KeyFile(stateDir()))
				return err
			}
			key, err := server.NewKey(stateDir(), "")
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), key)
			return err
		},
	}
	cmd.Flags().BoolVar(&renew, "new", false, "replace the key; the old one and the owner's browsers stop working")
	return cmd
}

func newServeOpenAPI() *cobra.Command {
	return &cobra.Command{
		Use:   "openapi",
		Short: "Print the OpenAPI 3.1 description of the server's interface",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return server.Spec(cmd.OutOrStdout(), programVersion())
		},
	}
}

// openBrowser opens a link in the user's browser.
func openBrowser(link string) error {
	name, args := browserCommand(link)
	return startProgram(context.Background(), name, args...)
}
