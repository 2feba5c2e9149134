package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"rein/app/harness"
	"rein/app/mcpserver"
	"rein/kit/mcp"
)

// mcpServing is the command rein mcp serve.
type mcpServing struct {
	callFlags
	http    string
	token   string
	hosts   []string
	origins []string
	wait    time.Duration
	lent    mcpserver.Options
	proxy   mcp.ServerEntry // the server that is offered; without a name: rein's own tools
}

func newMCPServe() *cobra.Command {
	var s mcpServing
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Offer rein's tools to another program over MCP, under rein's rules",
		Long: `Offer rein's tools for a directory to a client of the Model Context Protocol, on stdin and stdout, or with --http over HTTP.
A call takes the same steps as a model's: rules, approvals, sandbox, journal. An approval is requested through the client
where that can ask its user; else it waits in the inbox (rein approve, rein serve) for --wait, and is denied then.
Over HTTP each request needs the token, which rein makes when you set none (REIN_MCP_TOKEN).`,
		Example: `  claude mcp add rein -- rein mcp serve --cwd ~/project
  rein mcp serve --http 127.0.0.1:7077 --mode read-only`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd) },
	}
	f := cmd.Flags()
	s.Add(f)
	s.addAsked(f)
	f.StringVar(&s.http, "http", "", "serve over HTTP at this address, such as :7077; without a host it is 127.0.0.1")
	f.StringVar(&s.token, "token", os.Getenv("REIN_MCP_TOKEN"), "the bearer token that clients need")
	f.Lookup("token").DefValue = ""
	f.StringSliceVar(&s.hosts, "host", nil, "another name by which clients may call the server (repeat)")
	f.StringSliceVar(&s.origins, "origin", nil, "an origin whose pages may use the server, such as https://example.com (repeat)")
	s.wait = mcpserver.DefaultWait
	f.Var(spanFlag(&s.wait), "wait", "how long a call waits for an approval where the client cannot ask; 0: it is denied at once")
	f.StringSliceVar(&s.lent.Without, "without", []string{"ask_user"}, "do not offer these tools")
	return cmd
}

func (s *mcpServing) run(cmd *cobra.Command) error {
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	person := &mcpserver.Person{Wait: s.wait}
	if s.wait == 0 {
		person.Wait = -1
	}
	o := s.Harness(cmd, person)
	if judge := "judge_command"; !o.Offers(judge) { // it is no tool of a session
		s.lent.Without = append(s.lent.Without, judge)
	}
	if s.proxy.Name != "" {
		file, err := s.proxyFile()
		if err != nil {
			return err
		}
		defer os.Remove(file)
		o.MCPConfig, o.StrictMCP = []string{file}, true
	}
	h, err := harness.Open(ctx, o)
	if err != nil {
		return err
	}
	defer h.Close(cmd.Context())
	session, err := h.Start(ctx, harness.NewSession{NoModel: true})
	if err != nil {
		return err
	}
	s.lent.Version = programVersion()
	server, err := s.before(ctx, h, session, person)
	if err != nil {
		return err
	}
	defer server.Close()
	if s.http != "" {
		return s.overHTTP(cmd, server)
	}
	err = server.Serve(ctx, os.Stdin, os.Stdout)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (s *mcpServing) overHTTP(cmd *cobra.Command, server *mcpserver.Server) error {
	host, port, err := net.SplitHostPort(s.http)
	if err != nil {
		return withExitCode(exitUsage, fmt.Errorf("--http %q: expected HOST:PORT or :PORT", s.http))
	}
	if host == "" {
		host = "127.0.0.1"
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return withExitCode(exitInput, err)
	}
	errs := cmd.ErrOrStderr()
	if s.token == "" {
		s.token = rand.Text()
		fmt.Fprintln(errs, "token:", s.token)
	}
	fmt.Fprintf(errs, "rein: serving http://%s\n", listener.Addr())
	web := &http.Server{Handler: server.Handler(mcpserver.HTTP{Token: s.token, Hosts: s.hosts, Origins: s.origins}), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	go func() {
		<-ctx.Done()
		_ = web.Close()
	}()
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
