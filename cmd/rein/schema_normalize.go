package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"rein/schema"
)

func newSchemaNormalize() *cobra.Command {
	var batch, check bool
	var vendor string
	c := &cobra.Command{
		Use:   "normalize [FILE]",
		Short: "Write a JSON Schema as a provider accepts it",
		Long: "Writes the schema in FILE (or on stdin) as a provider accepts it; what is lost goes to stderr.\n" +
			"Providers: " + strings.Join(schema.ProfileNames(), ", ") + ".\n" +
			"With --batch: lines {\"id\",\"schema\"} in, {\"id\",\"schema\",\"strict\",\"note\",\"lost\",\"problems\"} out.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := profileOf(vendor)
			if err != nil {
				return withExitCode(exitUsage, err)
			}
			if batch {
				return answerLines(cmd.InOrStdin(), cmd.OutOrStdout(), func(line []byte) (any, error) { return normalizeLine(&p, line) })
			}
			return normalizeOne(cmd, &p, args, check)
		},
	}
	c.Flags().StringVar(&vendor, "provider", "conservative", "whose rules")
	c.Flags().BoolVar(&batch, "batch", false, "read and write JSON lines")
	c.Flags().BoolVar(&check, "check", false, "only judge the schema as it is by the provider's rules")
	return c
}

func profileOf(name string) (schema.Profile, error) {
	p, ok := schema.ProfileOf(name)
	if !ok {
		return p, fmt.Errorf("unknown provider %q; known are %s", name, strings.Join(schema.ProfileNames(), ", "))
	}
	return p, nil
}

func normalizeOne(cmd *cobra.Command, p *schema.Profile, args []string, check bool) error {
	raw, err := readArgument(cmd, args)
	if err != nil {
		return withExitCode(exitInput, err)
	}
	if check {
		return checkForProvider(cmd, p, raw)
	}
	s, err := schema.Parse(raw)
	if err != nil {
		return withExitCode(exitInput, err)
	}
	n, _ := schema.Normalise(s.Raw(), *p) // Parse has read these bytes
	for _, lost := range n.Lost {
		fmt.Fprintln(cmd.ErrOrStderr(), strings.TrimSpace(fmt.Sprintf("lost at %s: %s %s", orRoot(lost.Path), lost.Keyword, lost.Note)))
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", n.Schema)
	return err
}

func orRoot(path string) string {
	if path == "" {
		return "the root"
	}
	return path
}

// readArgument reads the file that is named, or stdin.
func readArgument(cmd *cobra.Command, args []string) ([]byte, error) {
	if len(args) == 1 && args[0] != "-" {
		return readFile(args[0])
	}
	return io.ReadAll(cmd.InOrStdin())
}

func checkForProvider(cmd *cobra.Command, p *schema.Profile, raw []byte) error {
	problems := p.Problems(raw)
	for _, problem := range problems {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", orRoot(problem.Path), problem.Message)
	}
	if len(problems) > 0 {
		return withExitCode(exitInput, errors.New(p.Name+" would refuse this schema"))
	}
	return nil
}

func normalizeLine(p *schema.Profile, line []byte) (any, error) {
	var row struct {
		ID     json.RawMessage `json:"id"`
		Schema json.RawMessage `json:"schema"`
	}
	if err := json.Unmarshal(line, &row); err != nil {
		return nil, err
	}
	s, err := schema.Parse(row.Schema)
	if err != nil {
		return nil, err
	}
	n, _ := schema.Normalise(s.Raw(), *p) // Parse has read these bytes
	return struct {
		ID       json.RawMessage          `json:"id"`
		Schema   json.RawMessage          `json:"schema"`
		Strict   bool                     `json:"strict"`
		Note     string                   `json:"note,omitempty"`
		Lost     []schema.Loss            `json:"lost"`
		Problems []schema.ProviderProblem `json:"problems"`
	}{row.ID, n.Schema, n.Strict, n.Note, append([]schema.Loss{}, n.Lost...), append([]schema.ProviderProblem{}, n.Profile.Problems(n.Schema)...)}, nil
}
