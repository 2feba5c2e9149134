package notify

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"time"
)

// Mail sends notes by SMTP. Port 465 is encrypted from the start; any other port must offer STARTTLS, unless the server is this
// machine.
type Mail struct {
	Server   string // host:port; "": no mail
	From, To string
	User     string // "": the server wants no password
	Password string
	TLS      *tls.Config // nil: the system's certificates
}

// Check refuses what no mail can be sent with.
func (m Mail) Check() error {
	if m.Server == "" {
		return nil
	}
	if _, _, err := net.SplitHostPort(m.Server); err != nil {
		return fmt.Errorf("the mail server %q: expected host:port", m.Server)
	}
	for _, address := range []string{m.From, m.To} {
		if _, err := mail.ParseAddress(address); err != nil {
			return fmt.Errorf("the mail address %q: %w", address, err)
		}
	}
	return nil
}

func (m Mail) send(ctx context.Context, n Note) (err error) {
	if m.Server == "" {
		return nil
	}
	if err := m.Check(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("mail by %s: %w", m.Server, err)
		}
	}()
	host, port, _ := net.SplitHostPort(m.Server)
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", m.Server)
	if err != nil {
		return err
	}
	defer conn.Close()
	if at, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(at) // a connection of TCP takes it
	}
	secure := &tls.Config{}
	if m.TLS != nil {
		secure = m.TLS.Clone()
	}
	secure.ServerName = cmp.Or(secure.ServerName, host)
	if port == "465" {
		conn = tls.Client(conn, secure)
	}
	client, err := smtp.NewClient(conn, host)
	if err != nil {
		return err
	}
	if offered, _ := client.Extension("STARTTLS"); offered && port != "465" {
		err = client.StartTLS(secure)
	} else if port != "465" && !local(host) {
		err = errors.New("it offers no encryption")
	}
	if err == nil && m.User != "" {
		err = client.Auth(smtp.PlainAuth("", m.User, m.Password, host))
	}
	if err == nil {
		err = m.deliver(client, n)
	}
	return err
}

func (m Mail) deliver(client *smtp.Client, n Note) error {
	from, _ := mail.ParseAddress(m.From) // checked
	to, _ := mail.ParseAddress(m.To)
	if err := errors.Join(client.Mail(from.Address), client.Rcpt(to.Address)); err != nil {
		return err
	}
	w, err := client.Data()
	if err != nil {
		return err
	}
	_, err = w.Write(mailText(from, to, n))
	return errors.Join(err, w.Close(), client.Quit())
}

// mailText is a note as a mail: nothing in it becomes a header.
func mailText(from, to *mail.Address, n Note) []byte {
	var b bytes.Buffer
	for _, header := range [][2]string{
		{"From", from.String()}, {"To", to.String()}, {"Subject", mime.QEncoding.Encode("utf-8", n.Title)},
		{"Date", n.Time.Format(time.RFC1123Z)}, {"Message-ID", "<" + rand.Text() + "@rein>"}, {"Auto-Submitted", "auto-generated"},
		{"MIME-Version", "1.0"}, {"Content-Type", "text/plain; charset=utf-8"}, {"Content-Transfer-Encoding", "quoted-printable"},
	} {
		fmt.Fprintf(&b, "%s: %s\r\n", header[0], header[1])
	}
	b.WriteString("\r\n")
	body := quotedprintable.NewWriter(&b)
	fmt.Fprintf(body, "%s\n", n.Text)
	if n.Dir != "" {
		fmt.Fprintf(body, "\n%s\n", n.Dir)
	}
	if n.Session != "" {
		fmt.Fprintf(body, "session %s\n", n.Session)
	}
	body.Close() // writes to memory
	return b.Bytes()
}

func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
