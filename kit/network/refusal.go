package network

import (
	"net/netip"
	"strings"
)

// The rules of refusals that go when the user allows the host, or its port.
const (
	NotAllowed = "not-allowed"
	OtherPort  = "port"
)

// Refusal is the error for what the policy does not let through. Its text is fit for a model.
type Refusal struct {
	Rule string     // which rule spoke, stable for logs: NotAllowed, OtherPort, url, host, denied, address, mixed, redirect, size, scheme, method
	Host string     // the host it is about, as far as it is known
	Addr netip.Addr // the address that was found, when it is about one
	Text string     // what happened
	Hint string     // what to do instead; may be empty
}

// Error returns host, text and hint in one line.
func (r *Refusal) Error() string {
	var b strings.Builder
	if r.Host != "" {
		b.WriteString(r.Host)
		b.WriteString(": ")
	}
	b.WriteString(r.Text)
	if r.Hint != "" {
		b.WriteString(" (")
		b.WriteString(r.Hint)
		b.WriteString(")")
	}
	return b.String()
}
