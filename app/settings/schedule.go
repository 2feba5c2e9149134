package settings

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"rein/app/notify"
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

// Wait returns After, or its default.
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
			wrong = append(wrong, fmt.Errorf("on: no such kind: %q (expected %s)", kind, strings.Join(notify.Kinds(), ", ")))
		}
	}
	if !slices.Contains([]string{"", "on", "off"}, n.Desktop) {
		wrong = append(wrong, fmt.Errorf("desktop: %q (expected on or off)", n.Desktop))
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

// Sender returns the sender of a kind of note, whose channels may be none.
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

// Server is what rein serve does beside serving. Only the user's own settings count, never those of a project.
type Server struct {
	URL      string       `json:"url,omitempty"` // by which people reach the page, for links: https://rein.example.org/
	Webhooks []Webhook    `json:"webhooks,omitempty"`
	SignIn   *SignIn      `json:"signIn,omitempty"`
	Limits   ServerLimits `json:"limits,omitzero"`
}

// SignIn lets people sign in who have an account at an OpenID Connect provider.
type SignIn struct {
	Issuer     string              `json:"issuer"`               // of the accounts: https://accounts.example.org
	ClientID   string              `json:"clientID"`             // that the provider gave to this server
	SecretEnv  string              `json:"secretEnv,omitempty"`  // environment variable with the client's secret (default: a public client)
	Scopes     []string            `json:"scopes,omitempty"`     // beside openid (default: profile, email)
	Name       string              `json:"name,omitempty"`       // claim with the user's name (default: email)
	Claim      string              `json:"claim,omitempty"`      // claim that decides on the role: a text or a list of texts (default: groups)
	Roles      map[string]string   `json:"roles"`                // a value of that claim: viewer, approver or operator; who has none is not let in
	Workspaces map[string][]string `json:"workspaces,omitempty"` // a value of that claim: the directories that its users see (default: all)
}

// ServerLimits are the limits of the server; 0 is the default.
type ServerLimits struct {
	Body    int64    `json:"body,omitempty"`    // bytes of one request (default 1 MB)
	Upload  int64    `json:"upload,omitempty"`  // bytes of a file that goes with a message (default 10 MB)
	Streams int      `json:"streams,omitempty"` // event streams of one user at once (default 64)
	Changes int      `json:"changes,omitempty"` // changes by one user in a second (default 30)
	Queue   int      `json:"queue,omitempty"`   // messages of one session that wait for the end of a turn (default 50)
	Idle    Duration `json:"idle,omitempty"`    // after which a session that does nothing is closed (default 30m)
}

// Webhook is an address that gets what happens, as JSON.
type Webhook struct {
	URL         string   `json:"url"`                   // https, or this machine
	On          []string `json:"on,omitempty"`          // request, answered, end (default: all)
	Dirs        []string `json:"dirs,omitempty"`        // workspaces (default: all)
	KeyEnv      string   `json:"keyEnv,omitempty"`      // environment variable with the key of the signature
	AnswerLinks Duration `json:"answerLinks,omitempty"` // messages about requests have a link that answers once, within this time (default: none)
}

// kindsOfMessages are those that webhooks of the server get.
func kindsOfMessages() []string { return []string{"request", "answered", "end"} }

// Check refuses values that no setting may have.
func (s Server) Check() error {
	for _, w := range s.Webhooks {
		if err := notify.CheckWebhook(w.URL); err != nil {
			return fmt.Errorf("server.webhooks: %w", err)
		}
		if w.AnswerLinks < 0 || w.AnswerLinks > 0 && s.URL == "" {
			return errors.New("server.webhooks: answerLinks: expected a positive time, and server.url for the link")
		}
		for _, kind := range w.On {
			if !slices.Contains(kindsOfMessages(), kind) {
				return fmt.Errorf("server.webhooks: on: no such kind: %q (expected %s)", kind, strings.Join(kindsOfMessages(), ", "))
			}
		}
	}
	if s.URL != "" && !isAddress(s.URL) {
		return fmt.Errorf("server.url: %q: expected an address such as https://rein.example.org/", s.URL)
	}
	if s.SignIn != nil {
		if err := s.SignIn.check(); err != nil {
			return fmt.Errorf("server.signIn: %w", err)
		}
	}
	return s.Limits.check()
}

func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http")
}

func (s SignIn) check() error {
	u, err := url.Parse(s.Issuer)
	if err != nil || !isAddress(s.Issuer) {
		return fmt.Errorf("issuer: %q: expected an address such as https://accounts.example.org", s.Issuer)
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme != "https" && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return errors.New("issuer: expected https, because what the provider says decides who may do what")
	}
	if s.ClientID == "" {
		return errors.New("clientID is missing")
	}
	if len(s.Roles) == 0 {
		return errors.New("roles are missing: nobody could sign in")
	}
	for value, role := range s.Roles {
		if value == "" || !slices.Contains([]string{"viewer", "approver", "operator"}, role) {
			return fmt.Errorf("roles: %q: %q (expected viewer, approver or operator)", value, role)
		}
	}
	for value := range s.Workspaces {
		if s.Roles[value] == "" {
			return fmt.Errorf("workspaces: %q has no role", value)
		}
	}
	return nil
}

func (l ServerLimits) check() error {
	if l.Body < 0 || l.Upload < 0 || l.Streams < 0 || l.Changes < 0 || l.Queue < 0 {
		return errors.New("server.limits: expected positive numbers")
	}
	if l.Upload > 1<<30 || l.Body > 1<<30 {
		return errors.New("server.limits: body and upload: at most 1 GB")
	}
	if l.Idle < 0 {
		return errors.New("server.limits: idle: expected a positive time")
	}
	return nil
}
