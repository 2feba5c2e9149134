// Command rein-temporal runs sessions of rein as durable workflows on a Temporal server: workers of hosts and of models, and a client that
// starts sessions, follows them and answers their approval requests. See docs/scale.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"rein/kit/sandbox"
	"rein/kit/tools/code"
	"rein/temporal"
	"rein/temporal/bucket"
	"rein/temporal/postgres"
)

// action is what the program can do.
type action struct {
	name, args, about string
	run               func(ctx context.Context, p *program, args []string) error
}

func actions() []action {
	return []action{
		{"worker", "", "work on sessions: those of a host (--host), requests to models (--models), or both", work},
		{"run", "MESSAGE", "the same as start: rein run --engine temporal calls it", start},
		{"start", "MESSAGE", "start a session and follow it; with --id an existing one gets the message", start},
		{"attach", "ID", "follow a session, and answer what it asks", attach},
		{"send", "ID MESSAGE", "give a session a message while it is at work; --steer: with its next request", send},
		{"answer", "ID REQUEST yes|no [WORDS]", "answer an approval request", answer},
		{"list", "", "list sessions, the newest first: --host, --state, --json", list},
		{"state", "ID", "show what a session does and waits for", showState},
		{"cancel", "ID", "stop the turn of a session", signalled((*temporal.Client).Cancel, "the turn is stopped")},
		{"close", "ID", "end the workflow of a session when nothing is at work", signalled((*temporal.Client).Close, "the workflow ends when nothing is at work")},
		{"retry", "ID", "let a session that is in trouble try again", signalled((*temporal.Client).Retry, "the session tries again")},
		{"move", "ID HOST", "give a session another host", move},
		{"prune", "[ID]", "delete sessions in which nothing has happened for some days, or one: --days, --dry-run", prune},
		{"serve", "[ADDRESS]", "show the sessions of hosts on a page: rein serve --engine temporal calls it", serve},
		{"schedule", "add NAME MESSAGE | list | remove NAME", "begin sessions at certain times", scheduled},
		{"release", "BUILD", "let the versioned workers of a build have the sessions; \"\": those without a version", release},
		{"doctor", "", "check the server, the namespace, the workers, the keys and the store", doctor},
		{"dev", "", "start a server for this machine that keeps its state in a file", dev},
	}
}

// program is what all commands share.
type program struct {
	flags              *flag.FlagSet
	address, namespace string
	connection         connection
	team               string                // whose queues
	dir                string                // of the store
	bucket             string                // for its large data; "": it has them itself
	metrics            client.MetricsHandler // of the connection to the server; nil: none
	in                 io.Reader
	out, err           io.Writer
	getenv             func(string) string
}

// Exit codes.
const (
	failed = 1
	usage  = 2
	left   = 130 // Ctrl+C
)

// version is set by the release build with -ldflags "-X main.version=…".
var version = "dev"

func main() {
	if len(os.Args) == 2 && os.Args[1] == code.InterpreterArgument {
		code.InterpreterMain() // the process of a program that calls tools
	}
	if err := sandbox.HardenProcess(); err != nil {
		fmt.Fprintln(os.Stderr, "rein-temporal: warning:", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv}
	code := p.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// interrupted is the end of a command that the user interrupted.
type interrupted string

func (e interrupted) Error() string { return string(e) }

// usageError is a fault in the command line.
type usageError string

func (e usageError) Error() string { return string(e) }

func (p *program) run(ctx context.Context, args []string) int {
	all := actions()
	if len(args) == 0 || slices.Contains([]string{"help", "-h", "--help"}, args[0]) {
		fmt.Fprintf(p.out, "rein-temporal runs sessions of rein as durable workflows on Temporal.\n\n")
		for _, c := range all {
			fmt.Fprintf(p.out, "  rein-temporal %-46s %s\n", strings.TrimSpace(c.name+" "+c.args), c.about)
		}
		fmt.Fprintf(p.out, "\nrein-temporal COMMAND --help lists its flags.\n")
		return 0
	}
	i := slices.IndexFunc(all, func(c action) bool { return c.name == args[0] })
	if i < 0 {
		fmt.Fprintf(p.err, "rein-temporal: there is no command %q; rein-temporal help lists them\n", args[0])
		return usage
	}
	p.flags = flag.NewFlagSet("rein-temporal "+args[0], flag.ContinueOnError)
	p.flags.SetOutput(p.err)
	p.flags.StringVar(&p.address, "address", or(p.getenv("TEMPORAL_ADDRESS"), "127.0.0.1:7233"), "of the Temporal server")
	p.flags.StringVar(&p.namespace, "namespace", or(p.getenv("TEMPORAL_NAMESPACE"), "default"), "of the Temporal server")
	p.connection.flags(p)
	p.flags.StringVar(&p.dir, "store", or(p.getenv("REIN_TEMPORAL_STORE"), stateDir(p.getenv)), "the `place` of the sessions, which all workers share: a directory of this machine, or a PostgreSQL database (postgres://…)")
	p.flags.StringVar(&p.bucket, "bucket", p.getenv("REIN_TEMPORAL_BUCKET"), "the `address` of an S3 bucket for large data, which all workers share: https://HOST/NAME; the keys are in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	p.flags.StringVar(&p.team, "team", p.getenv("REIN_TEMPORAL_TEAM"), "the `name` of a team that has queues of its own; \"\": those of all")
	err := all[i].run(ctx, p, args[1:])
	wrong := usageError("")
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &wrong):
		fmt.Fprintf(p.err, "rein-temporal: %v\nusage: rein-temporal %s %s\n", err, all[i].name, all[i].args)
		return usage
	}
	if temporal.Absent(err) {
		err = fmt.Errorf("no answer in time: rein-temporal doctor looks for the store, the server and the workers (%w)", err)
	}
	fmt.Fprintf(p.err, "rein-temporal: %v\n", err)
	if errors.As(err, new(interrupted)) {
		return left
	}
	return failed
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// stateDir is where sessions are kept that nobody named a place for.
func stateDir(getenv func(string) string) string {
	state := getenv("XDG_STATE_HOME")
	if state == "" {
		state = filepath.Join(getenv("HOME"), ".local", "state")
	}
	return filepath.Join(state, "rein-temporal", "sessions")
}

var teamName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// parse reads the flags, which may come after the arguments too. A usage error says that the number of arguments is wrong.
func (p *program) parse(args []string, least, most int) (rest []string, err error) {
	for len(args) > 0 {
		if err := p.flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, err
		} else if err != nil {
			return nil, usageError(err.Error())
		}
		if args = p.flags.Args(); len(args) > 0 {
			rest, args = append(rest, args[0]), args[1:]
		}
	}
	if p.team != "" && !teamName.MatchString(p.team) {
		return nil, usageError(fmt.Sprintf("%q is no name for a team: at most 40 lower-case letters, digits and '-'", p.team))
	}
	if len(rest) < least || len(rest) > most {
		return nil, usageError(fmt.Sprintf("the number of arguments is %d", len(rest)))
	}
	return rest, nil
}

