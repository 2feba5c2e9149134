package harness

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"rein/kit/mcp"
	"rein/kit/sandbox"
)

// start starts the program of a server in the sandbox of that server.
func (s *ToolServers) start(ctx context.Context, e mcp.ServerEntry, stderr io.Writer) (io.ReadWriteCloser, error) {
	if s.ctx.Err() != nil {
		return nil, s.ctx.Err()
	}
	box, err := s.box(e)
	if err != nil {
		return nil, err
	}
	spec := sandbox.Spec{Argv: append([]string{e.Command}, e.Args...), Dir: directoryOf(s.o.Root, e.Cwd),
		ReadOnly: s.ReadOnly != nil && s.ReadOnly()}
	for name, value := range e.Env {
		spec.Env = append(spec.Env, name+"="+value)
	}
	slices.Sort(spec.Env)
	return sandbox.StartStdio(ctx, box, spec, stderr)
}

func directoryOf(root, dir string) string {
	if dir == "" || filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(root, dir)
}

// box returns the sandbox of a server, made at its first start.
func (s *ToolServers) box(e mcp.ServerEntry) (*sandbox.Box, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if box := s.boxes[e.Name]; box != nil {
		return box, nil
	}
	policy := s.o.Sandbox
	if e.Sandbox == "off" {
		policy.Mode, policy.Only = sandbox.Off, ""
	}
	policy.Writable = append(slices.Clone(policy.Writable), e.Write...)
	policy.Readable = append(slices.Clone(policy.Readable), e.Read...)
	policy.Opened.Read = append(slices.Clone(policy.Opened.Read), e.Read...)
	if policy.Private != "" {
		policy.Private = filepath.Join(policy.Private, "mcp-"+e.ID())
	}
	if len(e.Network) > 0 {
		reach, err := s.o.Reach(e.Name, e.Network)
		if err != nil {
			return nil, fmt.Errorf("network: %w", err)
		}
		reach.open(&policy)
	}
	box, err := sandbox.New(policy)
	if err != nil {
		return nil, err
	}
	s.boxes[e.Name] = box
	return box, nil
}
