package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"
)

const (
	dialTimeout = 10 * time.Second
	nextAddress = 250 * time.Millisecond // RFC 8305: how long an address has before the next one is tried beside it
	maxAddrs    = 8                      // addresses of one name that are tried
)

// Resolve looks a target up and judges every address that the answer holds. One address that may not be reached
// makes the whole answer refused: DNS rebinding begins with a name that has a public and a private address.
func (p *Policy) Resolve(ctx context.Context, t Target) ([]netip.Addr, error) {
	if err := p.Check(t); err != nil {
		return nil, err
	}
	if t.Addr.IsValid() {
		return []netip.Addr{t.Addr}, nil
	}
	found, err := p.resolver.LookupNetIP(ctx, "ip", t.Host)
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", t.Host, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("look up %s: no address", t.Host)
	}
	addrs := make([]netip.Addr, len(found))
	public := 0
	for i, a := range found {
		addrs[i] = a.Unmap()
		if p.classify(a) == Public {
			public++
		}
	}
	for _, a := range addrs {
		if err := p.CheckAddr(t, a); err != nil {
			var r *Refusal
			if public > 0 && errors.As(err, &r) && r.Rule == "address" {
				r.Rule, r.Text = "mixed", "its addresses are partly public and partly not: "+a.String()+" is a "+p.classify(a).String()+" address"
			}
			return nil, err
		}
	}
	return addrs[:min(len(addrs), maxAddrs)], nil
}

// Dial connects to a target over TCP at one of its judged addresses, which is judged again by the socket's own
// address. It tries the addresses one after the other, each with a short head start.
func (p *Policy) Dial(ctx context.Context, t Target) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	addrs, err := p.Resolve(ctx, t)
	if err != nil {
		return nil, err
	}
	return p.race(ctx, t, alternate(addrs))
}

// DialContext is Dial in the form of http.Transport. Only TCP is dialled.
func (p *Policy) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if network != "tcp" && network != "tcp4" && network != "tcp6" {
		return nil, &Refusal{Rule: "host", Host: addr, Text: "only TCP is dialled, not " + network}
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	t, err := ParseTarget(host, port)
	if err != nil {
		return nil, err
	}
	return p.Dial(ctx, t)
}

// race dials the addresses with a staggered start; it keeps the first connection and closes later ones.
func (p *Policy) race(ctx context.Context, t Target, addrs []netip.Addr) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	r := &race{results: make(chan outcome, len(addrs)), dial: func(a netip.Addr) (net.Conn, error) { return p.dialAddr(ctx, t, a) }, left: addrs}
	defer r.finish(cancel)
	r.start()
	timer := time.NewTimer(nextAddress)
	defer timer.Stop()
	for {
		select {
		case first := <-r.results:
			r.pending--
			if first.err == nil {
				return first.conn, nil
			}
			if !r.start() && r.pending == 0 {
				return nil, first.err
			}
		case <-timer.C:
			if r.start() {
				timer.Reset(nextAddress)
			}
		}
	}
}

// race is several dials of which one is wanted.
type race struct {
	results chan outcome // room for all: nobody waits for a reader who has left
	dial    func(netip.Addr) (net.Conn, error)
	left    []netip.Addr // not started yet
	pending int
}

type outcome struct {
	conn net.Conn
	err  error
}

// start dials the next address; false means that there is none.
func (r *race) start() bool {
	if len(r.left) == 0 {
		return false
	}
	a := r.left[0]
	r.left = r.left[1:]
	r.pending++
	go func() {
		conn, err := r.dial(a)
		r.results <- outcome{conn, err}
	}()
	return true
}

// finish ends the dials that still run and closes what comes of them.
func (r *race) finish(cancel func()) {
	cancel()
	for range r.pending {
		if late := <-r.results; late.conn != nil {
			late.conn.Close()
		}
	}
}

func (p *Policy) dialAddr(ctx context.Context, t Target, a netip.Addr) (net.Conn, error) {
	addr := netip.AddrPortFrom(a, t.Port).String()
	if p.dial != nil {
		return p.dial(ctx, "tcp", addr)
	}
	d := net.Dialer{Control: func(_, actual string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(actual)
		if err != nil {
			return &Refusal{Rule: "address", Host: t.Host, Text: "cannot read the address of the socket"}
		}
		return p.CheckAddr(t, ap.Addr())
	}}
	return d.DialContext(ctx, "tcp", addr)
}

// alternate orders addresses by turns of both families, beginning with the first one's.
func alternate(addrs []netip.Addr) []netip.Addr {
	var first, second []netip.Addr
	for _, a := range addrs {
		if a.Is4() == addrs[0].Is4() {
			first = append(first, a)
		} else {
			second = append(second, a)
		}
	}
	mixed := make([]netip.Addr, 0, len(addrs))
	for i := range max(len(first), len(second)) {
		if i < len(first) {
			mixed = append(mixed, first[i])
		}
		if i < len(second) {
			mixed = append(mixed, second[i])
		}
	}
	return mixed
}
