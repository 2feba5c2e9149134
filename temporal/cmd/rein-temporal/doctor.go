package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"rein/temporal"
	"rein/temporal/bucket"
)

// doctor looks whether sessions can run.
func doctor(ctx context.Context, p *program, args []string) error {
	host := p.flags.String("host", "", "look for a worker of this host too")
	if _, err := p.parse(args, 0, 0); err != nil {
		return err
	}
	bad := 0
	says := func(ok bool, format string, args ...any) {
		mark := "ok "
		if !ok {
			mark, bad = "BAD", bad+1
		}
		fmt.Fprintf(p.out, "%s  %s\n", mark, fmt.Sprintf(format, args...))
	}
	keys, err := temporal.ParseKeys(p.getenv(temporal.KeysEnv))
	switch {
	case err != nil:
		says(false, "keys: %s: %v", temporal.KeysEnv, err)
	case len(keys) == 0:
		says(true, "keys: none: the server can read the messages of users and the names of calls (%s)", temporal.KeysEnv)
	default:
		says(true, "keys: %q encrypts, of %d", keys[0].ID, len(keys))
	}
	err = p.writable(ctx)
	place := p.place()
	if p.bucket != "" {
		place += ", with the bucket " + p.bucket
	}
	says(err == nil, "store: %s %v", place, reason(err))
	c, err := p.dial(ctx)
	if err != nil {
		says(false, "server: %v", err)
		return errors.New("sessions cannot run here")
	}
	defer c.Close()
	says(true, "server: %s, namespace %s", p.address, p.namespace)
	p.workers(ctx, c, says, "workflows", temporal.TeamQueue(temporal.DefaultQueue, p.team), enums.TASK_QUEUE_TYPE_WORKFLOW, "rein-temporal worker --models")
	p.workers(ctx, c, says, "models", temporal.TeamQueue(temporal.DefaultModels, p.team), enums.TASK_QUEUE_TYPE_ACTIVITY, "rein-temporal worker --models")
	if *host != "" {
		p.workers(ctx, c, says, "host "+*host, *host, enums.TASK_QUEUE_TYPE_ACTIVITY, "rein-temporal worker --host "+*host+" --dir DIR")
	}
	if bad > 0 {
		return errors.New("sessions cannot run here")
	}
	return nil
}

func reason(err error) any {
	if err == nil {
		return "can be written"
	}
	return err
}

// writable looks whether the store takes something.
func (p *program) writable(ctx context.Context) error {
	s, closed, err := p.store(ctx)
	if err != nil {
		return err
	}
	defer closed()
	large := bytes.Repeat([]byte("it can be written\n"), bucket.Least/10) // large enough for the bucket
	if err := s.Put(ctx, "doctor", "large", large); err != nil || p.bucket != "" {
		return err
	}
	return s.Put(ctx, "doctor", "doctor", large[:18])
}

// workers says whether workers look for tasks of a queue.
func (p *program) workers(ctx context.Context, c client.Client, says func(bool, string, ...any), what, queue string, kind enums.TaskQueueType, hint string) {
	if polled, err := temporal.Polled(ctx, c, queue, kind); err != nil || !polled {
		if p.team != "" {
			hint += " --team " + p.team
		}
		says(false, "workers for %s: none on the queue %s: %s starts one", what, queue, hint)
		return
	}
	says(true, "workers for %s: on the queue %s", what, queue)
}

// dev starts a server for this machine, which another program has: this one is small without it.
func dev(ctx context.Context, p *program, args []string) error {
	file := p.flags.String("file", filepath.Join(filepath.Dir(stateDir(p.getenv)), "server.db"), "where the server keeps its state")
	if _, err := p.parse(args, 0, 0); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(*file), 0o700); err != nil {
		return err
	}
	name, arguments, err := p.server(*file)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.err, "rein-temporal: %s keeps its state in %s\n", filepath.Base(name), *file)
	run := exec.CommandContext(ctx, name, arguments...)
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
	run.WaitDelay = 10 * time.Second
	run.Stdout, run.Stderr = p.out, p.err
	if err := run.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return nil
}

// server finds a program that is a Temporal server: ours beside this one or in the path, or the command line of Temporal.
func (p *program) server(file string) (name string, args []string, err error) {
	const ours = "rein-temporal-server"
	if self, err := os.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(self), ours); executable(beside) {
			return beside, p.ours(file), nil
		}
	}
	if name, err := exec.LookPath(ours); err == nil {
		return name, p.ours(file), nil
	}
	if name, err := exec.LookPath("temporal"); err == nil {
		return name, []string{"server", "start-dev", "--headless", "--db-filename", file, "--namespace", p.namespace, "--dynamic-config-value", "matching.enableFairness=true"}, nil
	}
	return "", nil, errors.New("there is no Temporal server here: build ours with `go build -C temporal/servertest -o DIR ./cmd/rein-temporal-server`, DIR being where rein-temporal is or a directory of the path, or install the program temporal (https://temporal.io)")
}

func (p *program) ours(file string) []string {
	return []string{"-file", file, "-address", p.address, "-namespace", p.namespace}
}

func executable(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
