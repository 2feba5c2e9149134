package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"rein/kit/dialect"
)

// newDialect is the command rein dialect.
func newDialect() *cobra.Command {
	cmd := &cobra.Command{Use: "dialect", Short: "Tool-call formats of models that write calls as text"}
	cmd.AddCommand(newDialectParse(), newDialectList(), newDialectPrompt(), newDialectRecover())
	return cmd
}

// dialectInput is a line of a batch.
type dialectInput struct {
	ID      json.RawMessage `json:"id,omitempty"`
	Dialect string          `json:"dialect"`
	Model   string          `json:"model"`
	Input   *string         `json:"input"`
	Chunks  []string        `json:"chunks"`
	Tools   []dialect.Tool  `json:"tools"`
	// InReasoning: the prompt opened the reasoning.
	InReasoning bool `json:"in_reasoning"`
}

// dialectOutput is the answer to it.
type dialectOutput struct {
	ID        json.RawMessage `json:"id,omitempty"`
	Calls     []dialectCall   `json:"calls"`
	Content   string          `json:"content"`
	Reasoning string          `json:"reasoning,omitempty"`
	Error     string          `json:"error,omitempty"`
}

type dialectCall struct {
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

func newDialectParse() *cobra.Command {
	var name, model, toolsFile string
	var batch, inReasoning bool
	cmd := &cobra.Command{
		Use:   "parse",
		Short: "Read a model's text from standard input and print its calls and content as JSON",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			tools, err := readTools(toolsFile)
			if err != nil {
				return withExitCode(exitInput, err)
			}
			line := dialectInput{Dialect: name, Model: model, Tools: tools, InReasoning: inReasoning}
			if batch {
				return answerLines(cmd.InOrStdin(), cmd.OutOrStdout(), func(raw []byte) (any, error) {
					return parseDialectLine(line, raw)
				})
			}
			text, err := io.ReadAll(cmd.InOrStdin())
			if err != nil {
				return err
			}
			input := string(text)
			line.Input = &input
			out, err := parseDialect(line)
			if err != nil {
				return withExitCode(exitUsage, err)
			}
			return printJSON(cmd.OutOrStdout(), out)
		},
	}
	cmd.Flags().StringVar(&name, "dialect", "auto", "the dialect; auto takes it from the model's name, or else from the text")
	cmd.Flags().StringVar(&model, "model", "", "the model's name, for auto")
	cmd.Flags().StringVar(&toolsFile, "tools", "", "a file with the tools that the model had: a JSON array of {name, description, parameters}")
	cmd.Flags().BoolVar(&inReasoning, "in-reasoning", false, "the text begins within the model's reasoning")
	cmd.Flags().BoolVar(&batch, "batch", false, "read lines {id, dialect, input or chunks, tools}, and write one line for each")
	return cmd
}

// parseDialectLine answers one line of a batch. Fields that the line leaves out come from the flags.
func parseDialectLine(line dialectInput, raw []byte) (any, error) {
	if err := json.Unmarshal(raw, &line); err != nil {
		return nil, lineError(err)
	}
	return parseDialect(line)
}

// lineError explains why a line cannot be read.
func lineError(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return fmt.Errorf("not a line of this batch: %s must not be a JSON %s", wrong.Field, wrong.Value)
	}
	return errors.New("not a line of this batch: it is not valid JSON")
}

// parseDialect reads one answer of a model.
func parseDialect(line dialectInput) (dialectOutput, error) {
	pieces := line.Chunks
	if line.Input != nil {
		pieces = []string{*line.Input}
	}
	d, err := chooseDialect(line.Dialect, line.Model, strings.Join(pieces, ""), line.Tools)
	if err != nil {
		return dialectOutput{}, err
	}
	a := dialect.Parse(d, dialect.Options{Tools: line.Tools, InReasoning: line.InReasoning}, pieces...)
	out := dialectOutput{ID: line.ID, Calls: []dialectCall{}, Content: a.Content, Reasoning: a.Reasoning, Error: strings.Join(a.Broken, "; ")}
	for _, c := range a.Calls {
		out.Calls = append(out.Calls, dialectCall{ID: c.ID, Name: c.Name, Arguments: c.Args})
	}
	return out, nil
}

// chooseDialect finds the dialect by its name; auto takes it from the model's name, else from the marks in the text.
func chooseDialect(name, model, text string, tools []dialect.Tool) (*dialect.Dialect, error) {
	if name != "auto" && name != "" {
		return dialect.Find(name)
	}
	if d, ok := dialect.For(model); ok && model != "" {
		return d, nil
	}
	return dialect.Guess(text, tools), nil
}

func newDialectList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the dialects and the models that use them",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, d := range dialect.All() {
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%-22s %s\n", d.Name, d.About); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func newDialectPrompt() *cobra.Command {
	var toolsFile string
	cmd := &cobra.Command{
		Use:   "prompt NAME",
		Short: "Print the system prompt that explains a dialect to a model, with an example of a call and its result",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := dialect.Find(args[0])
			if err != nil {
				return withExitCode(exitUsage, err)
			}
			tools, err := readTools(toolsFile)
			if err != nil {
				return withExitCode(exitInput, err)
			}
			if len(tools) == 0 {
				tools = []dialect.Tool{{Name: "get_weather", Description: "Returns the weather of a city.",
					Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string","description":"the city"}},"required":["city"]}`)}}
			}
			call := dialect.Call{Name: tools[0].Name, Args: json.RawMessage(`{}`)}
			result := dialect.CallResult{Name: tools[0].Name, Text: "the result of the call"}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n\n--- its place\n%s\n\n--- a call\n%s\n\n--- its result\n%s\n", dialect.ToolPrompt(d, tools), promptPlacement(d),
				dialect.WriteCalls(d, []dialect.Call{call}, tools, 0), dialect.WriteResults(d, []dialect.CallResult{result}))
			return err
		},
	}
	cmd.Flags().StringVar(&toolsFile, "tools", "", "a file with the tools: a JSON array of {name, description, parameters}; without it an example")
	return cmd
}

// promptPlacement returns the place of a tool prompt in a request.
func promptPlacement(d *dialect.Dialect) string {
	switch d.Template().Place {
	case dialect.BeforeSystem:
		return "before the system text"
	case dialect.FirstUser:
		return "before the first message of the user"
	}
	return "after the system text"
}

// readTools reads the tools of a file; no file is no tools.
func readTools(path string) ([]dialect.Tool, error) {
	if path == "" {
		return nil, nil
	}
	raw, err := readFile(path)
	if err != nil {
		return nil, err
	}
	var tools []dialect.Tool
	if err := json.Unmarshal(raw, &tools); err != nil {
		return nil, fmt.Errorf("%s: expected a JSON array of {name, description, parameters}", path)
	}
	return tools, nil
}
