// Package notify sends notifications to the user where rein has no screen of its own: to the desktop, a webhook, a mailbox. It
// takes pictures of the desktop, too.
package notify

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"
	"unicode"
)

// The kinds of notes.
const (
	Approval = "approval" // a call waits for the user: an approval, or questions
	End      = "end"      // a run of a session has ended
	Task     = "task"     // a run of a scheduled task has ended, was left out, or crashed
	Message  = "message"  // the model sent it, with the tool notify
)

// Kinds are all kinds of notes.
func Kinds() []string { return []string{Approval, End, Task, Message} }

// Note is one notification. A webhook gets it as JSON.
type Note struct {
	Kind    string    `json:"kind"`
	Title   string    `json:"title"`
	Text    string    `json:"text,omitempty"`
	Dir     string    `json:"dir,omitempty"`     // the workspace
	Session string    `json:"session,omitempty"` // id
	Time    time.Time `json:"time"`
	Data    any       `json:"data,omitempty"` // of a task: the run
}

const (
	// channelTime is how long each channel has for a note.
	channelTime = 10 * time.Second
	// mostTitle and mostText are the bytes of a note.
	mostTitle, mostText = 200, 2 << 10
)

// Sender sends notes. Several goroutines may use it at once. The zero value has no channels.
type Sender struct {
	Desktop *Desktop // nil: not to the desktop
	Webhook string   // address; "": none
	Key     string   // of the webhook's signature; "": not signed
	Mail    Mail     // without a server: none
	// Mask hides secrets; nil: there are none.
	Mask func(string) string
}

// Channels names where notes go: desktop, webhook, mail.
func (s *Sender) Channels() (all []string) {
	if s.Desktop != nil {
		all = append(all, "desktop")
	}
	if s.Webhook != "" {
		all = append(all, "webhook")
	}
	if s.Mail.Server != "" {
		all = append(all, "mail")
	}
	return all
}

// Send sends a note through all channels at once, and returns the errors of those that failed. Each has 10 seconds. A note holds no
// secret and no control characters, and at most 200 bytes of title and 2 KiB of text.
func (s *Sender) Send(ctx context.Context, n Note) error {
	n.Title, n.Text = s.clean(strings.ReplaceAll(n.Title, "\n", " "), mostTitle), s.clean(n.Text, mostText)
	if n.Time.IsZero() {
		n.Time = time.Now()
	}
	ctx, stop := context.WithTimeout(ctx, channelTime)
	defer stop()
	sends := []func() error{
		func() error { return s.Desktop.show(ctx, n) },
		func() error {
			if s.Webhook == "" {
				return nil
			}
			return Post(ctx, s.Webhook, s.Key, n)
		},
		func() error { return s.Mail.send(ctx, n) },
	}
	failed := make([]error, len(sends))
	var all sync.WaitGroup
	for i, send := range sends {
		all.Go(func() { failed[i] = send() })
	}
	all.Wait()
	return errors.Join(failed...)
}

// clean hides secrets and leaves out control characters.
func (s *Sender) clean(text string, most int) string {
	if s.Mask != nil {
		text = s.Mask(text)
	}
	return plain(strings.TrimSpace(text), most)
}

// Line makes one line of a text, without control characters and at most 200 bytes long.
func Line(text string) string { return plain(strings.Join(strings.Fields(text), " "), mostTitle) }

// plain leaves out control characters, and what is too long.
func plain(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most-len("…")], "") + "…"
	}
	return text
}
