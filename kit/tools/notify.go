package tools

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"rein/tool"
)

// maxNotes is how many notifications a session sends.
const maxNotes = 20

type notifyArgs struct {
	Text  string `json:"text" jsonschema:"what the user should know, in a sentence or two" minLength:"1" maxLength:"2000"`
	Title string `json:"title,omitempty" jsonschema:"default: rein" maxLength:"100"`
}

// Intent is empty: it goes where the user's settings say, and nowhere else.
func (notifyArgs) Intent() tool.Intent { return tool.Intent{} }

const notifyDescription = `Notify the user, who may be away from the screen: long work is done, something important was found, or work cannot go on. It does not wait for an answer: use ask_user for that. Not for progress.`

// Notify returns the tool that notifies the user. send does it; channels names where it goes, for the model.
func Notify(channels []string, send func(ctx context.Context, title, text string) error) *tool.Tool {
	var sent atomic.Int64
	t := tool.New("notify", notifyDescription, 0, func(ctx context.Context, in notifyArgs, r *tool.Reply) error {
		if sent.Add(1) > maxNotes {
			return &tool.Error{Kind: tool.TooLarge, Text: fmt.Sprintf("This session has sent %d notifications; that is the limit.", maxNotes), Hint: "Say it in your answer."}
		}
		if err := send(ctx, cmp.Or(in.Title, "rein"), in.Text); err != nil {
			return &tool.Error{Kind: tool.Failed, Text: "Not every channel took the notification: " + err.Error() + ".", Hint: "Say it in your answer, too."}
		}
		_, err := fmt.Fprintf(r, "Sent (%s).\n", strings.Join(channels, ", "))
		return err
	})
	t.Input = t.Input.WithAliases(map[string]string{"message": "text", "body": "text", "content": "text", "subject": "title", "summary": "title"})
	return t
}
