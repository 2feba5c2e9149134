package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rein/kit/script"
	"rein/lab/modelserver"
)

// newModelServer returns the command that serves a script as a provider would.
func newModelServer() *cobra.Command {
	file, addr := "", "127.0.0.1:0"
	var quirks []string
	s := &modelserver.Server{}
	var delta int
	cmd := &cobra.Command{
		Use:   "model-server --script FILE",
		Short: "Serve a scripted model over the protocols of seven providers, for tests",
		Long: `Serve a script (see docs/scripted_model.md) as chat completions, responses, messages, generateContent, Converse, and the
protocols of Cohere and Ollama. rein prints the address on standard output. A quirk makes the server behave as some real servers
do:

  ` + strings.Join(modelserver.Names(), "\n  "),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if file == "" {
				return usageError(cmd, errors.New("--script is missing: name a file"))
			}
			if s.Quirks, err = knownQuirks(quirks); err != nil {
				return withExitCode(exitUsage, err)
			}
			if s.Script, err = script.Open(file); err != nil {
				return withExitCode(exitInput, err)
			}
			if delta > 0 {
				s.Script.Delta = delta
			}
			return serveModel(cmd, addr, s)
		},
	}
	cmd.Flags().StringVar(&file, "script", "", "the script's file")
	cmd.Flags().Var(addressFlag(&addr), "addr", "where to listen")
	cmd.Flags().Var(rangeFlag(&delta, 1, 1<<20), "delta", "bytes of one streamed piece (default: the value in the script)")
	cmd.Flags().StringSliceVar(&quirks, "quirk", nil, "a quirk, by name (repeat)")
	cmd.Flags().BoolVar(&s.Batch, "batch", false, "send 32 KiB at a time instead of each piece")
	cmd.Flags().BoolVar(&s.Lax, "lax", false, "accept requests without the thinking of earlier turns")
	return cmd
}

func knownQuirks(names []string) (modelserver.Quirks, error) {
	quirks := modelserver.Quirks{}
	for _, name := range names {
		known := false
		for _, line := range modelserver.Names() {
			known = known || strings.HasPrefix(line, name+":")
		}
		if !known {
			return nil, fmt.Errorf("no quirk %q; see rein model-server --help", name)
		}
		quirks[name] = true
	}
	return quirks, nil
}

// serveModel serves until the command's context ends.
func serveModel(cmd *cobra.Command, addr string, handler http.Handler) error {
	listener, err := (&net.ListenConfig{}).Listen(cmd.Context(), "tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "http://%s\n", listener.Addr())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	stop := context.AfterFunc(cmd.Context(), func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
