package settings

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"rein/harness/notify"
)

// Schedule bounds the tasks that run later or regularly. Zero means the default.
type Schedule struct {
	Off   bool     `json:"off,omitempty"`   // there is no tool for it, and rein serve runs none
	Most  int      `json:"most,omitempty"`  // tasks that there may be: 100
	Every Duration `json:"every,omitempty"` // the shortest time between two runs of a task: 1m
}

// Notify says what the user is notified of outside of rein's own screens, and where. The zero value: of what the model sends
// with the tool notify, on the desktop.
type Notify struct {
	On      []string `json:"on,omitempty"`      // approval, end, task, message (default: all)
	After   Duration `json:"after,omitempty"`   // of an approval that nobody answered by then, and a run that took so long: 30s
	Desktop string   `json:"desktop,omitempty"` // on: all of it; off: nothing; default: only what the model sends

	Webhook       string `json:"webhook,omitempty"`       // address that gets each one as JSON: https, or this machine
	WebhookKeyEnv string `json:"webhookKeyEnv,omitempty"` // environment variable with the key of the signature
	Mail          Mail   `json:"mail,omitzero"`
}

// Mail is a mailbox, and the server that takes mail for it.
type Mail struct {
	Server      string `json:"server,omitempty"` // host:port
	From        string `json:"from,omitempty"`
	To          string `json:"to,omitempty"`
	User        string `json:"user,omitempty"`        // "": the server wants no password
	PasswordEnv string `json:"passwordEnv,omitempty"` // environment variable with the password
}

// Wait gives After, or its default.
func (n Notify) Wait() time.Duration {
	if n.After > 0 {
		return time.Duration(n.After)
	}
	return 30 * time.Second
}

// Wants reports whether the user is notified of a kind of note.
func (n Notify) Wants(kind string) bool { return len(n.On) == 0 || slices.Contains(n.On, kind) }

// Check refuses values that no setting may have. What is wrong with the mail shows when it is sent.
func (n Notify) Check() error {
	var wrong []error
	for _, kind := range n.On {
		if !slices.Contains(notify.Kinds(), kind) {
			wrong = append(wrong, fmt.Errorf("on: no such kind: %q (want %s)", kind, strings.Join(notify.Kinds(), ", ")))
		}
	}
	if !slices.Contains([]string{"", "on", "off"}, n.Desktop) {
		wrong = append(wrong, fmt.Errorf("desktop: %q (want on or off)", n.Desktop))
	}
	if n.Webhook != "" {
		wrong = append(wrong, notify.CheckWebhook(n.Webhook))
	}
	if err := errors.Join(wrong...); err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	return nil
}

func (n Notify) mail() notify.Mail {
	m := notify.Mail{Server: n.Mail.Server, From: n.Mail.From, To: n.Mail.To, User: n.Mail.User}
	if n.Mail.PasswordEnv != "" {
		m.Password = os.Getenv(n.Mail.PasswordEnv)
	}
	return m
}

// Sender gives the sender of a kind of note, whose channels may be none.
func (n Notify) Sender(kind string, mask func(string) string) *notify.Sender {
	s := &notify.Sender{Mask: mask}
	if !n.Wants(kind) {
		return s
	}
	s.Webhook, s.Mail = n.Webhook, n.mail()
	if n.WebhookKeyEnv != "" {
		s.Key = os.Getenv(n.WebhookKeyEnv)
	}
	if n.Desktop == "on" || n.Desktop == "" && kind == notify.Message {
		s.Desktop, _ = notify.FindDesktop(os.Getenv)
	}
	return s
}