// store opens the store of the sessions, with the bucket for its large data.
func (p *program) store(ctx context.Context) (s temporal.Store, done func(), err error) {
	s, done, err = p.events(ctx)
	if err != nil || p.bucket == "" {
		return s, done, err
	}
	large, err := bucket.Open(ctx, p.bucket, s, p.getenv)
	if err == nil {
		large.Keys, err = p.keys()
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return large, done, nil
}

// events opens the store of the journals.
func (p *program) events(ctx context.Context) (s temporal.Store, done func(), err error) {
	if !isDatabase(p.dir) {
		return temporal.Files{Dir: p.dir}, func() {}, os.MkdirAll(p.dir, 0o700)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	keys, err := p.keys()
	if err != nil {
		return nil, nil, err
	}
	database, err := postgres.Open(ctx, p.dir)
	if err != nil {
		return nil, nil, err
	}
	database.Keys = keys
	return database, database.Close, nil
}

func isDatabase(store string) bool {
	return strings.HasPrefix(store, "postgres://") || strings.HasPrefix(store, "postgresql://")
}

// warn prints a line for the operator.
func (p *program) warn(line string) { fmt.Fprintln(p.err, "rein-temporal: "+line) }

// place names the store, without a password.
func (p *program) place() string {
	u, err := url.Parse(p.dir)
	if err != nil || u.Scheme == "" {
		return p.dir
	}
	return u.Redacted()
}

// keys encrypt what the server, a database and a bucket keep.
func (p *program) keys() (temporal.Keys, error) {
	keys, err := temporal.ParseKeys(p.getenv(temporal.KeysEnv))
	if err != nil {
		err = fmt.Errorf("%s: %w", temporal.KeysEnv, err)
	}
	return keys, err
}

// namespaces are those that the server has.
func (p *program) namespaces(ctx context.Context, c client.Client) string {
	all, err := c.WorkflowService().ListNamespaces(ctx, &workflowservice.ListNamespacesRequest{PageSize: 20})
	var names []string
	for _, n := range all.GetNamespaces() {
		if name := n.GetNamespaceInfo().GetName(); name != "temporal-system" {
			names = append(names, name)
		}
	}
	if err != nil || len(names) == 0 {
		return ""
	}
	return "it has " + strings.Join(names, ", ") + "; "
}

// short is the first line of an error, without what a user cannot use.
func short(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	if len(first) > 200 {
		first = first[:200] + "…"
	}
	return first
}

// quiet is a log of warnings and errors.
func quiet(to io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelError}))
}

// sessions connects to the server for the commands about sessions.
func (p *program) sessions(ctx context.Context) (c *temporal.Client, done func(), err error) {
	t, err := p.dial(ctx)
	if err != nil {
		return nil, nil, err
	}
	store, closed, err := p.store(ctx)
	if err != nil {
		t.Close()
		return nil, nil, err
	}
	keys, _ := temporal.ParseKeys(p.getenv(temporal.KeysEnv)) // dial has looked at them
	return &temporal.Client{Temporal: t, Store: store, Queue: temporal.TeamQueue(temporal.DefaultQueue, p.team), Keys: keys}, func() { closed(); t.Close() }, nil
}
