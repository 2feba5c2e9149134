package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	repair "rein/internal/jsontext"
	"rein/internal/plaintext"
	"rein/model"
	"rein/schema"
)

// newSchema is the command rein schema.
func newSchema() *cobra.Command {
	c := &cobra.Command{Use: "schema", Short: "Check a model's arguments, and write schemas as providers accept them"}
	c.AddCommand(newSchemaNormalize(), newSchemaCheck(), newSchemaCall())
	return c
}

func newSchemaCheck() *cobra.Command {
	var batch bool
	var file string
	c := &cobra.Command{
		Use:   "check",
		Short: "Fit the arguments on stdin to a JSON Schema and print them",
		Long: "Fits the arguments on stdin to a JSON Schema and prints what the tool would get; changes go to stderr.\n" +
			"With --batch: lines {\"id\",\"schema\",\"args\"} in, {\"id\",\"ok\",\"args\",\"notes\",\"errors\"} out.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if batch {
				return answerLines(cmd.InOrStdin(), cmd.OutOrStdout(), checkArgumentsLine)
			}
			return checkArgumentsFile(cmd, file)
		},
	}
	c.Flags().BoolVar(&batch, "batch", false, "read and write JSON lines")
	c.Flags().StringVar(&file, "schema", "", "file that holds the schema")
	return c
}

// argumentsAnswer is what the batch commands say about one set of arguments.
type argumentsAnswer struct {
	ID         json.RawMessage  `json:"id"`
	OK         bool             `json:"ok"`
	Name       string           `json:"name,omitempty"`
	Args       json.RawMessage  `json:"args,omitempty"`
	Notes      []string         `json:"notes"`
	Errors     []schema.Problem `json:"errors"`
	DidYouMean []string         `json:"did_you_mean,omitempty"`
}

func checkArgumentsLine(line []byte) (any, error) {
	var row struct {
		ID     json.RawMessage `json:"id"`
		Schema json.RawMessage `json:"schema"`
		Args   json.RawMessage `json:"args"`
	}
	if err := json.Unmarshal(line, &row); err != nil {
		return nil, err
	}
	s, err := schema.Parse(row.Schema)
	if err != nil {
		return nil, err
	}
	a := argumentsAnswer{ID: row.ID, Notes: []string{}, Errors: []schema.Problem{}}
	return &a, a.check(s, row.Args)
}

// check fits args to the schema. Arguments in a string are what a provider sent as text: JSON, or nearly.
func (a *argumentsAnswer) check(s *schema.Schema, args json.RawMessage) error {
	var text string
	if json.Unmarshal(args, &text) == nil && text != "" && !jsontext.Value(text).IsValid() {
		repaired, err := repair.Object([]byte(text), repair.RepairOptions{Schema: s.Raw()})
		if err != nil {
			a.Errors = append(a.Errors, schema.Problem{Message: err.Error()})
			return nil
		}
		args, a.Notes = repaired.JSON, append(a.Notes, repaired.Notes...)
	}
	checked, err := s.Check(args)
	if invalid := (*schema.Invalid)(nil); errors.As(err, &invalid) {
		a.Errors = append(a.Errors, invalid.Problems...)
		return nil
	}
	if err != nil {
		return err
	}
	a.OK, a.Args, a.Notes = true, checked.Args, append(a.Notes, checked.Notes...)
	return nil
}

func checkArgumentsFile(cmd *cobra.Command, file string) error {
	if file == "" {
		return withExitCode(exitUsage, errors.New("give --schema FILE, or --batch"))
	}
	raw, err := readFile(file)
	if err != nil {
		return withExitCode(exitInput, err)
	}
	s, err := schema.Parse(raw)
	if err != nil {
		return withExitCode(exitInput, err)
	}
	return printChecked(cmd, s)
}

func printChecked(cmd *cobra.Command, s *schema.Schema) error {
	args, err := io.ReadAll(cmd.InOrStdin())
	if err != nil {
		return err
	}
	checked, err := s.Check(args)
	if err != nil {
		return withExitCode(exitInput, err)
	}
	for _, note := range checked.Notes {
		fmt.Fprintln(cmd.ErrOrStderr(), note)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", checked.Args)
	return err
}

// listedTool is a tool as requests to providers list it.
type listedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

func newSchemaCall() *cobra.Command {
	var batch bool
	var file, vendor string
	c := &cobra.Command{
		Use:   "call NAME",
		Short: "Check a call of one of the tools in a file",
		Long: "Checks a call: NAME is the tool, the arguments come on stdin.\n" +
			"With --batch: lines {\"id\",\"tools\",\"name\",\"args\"} in, {\"id\",\"ok\",\"name\",\"args\",\"notes\",\"errors\",\"did_you_mean\"} out.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			trip, err := profilesOf(vendor)
			if err != nil {
				return withExitCode(exitUsage, err)
			}
			if batch {
				return answerLines(cmd.InOrStdin(), cmd.OutOrStdout(), func(line []byte) (any, error) { return schemaCallLine(line, trip) })
			}
			if len(args) != 1 || file == "" {
				return withExitCode(exitUsage, errors.New("give --tools FILE and the tool's name, or --batch"))
			}
			return schemaCallOne(cmd, file, args[0])
		},
	}
	c.Flags().BoolVar(&batch, "batch", false, "read and write JSON lines")
	c.Flags().StringVar(&vendor, "provider", "", "with --batch: also send a valid call through this provider's version of the schema and back, or through all")
	c.Flags().StringVar(&file, "tools", "", "file with a JSON list of {name, description, parameters}")
	return c
}

