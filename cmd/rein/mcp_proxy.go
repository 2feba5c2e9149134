package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rein/app/harness"
	"rein/app/mcpserver"
)

// newMCPProxy is the command rein mcp proxy.
func newMCPProxy() *cobra.Command {
	var s mcpServing
	var given entryFlags
	cmd := &cobra.Command{
		Use:   "proxy [flags] -- COMMAND [ARG…] | proxy [flags] URL",
		Short: "Put rein between a client and a tool server: rules, pinned definitions, sandbox, journal",
		Long: `Serve another tool server on stdin and stdout, under its own names. Each call takes rein's steps: rules for mcp__NAME__tool,
approvals, pinned definitions, the sandbox of the server, masked secrets, limits, the journal. Reading a resource and getting a
prompt is a call of mcp_resources. Completion, changes, logs, and what the server asks its client for pass.`,
		Example: `  rein mcp proxy --name files --allow mcp__files__read_text_file -- npx -y @modelcontextprotocol/server-filesystem .`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.ArgsLenAtDash() != 0 && len(args) == 1 && strings.Contains(args[0], "://") {
				s.proxy.URL = args[0]
			} else {
				s.proxy.Command, s.proxy.Args = args[0], args[1:]
			}
			if s.proxy.Name == "" {
				return withExitCode(exitUsage, errors.New("--name is empty"))
			}
			if err := errors.Join(given.set(&s.proxy), s.proxy.Check()); err != nil {
				return withExitCode(exitUsage, err)
			}
			return s.run(cmd)
		},
	}
	f := cmd.Flags()
	s.Add(f)
	s.addAsked(f)
	f.StringVar(&s.proxy.Name, "name", "server", "name of the server, for rules and the journal")
	given.add(f, &s.proxy)
	s.wait = mcpserver.DefaultWait
	f.Var(spanFlag(&s.wait), "wait", "how long a call waits for an approval where the client cannot ask; 0: it is denied at once")
	return cmd
}

// proxyFile writes the entry where the harness reads it.
func (s *mcpServing) proxyFile() (string, error) {
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{s.proxy.Name: s.proxy}})
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp("", "rein-proxy-*.json")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	return filepath.Clean(f.Name()), errors.Join(err, f.Close())
}

// before makes the server: of rein's own tools, or one that stands before another.
func (s *mcpServing) before(ctx context.Context, h *harness.Harness, session *harness.Session, person *mcpserver.Person) (*mcpserver.Server, error) {
	if s.proxy.Name == "" {
		return mcpserver.New(h, session, person, s.lent), nil
	}
	return mcpserver.NewProxy(ctx, h, session, person, session.ToolServers().Server(s.proxy.Name), s.lent)
}
