package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"rein/model"
)

// Failure returns the *Error that explains why a request over HTTP failed: err is what reading the stream or its events
// returned. The error of a context is returned unchanged. secret is the key; Failure removes it from the provider's text.
func Failure(ctx context.Context, provider, secret string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e, ok := errors.AsType[*model.Error](err); ok {
		return e
	}
	if status, ok := errors.AsType[*statusError](err); ok {
		return Fault(provider, secret, status.Status, status.Header, status.Body)
	}
	e := &model.Error{Provider: provider, Kind: model.Network, Text: hide(unreached(err), secret), Err: err}
	switch {
	case errors.Is(err, errStalled):
		e.Kind, e.Text = model.Stalled, err.Error()
	case errors.Is(err, errTooLong), errors.Is(err, errTooMuch):
		e.Kind, e.Text = model.Garbage, err.Error()
	}
	return e
}

// Fault reads the body of an error as providers write it, whatever the dialect. Status is zero for an error inside a stream.
func Fault(provider, secret string, status int, header http.Header, body []byte) *model.Error {
	f := readFault(body)
	if status == 0 {
		status = f.status
	}
	e := &model.Error{Provider: provider, Status: status, Text: f.text, RetryAfter: max(retryAfter(header), f.retry)}
	if e.Text == "" {
		e.Text = http.StatusText(status)
		if line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n"); line != "" {
			e.Text = line
		}
	}
	if to := header.Get("Location"); to != "" && status/100 == 3 {
		e.Text += ": the address moved to " + to + ", and keys are not sent on; set the base URL"
	}
	e.Text = hide(e.Text, secret)
	e.Kind = model.KindOf(status, strings.ToLower(f.code), strings.ToLower(e.Text))
	return e
}

// fault is what a provider reported.
type fault struct {
	text   string
	code   string // its types and codes, one after the other
	status int
	retry  time.Duration
}

// faultBody covers the shapes of all providers: the error may be an object or a text, inside or outside of "error".
type faultBody struct {
	Error    json.RawMessage `json:"error"`
	Message  json.RawMessage `json:"message"`
	Detail   json.RawMessage `json:"detail"`
	Type     string          `json:"type"`
	Code     json.RawMessage `json:"code"`
	Status   json.RawMessage `json:"status"`
	Metadata struct {
		Raw      json.RawMessage `json:"raw"` // OpenRouter: what the provider behind it reported
		Provider string          `json:"provider_name"`
	} `json:"metadata"`
	Details []struct {
		RetryDelay string `json:"retryDelay"`
		Reason     string `json:"reason"`
	} `json:"details"`
}

func readFault(body []byte) (f fault) {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var b faultBody
	if json.Unmarshal(body, &b) != nil {
		_ = json.Unmarshal(body, &f.text)
		if inner := f.text; strings.HasPrefix(inner, "{") { // Ollama passes on what its runner answered
			if f := readFault([]byte(inner)); f.text != "" {
				return f
			}
		}
		return f
	}
	if len(b.Error) > 0 && string(b.Error) != "null" {
		inner := readFault(b.Error)
		if inner.text != "" || inner.code != "" {
			return inner
		}
	}
	f.text = word(b.Message) + word(b.Detail)
	if raw := word(b.Metadata.Raw); raw != "" && raw != "null" {
		f.text += ": " + strings.TrimSpace(b.Metadata.Provider+" "+raw)
	}
	f.code = strings.Join([]string{b.Type, word(b.Code), word(b.Status)}, " ")
	if n, err := strconv.Atoi(word(b.Code)); err == nil && n >= 100 && n < 600 {
		f.status = n
	}
	for _, d := range b.Details {
		f.code += " " + d.Reason
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil {
			f.retry = wait
		}
	}
	return f
}

// word returns a JSON string's text, and any other value as it is written.
func word(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		s = string(raw)
	}
	return s
}

// retryAfter reads how long a provider wants the caller to wait.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
		return time.Duration(min(s, 1e6) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// maxText limits the provider's words in an error, in bytes.
const maxText = 1000

var keyLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(sk|gsk|xai|pk|key)-[A-Za-z0-9_*.-]{8,}|\bAIza[A-Za-z0-9_-]{20,}|(?i:bearer) [A-Za-z0-9._-]{8,}`)
})

// hide takes the key, and what looks like one, out of a text, and shortens it.
func hide(text, secret string) string {
	if secret != "" {
		text = strings.ReplaceAll(text, secret, "[key]")
	}
	text = keyLike().ReplaceAllString(text, "[key]")
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + " …"
	}
	return text
}

// unreached returns in plain words why a request got no answer: the texts of Go's own packages name their functions.
func unreached(err error) string {
	host := "the server"
	if u, ok := errors.AsType[*url.Error](err); ok {
		if address, bad := url.Parse(u.URL); bad == nil && address.Host != "" {
			host = address.Host
		}
		err = u.Err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "proxyconnect" {
		host = "the proxy that HTTPS_PROXY or HTTP_PROXY names"
	}
	dns, unknown := errors.AsType[*net.DNSError](err)
	slow, timed := errors.AsType[net.Error](err)
	switch {
	case unknown && dns.IsTimeout:
		return "the name of " + dns.Name + " could not be looked up in time"
	case unknown:
		return "there is no address for the name " + dns.Name
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens at " + host
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "no network route to " + host
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return host + " closed the connection before the answer was whole"
	case errors.Is(err, http.ErrSchemeMismatch):
		return host + " answers without TLS: write http:// in the base URL"
	case timed && slow.Timeout():
		return host + " did not answer in time"
	case untrusted(err):
		return "the certificate of " + host + " cannot be trusted; if your own authority signs it, name its file in SSL_CERT_FILE"
	}
	return err.Error()
}

// untrusted reports whether a certificate was refused.
func untrusted(err error) bool {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, other := errors.AsType[x509.HostnameError](err)
	_, refused := errors.AsType[*tls.CertificateVerificationError](err)
	return unknown || invalid || other || refused
}
