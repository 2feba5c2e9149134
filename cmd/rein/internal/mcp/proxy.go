package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/harness"
	"rein/mcpserver"
)

// newProxy is the command rein mcp proxy.
func newProxy() *cobra.Command {
	var s serving
	cmd := &cobra.Command{
		Use:   "proxy [flags] -- COMMAND [ARG…] | proxy [flags] URL",
		Short: "Put rein between a client and a tool server: rules, pinned definitions, sandbox, journal",
		Long: `Serve the tools of another tool server, under their own names, on stdin and stdout. Each call takes rein's way: rules for
mcp__NAME__tool, approvals, pinned definitions, the sandbox of the server, masked secrets, limits, the journal.`,
		Example: `  rein mcp proxy --name files --allow mcp__files__read_text_file -- npx -y @modelcontextprotocol/server-filesystem .`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.ArgsLenAtDash() != 0 && len(args) == 1 && strings.Contains(args[0], "://") {
				s.proxy.URL = args[0]
			} else {
				s.proxy.Command, s.proxy.Args = args[0], args[1:]
			}
			if s.proxy.Name == "" {
				return cli.Fail(cli.ExitUsage, errors.New("--name is empty"))
			}
			if err := s.proxy.Check(); err != nil {
				return cli.Fail(cli.ExitUsage, err)
			}
			return s.run(cmd)
		},
	}
	f := cmd.Flags()
	s.Add(f)
	f.StringVar(&s.proxy.Name, "name", "server", "name of the server, for rules and the journal")
	f.StringSliceVar(&s.proxy.Network, "network", nil, "a host that the program may contact (repeat)")
	f.DurationVar(&s.wait, "wait", mcpserver.DefaultWait, "how long a call waits for an approval where the client cannot ask; 0: it is denied at once")
	return cmd
}

// proxyFile writes the entry where the harness reads it.
func (s *serving) proxyFile() (string, error) {
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

// proxied asks the server for its tools, which are then lent.
func (s *serving) proxied(ctx context.Context, h *harness.Harness) error {
	servers, err := h.ToolServers()
	if err != nil {
		return err
	}
	defer servers.Close()
	server := servers.Server(s.proxy.Name)
	if err := server.Connect(ctx); err != nil {
		return err
	}
	s.lent.Only = mcpserver.Tools{}
	for _, t := range server.Tools() {
		s.lent.Only[server.OwnName(t.Name)] = t
	}
	return nil
}
