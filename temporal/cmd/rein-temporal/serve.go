package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"rein/app/harness"
	"rein/app/server"
	"rein/app/settings"
	"rein/guard"
	"rein/journal"
	"rein/temporal"
)

// page is what the flags of the command serve say.
type page struct {
	front   server.Front
	hosts   []string // whose sessions it shows
	begun   newSession
	proxy   bool
	json    bool
	verbose bool
}

func (s *page) flags(p *program) {
	f := p.flags
	f.Func("workspace", "show the sessions of this `host` (repeat); default: of all hosts that have some", func(name string) error {
		s.hosts = append(s.hosts, name)
		return nil
	})
	f.StringVar(&s.begun.model, "model", p.getenv("REIN_MODEL"), "provider/name of new sessions")
	f.StringVar(&s.begun.model, "m", s.begun.model, "the same")
	f.StringVar(&s.begun.mode, "mode", "supervised", "of new sessions: read-only, plan, ask, supervised, auto, full")
	s.begun.priorityFlag(p)
	f.StringVar(&s.begun.clone.URL, "clone", "", "the `address` of the repository of which new sessions get a clone, on hosts that have --clones")
	f.StringVar(&s.begun.clone.At, "at", "", "the commit, branch or tag of --clone; \"\": the default branch")
	f.StringVar(&s.front.Address, "listen", "127.0.0.1:4096", "address and port of the page; port 0 is any free one")
	f.Func("host", "another `name`, with its port, by which browsers reach the page (repeat)", func(name string) error {
		s.front.Hosts = append(s.front.Hosts, name)
		return nil
	})
	f.StringVar(&s.front.KeyFile, "token-file", "", "file with the owner's key; it is created if it does not exist")
	f.StringVar(&s.front.Cert, "tls-cert", "", "file with the certificate, PEM")
	f.StringVar(&s.front.Key, "tls-key", "", "file with the certificate's key, PEM")
	f.BoolVar(&s.front.Insecure, "insecure", false, "accept an address that other machines reach without TLS")
	f.StringVar(&s.front.BasePath, "base-path", "", "path below which a proxy serves the page, such as /rein")
	f.BoolVar(&s.proxy, "trust-proxy", false, "take the client's address and whether it used TLS from X-Forwarded-For and X-Forwarded-Proto")
	f.BoolVar(&s.json, "json", false, "print one JSON line when the page is ready")
	f.BoolVar(&s.verbose, "verbose", false, "log to standard error")
}

// serve shows the sessions of hosts on a page, until it is interrupted.
func serve(ctx context.Context, p *program, args []string) error {
	var s page
	s.flags(p)
	rest, err := p.parse(args, 0, 1)
	if err != nil {
		return err
	}
	if len(rest) == 1 {
		p.address = rest[0]
	}
	if _, err := guard.ParseMode(s.begun.mode); err != nil {
		return usageError(err.Error())
	}
	if err := rightPriority(s.begun.priority); err != nil {
		return err
	}
	if s.begun.clone != (repository{}) {
		if err := s.begun.clone.check(); err != nil {
			return usageError(err.Error())
		}
	}
	cert, err := s.front.Certificate()
	if errors.Is(err, server.ErrHalfCertificate) {
		return usageError(err.Error())
	}
	if err != nil {
		return err
	}
	c, done, err := p.sessions(ctx)
	if err != nil {
		return err
	}
	defer done()
	e, o, err := s.engine(ctx, p, c)
	if err != nil {
		return err
	}
	defer e.lock.Close()
	l, err := s.front.Listen(ctx, cert)
	if err != nil {
		return err
	}
	web, err := server.New(ctx, o)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	if err := s.front.Ready(web, l.Addr(), cert != nil, "").Print(p.out, p.err, s.json); err != nil {
		return errors.Join(err, l.Close(), web.Close(ctx))
	}
	ctx, stop := context.WithCancel(ctx)
	var copying sync.WaitGroup
	copying.Go(func() { e.follow(ctx, web) })
	err = web.Serve(ctx, l, cert)
	stop()
	copying.Wait()
	return errors.Join(err, web.Close(context.WithoutCancel(ctx)))
}

// hostName is what can be the name of a directory, too.
var hostName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// engine makes the engine and the options of a server that shows its sessions. Each host is a workspace: an empty directory, which only stands
// for it.
func (s *page) engine(ctx context.Context, p *program, c *temporal.Client) (*engine, server.Options, error) {
	var o server.Options
	if err := s.findHosts(ctx, c); err != nil {
		return nil, o, err
	}
	dirs := settings.DefaultDirs()
	sum := sha256.Sum256([]byte(p.address + "\x00" + p.namespace + "\x00" + p.dir))
	dirs.Sessions = filepath.Join(dirs.State, "temporal", hex.EncodeToString(sum[:8]))
	e := &engine{client: c, dir: dirs.Sessions, models: temporal.TeamQueue(temporal.DefaultModels, p.team), begun: s.begun, hosts: map[string]string{}, all: map[string]*copied{}, warn: p.warn}
	for _, host := range s.hosts {
		dir := filepath.Join(dirs.State, "hosts", host)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, o, err
		}
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return nil, o, err
		}
		e.hosts[host] = dir
		o.Workspaces = append(o.Workspaces, dir)
	}
	var err error
	if e.lock, err = journal.Resume(e.dir + "-page"); err != nil { // it stays empty
		return nil, o, fmt.Errorf("another page over the sessions of %s: %w", p.address, err)
	}
	if err := os.MkdirAll(e.dir, 0o700); err != nil {
		return nil, o, errors.Join(err, e.lock.Close())
	}
	var log io.Writer = io.Discard
	if s.verbose {
		log = p.err
	}
	o.Harness = harness.Options{Dirs: dirs, Dir: o.Workspaces[0], Version: version, Warn: p.warn, Terms: harness.Terms{Model: s.begun.model, Mode: s.begun.mode}}
	o.TrustProxy, o.Engine, o.Log, o.Settings = s.proxy, e, slog.New(slog.NewTextHandler(log, nil)), serverSettings
	if err := e.known(); err != nil {
		return nil, o, errors.Join(err, e.lock.Close())
	}
	return e, s.front.Options(o), nil
}

// findHosts finds the hosts that are shown.
func (s *page) findHosts(ctx context.Context, c *temporal.Client) error {
	named := len(s.hosts) > 0
	if !named {
		for l, err := range c.Sessions(ctx) {
			if err != nil {
				return err
			}
			if hostName.MatchString(l.Host) && !slices.Contains(s.hosts, l.Host) {
				s.hosts = append(s.hosts, l.Host)
			}
		}
		slices.Sort(s.hosts)
	}
	for _, host := range s.hosts {
		if !hostName.MatchString(host) {
			return usageError(fmt.Sprintf("%q is no name of a host: a worker has one (rein-temporal worker --host NAME)", host))
		}
	}
	if len(s.hosts) == 0 {
		return errors.New("there are no sessions here yet: --workspace names the hosts that the page is to show, as rein-temporal worker --host does")
	}
	return nil
}

// serverSettings are those of the user for a server.
func serverSettings() (settings.Server, error) {
	layers, _, err := settings.Load(settings.DefaultDirs(), "")
	return settings.Merge(layers).Server, err
}
