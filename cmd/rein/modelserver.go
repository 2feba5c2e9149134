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

	"rein/internal/modelserver"
	"rein/model/script"
)

// newModelServer returns the command that serves a script as a provider would.
func newModelServer() *cobra.Command {
	var file, addr string
	var quirks []string
	s := &modelserver.Server{}
	var delta int
	cmd := &cobra.Command{
		Use:   "model-server --script FILE",
		Short: "Serve a scripted model by four providers' protocols, for tests and measurements",
		Long: `Serve a script (see docs/models.md) as chat completions, responses, messages and generateContent. The address is
printed on standard output. Quirks make its streams as odd as some servers':

  ` + strings.Join(modelserver.Names(), "\n  "),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if s.Quirks, err = knownQuirks(quirks); err != nil {
				return coded{exitUsage, err}
			}
			if s.Script, err = script.Open(file); err != nil {
				return coded{exitInput, err}
			}
			if delta > 0 {
				s.Script.Delta = delta
			}
			return serveModel(cmd, addr, s)
		},
	}
	cmd.Flags().StringVar(&file, "script", "", "the script's file")
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "where to listen")
	cmd.Flags().IntVar(&delta, "delta", 0, "bytes of a streamed piece (default: as the script says)")
	cmd.Flags().StringSliceVar(&quirks, "quirk", nil, "oddities, by name")
	cmd.Flags().BoolVar(&s.Batch, "batch", false, "flush 32 KiB at a time and not each piece")
	cmd.Flags().BoolVar(&s.Lax, "lax", false, "take histories without the thinking of earlier turns")
	_ = cmd.MarkFlagRequired("script")
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
