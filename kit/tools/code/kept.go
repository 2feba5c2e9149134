package code

import (
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"rein/kit/sandbox"
	"rein/tool"
)

//go:embed kept.py
var keptPython []byte

// kept is a Python process that keeps its variables between calls.
type kept struct {
	process *sandbox.Piped
	dir     *directory
	idle    *time.Timer
}

// frame is a message to or from the process.
type frame struct {
	Code  string `json:"code,omitempty"`  // to the process
	Out   string `json:"out,omitempty"`   // of the process: a piece of what is printed
	Value string `json:"value,omitempty"` // of the process: the value of the last expression
	Error string `json:"error,omitempty"` // of the process: a traceback
	Done  bool   `json:"done,omitempty"`  // of the process: the code has ended
}

// runKept runs code in the process that is kept, which it starts when there is none. One call at a time uses it.
func (c *Runner) runKept(ctx context.Context, in args, limit time.Duration, r *tool.Reply) error {
	if in.Stdin != "" {
		return &tool.Error{Kind: tool.BadArguments, Text: "a kept process has no standard input", Hint: "Put the text into a variable."}
	}
	k, fresh, err := c.take(ctx)
	if err != nil {
		return notStarted(ctx, err)
	}
	if fresh {
		r.Note("a new Python process: nothing is kept from before")
	}
	if err := c.give(in.Files, k.dir); err != nil {
		c.put(k)
		return err
	}
	before := listing(k.dir)
	frames, failed := make(chan frame), make(chan error, 1)
	over := make(chan struct{})
	defer close(over)
	go func() { failed <- k.talk(in.Code, frames, over) }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	interrupted := false
	out := &most{w: r, left: mostOutput}
	for {
		select {
		case f := <-frames:
			if _, err := io.WriteString(out, f.Out); err != nil {
				k.end()
				return &tool.Error{Kind: tool.TooLarge, Text: "Stopped: it printed more than 64 MiB. What was kept is lost."}
			}
			if !f.Done {
				continue
			}
			fmt.Fprint(r, f.Value)
			if f.Error != "" {
				fmt.Fprintf(r, "[errors]\n%s", f.Error)
			}
			bring(r, k.dir, before)
			c.put(k)
			if interrupted {
				return &tool.Error{Kind: tool.TimedOut, Text: fmt.Sprintf("Interrupted after the timeout of %v. What was kept before is still there.", limit)}
			}
			return nil
		case err := <-failed:
			return k.died(err)
		case <-timer.C:
			if interrupted {
				k.end()
				return &tool.Error{Kind: tool.TimedOut, Text: fmt.Sprintf("Stopped after the timeout of %v. What was kept is lost.", limit)}
			}
			interrupted = true
			_ = k.process.Signal(syscall.SIGINT)
			timer.Reset(time.Second)
		case <-ctx.Done():
			k.end()
			return context.Cause(ctx)
		}
	}
}

// talk sends code and passes on what comes back.
func (k *kept) talk(code string, frames chan<- frame, over <-chan struct{}) error {
	text, err := json.Marshal(frame{Code: code})
	if err == nil {
		_, err = k.process.In.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...))
	}
	for err == nil {
		var head [4]byte
		if _, err = io.ReadFull(k.process.Out, head[:]); err != nil {
			break
		}
		text := make([]byte, min(binary.BigEndian.Uint32(head[:]), mostOutput))
		if _, err = io.ReadFull(k.process.Out, text); err != nil {
			break
		}
		var f frame
		if err = json.Unmarshal(text, &f); err != nil {
			break
		}
		select {
		case frames <- f:
		case <-over:
			return nil
		}
		if f.Done {
			return nil
		}
	}
	return err
}

// died is the error of a process that ended.
func (k *kept) died(err error) error {
	select {
	case <-k.process.Done():
	case <-time.After(time.Second):
	}
	k.end()
	exit, _ := k.process.Wait()
	switch {
	case exit.Limit != "":
		return &tool.Error{Kind: tool.TooLarge, Text: "Stopped by the limit: " + exit.Limit + ". What was kept is lost."}
	case exit.Signal != 0:
		return &tool.Error{Text: fmt.Sprintf("The Python process was ended by signal %v. What was kept is lost.", exit.Signal)}
	}
	return &tool.Error{Text: fmt.Sprintf("The Python process ended with exit code %d (%v). What was kept is lost.\n%s", exit.Code, err, k.process.Errors())}
}

// take takes the process that is kept, or starts one.
func (c *Runner) take(ctx context.Context) (k *kept, fresh bool, err error) {
	c.mu.Lock()
	k, c.kept = c.kept, nil
	c.mu.Unlock()
	if k != nil {
		k.idle.Stop()
		select {
		case <-k.process.Done():
			k.end()
		default:
			return k, false, nil
		}
	}
	box, dir, err := c.directory()
	if err != nil {
		return nil, false, err
	}
	spec := sandbox.Spec{Dir: dir.path, Limits: sandbox.Limits{Memory: c.Limits.withDefaults().Memory, FileSize: 1 << 30}}
	if err := python(dir, &spec); err != nil {
		return nil, false, err
	}
	program := filepath.Join(own, "kept.py")
	if err := dir.WriteFile(program, keptPython, 0o600); err != nil {
		return nil, false, err
	}
	l, _ := languageOf("python")
	spec.Argv = append(append(spec.Argv, l.command()...), program)
	p, err := sandbox.StartPiped(ctx, box, spec)
	if err != nil {
		return nil, false, err
	}
	return &kept{process: p, dir: dir}, true, nil
}

// put keeps the process for the next call.
func (c *Runner) put(k *kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.kept != nil { // another call was at work at the same time: its process stays
		k.end()
		return
	}
	c.kept = k
	k.idle = time.AfterFunc(c.Limits.withDefaults().Idle, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.kept == k {
			c.kept = nil
			k.end()
		}
	})
}

// end ends the process and removes its directory.
func (k *kept) end() {
	if k.idle != nil {
		k.idle.Stop()
	}
	k.process.Kill()
	k.dir.remove()
}

func sorted(m map[string]file) []string { return slices.Sorted(maps.Keys(m)) }