// callRow is a line of schema call --batch.
type callRow struct {
	ID    json.RawMessage `json:"id"`
	Tools []listedTool    `json:"tools"`
	Name  string          `json:"name"`
	Args  json.RawMessage `json:"args"`
}

func schemaCallLine(line []byte, trips []schema.Profile) (any, error) {
	var row callRow
	if err := json.Unmarshal(line, &row); err != nil {
		return nil, err
	}
	a := argumentsAnswer{ID: row.ID, Name: row.Name, Notes: []string{}, Errors: []schema.Problem{}}
	s, err := toolSchema(row.Tools, row.Name)
	if unknown := (*unknownTool)(nil); errors.As(err, &unknown) {
		a.Errors = append(a.Errors, schema.Problem{Message: err.Error()})
		a.DidYouMean = unknown.near
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	if err := a.check(s, row.Args); err != nil || !a.OK || len(a.Notes) > 0 {
		return &a, err
	}
	for _, p := range trips {
		a.roundTrip(s, p)
	}
	return &a, nil
}

// profilesOf lists the profiles that a call is sent through.
func profilesOf(vendor string) ([]schema.Profile, error) {
	names := []string{vendor}
	switch vendor {
	case "":
		return nil, nil
	case "all":
		names = schema.ProfileNames()
	}
	var trips []schema.Profile
	for _, name := range names {
		p, err := profileOf(name)
		if err != nil {
			return nil, err
		}
		trips = append(trips, p)
	}
	return trips, nil
}

// roundTrip demands that valid arguments fit the provider's version too, and that they come back as they are.
func (a *argumentsAnswer) roundTrip(s *schema.Schema, p schema.Profile) {
	n, _ := schema.Normalise(s.Raw(), p) // Parse has read these bytes
	for _, problem := range n.Profile.Problems(n.Schema) {
		a.OK, a.Errors = false, append(a.Errors, schema.Problem{Path: problem.Path, Message: p.Name + " would refuse the schema: " + problem.Message})
	}
	version, err := schema.Parse(n.Schema)
	if err == nil {
		var there, back schema.Checked
		if there, err = version.Check(n.Redo(a.Args)); err == nil {
			back, err = s.Check(n.Undo(there.Args))
		}
		if err == nil && sameJSON(back.Args, a.Args) && len(there.Notes)+len(back.Notes) == 0 {
			return
		}
	}
	a.OK, a.Errors = false, append(a.Errors, schema.Problem{Message: fmt.Sprintf("changed on the way through %s: %v", p.Name, err)})
}

// sameJSON compares two JSON texts but for white space between their parts.
func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// unknownTool is the error for a name that no tool has; it lists tools with similar names.
type unknownTool struct {
	name string
	near []string
}

func (u *unknownTool) Error() string {
	text := fmt.Sprintf("there is no tool %q", u.name)
	if len(u.near) > 0 {
		text += "; did you mean \"" + strings.Join(u.near, `" or "`) + "\"?"
	}
	return text
}

func toolSchema(tools []listedTool, name string) (*schema.Schema, error) {
	var names []string
	for _, t := range tools {
		if t.Name == name {
			spec := model.ToolSpec{Schema: t.Parameters}
			return schema.Parse(spec.Parameters())
		}
		names = append(names, t.Name)
	}
	return nil, &unknownTool{name, plaintext.NearestNames(name, names)}
}

func schemaCallOne(cmd *cobra.Command, file, name string) error {
	raw, err := readFile(file)
	if err != nil {
		return withExitCode(exitInput, err)
	}
	var tools []listedTool
	if err := json.Unmarshal(raw, &tools); err != nil {
		return withExitCode(exitInput, fmt.Errorf("tools in %s: %w", file, err))
	}
	s, err := toolSchema(tools, name)
	if err != nil {
		return withExitCode(exitInput, err)
	}
	return printChecked(cmd, s)
}
