package tools

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"rein/tool"
)

// Past is what happened in a session before, for the tool recall. Several goroutines may call its methods at once.
type Past interface {
	// Result returns the result of a call, with the call in a line before it. ok is false when there is none.
	Result(ctx context.Context, call string) (text string, ok bool, err error)
	// Message returns the message with this number, of the user or the model. ok is false when there is none.
	Message(ctx context.Context, number int64) (text string, ok bool, err error)
	// Find returns the newest messages and results that match, a line for each, at most most of them, and how many match.
	Find(ctx context.Context, pattern *regexp.Regexp, most int) (lines []string, all int, err error)
}

type recallArgs struct {
	Call    string `json:"call,omitempty" jsonschema:"id of a call: its whole result"`
	Message int64  `json:"message,omitempty" jsonschema:"number of a message: all of it"`
	Find    string `json:"find,omitempty" jsonschema:"regular expression: the messages and results of this session that match"`
}

// Intent is empty: the past of the session is its own.
func (recallArgs) Intent() tool.Intent { return tool.Intent{} }

const recallDescription = `Show what was said and done earlier in this session and is no longer in the conversation. Send exactly one of call, message and find.`

// mostFound is how many matches the tool shows.
const mostFound = 30

// Recall returns the tool that shows what a compaction left out.
func Recall(past Past) *tool.Tool {
	return tool.New("recall", recallDescription, 0, func(ctx context.Context, in recallArgs, r *tool.Reply) error {
		var text string
		var ok bool
		var err error
		what := ""
		switch {
		case in.Call != "" && in.Message == 0 && in.Find == "":
			what = fmt.Sprintf("There is no result of a call %q.", in.Call)
			text, ok, err = past.Result(ctx, in.Call)
		case in.Message > 0 && in.Call == "" && in.Find == "":
			what = fmt.Sprintf("There is no message %d.", in.Message)
			text, ok, err = past.Message(ctx, in.Message)
		case in.Find != "" && in.Call == "" && in.Message == 0:
			what = "Nothing matches."
			text, ok, err = found(ctx, past, in.Find)
		default:
			return &tool.Error{Kind: tool.BadArguments, Text: "Send exactly one of call, message and find."}
		}
		if err == nil && !ok {
			err = &tool.Error{Kind: tool.NotFound, Text: what, Hint: "Search with find."}
		}
		if err != nil {
			return err
		}
		_, err = r.WriteString(text)
		return err
	})
}

func found(ctx context.Context, past Past, find string) (string, bool, error) {
	pattern, err := regexp.Compile(find)
	if err != nil {
		return "", false, &tool.Error{Kind: tool.BadArguments, Text: "find is not a regular expression: " + strings.TrimPrefix(err.Error(), "error parsing regexp: ")}
	}
	lines, all, err := past.Find(ctx, pattern, mostFound)
	if err != nil || all == 0 {
		return "", false, err
	}
	text := strings.Join(lines, "\n") + "\n"
	if all > len(lines) {
		text = fmt.Sprintf("%d match; the newest %d:\n%s", all, len(lines), text)
	}
	return text, true, nil
}
