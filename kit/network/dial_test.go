package network

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// answers is a resolver that gives each name's answers in turn and repeats the last one.
type answers struct {
	mu    sync.Mutex
	names map[string][][]string
}

func (a *answers) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	turns := a.names[host]
	if len(turns) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(turns) > 1 {
		a.names[host] = turns[1:]
	}
	var found []netip.Addr
	for _, s := range turns[0] {
		found = append(found, netip.MustParseAddr(s))
	}
	return found, nil
}

// dialled is a dial function that connects to nothing and remembers where it was sent.
type dialled struct {
	mu    sync.Mutex
	addrs []string
	fail  map[string]error         // addresses that answer with an error
	slow  map[string]time.Duration // addresses that take their time
}

func (d *dialled) dial(ctx context.Context, _, addr string) (net.Conn, error) {
	d.mu.Lock()
	d.addrs = append(d.addrs, addr)
	d.mu.Unlock()
	select {
	case <-time.After(d.slow[addr]):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := d.fail[addr]; err != nil {
		return nil, err
	}
	ours, theirs := net.Pipe()
	theirs.Close()
	return ours, nil
}

func fakePolicy(t testing.TB, r Rules, names map[string][][]string, d *dialled) *Policy {
	t.Helper()
	p, err := New(Options{Rules: r, Resolver: &answers{names: names}, Own: func() []netip.Addr {
		return []netip.Addr{netip.MustParseAddr("198.41.0.4")}
	}})
	if err != nil {
		t.Fatal(err)
	}
	p.dial = d.dial
	return p
}

// ssrf-04, 05, 07, 08: what a name resolves to is judged, and only judged addresses are dialled.
func TestDialJudgesAddresses(t *testing.T) {
	every := Rules{Allow: []string{"*"}}
	for _, row := range []struct {
		rule   string
		rules  Rules
		answer []string
		want   string
	}{
		{"public", every, []string{"93.184.215.14"}, ""},
		{"loopback", every, []string{"127.0.0.1"}, "address"},
		{"private", every, []string{"192.168.0.1"}, "address"},
		{"carrier NAT", every, []string{"100.64.1.1"}, "address"},
		{"this host's own public address", every, []string{"198.41.0.4"}, "address"},
		{"own address, mapped", every, []string{"::ffff:198.41.0.4"}, "address"},
		{"metadata", every, []string{"169.254.169.254"}, "address"},
		{"metadata over v6", every, []string{"fd00:ec2::254"}, "address"},
		{"public and private mixed", every, []string{"93.184.215.14", "127.0.0.1"}, "mixed"},
		{"private v6 before public v4", every, []string{"fd00::1", "93.184.215.14"}, "mixed"},
		{"public v4 before mapped loopback", every, []string{"93.184.215.14", "::ffff:127.0.0.1"}, "mixed"},
		{"NAT64 of loopback", every, []string{"64:ff9b::7f00:1"}, "address"},
		{"private, opened for the name", Rules{Private: []string{"a.test"}}, []string{"192.168.0.1"}, ""},
		{"own address, opened for the name", Rules{Private: []string{"a.test"}}, []string{"198.41.0.4"}, ""},
		{"metadata, though opened for the name", Rules{Private: []string{"a.test"}}, []string{"169.254.169.254"}, "address"},
		{"Azure's wire server, though opened", Rules{Private: []string{"a.test"}}, []string{"168.63.129.16"}, "address"},
		{"metadata in NAT64, though opened", Rules{Private: []string{"a.test"}}, []string{"64:ff9b::a9fe:a9fe"}, "address"},
		{"a range opened, not the name", Rules{Allow: []string{"a.test"}, Private: []string{"10.0.0.0/8"}}, []string{"10.0.0.1"}, "address"},
		{"address denied", Rules{Allow: []string{"*"}, Deny: []string{"93.184.0.0/16"}}, []string{"93.184.215.14"}, "denied"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			d := &dialled{}
			p := fakePolicy(t, row.rules, map[string][][]string{"a.test": {row.answer}}, d)
			conn, err := p.DialContext(t.Context(), "tcp", "a.test:443")
			if got := ruleOf(err); got != row.want {
				t.Fatalf("rule %q (%v), want %q", got, err, row.want)
			}
			if row.want != "" && len(d.addrs) != 0 {
				t.Errorf("dialled %v", d.addrs)
			}
			if conn != nil {
				conn.Close()
			}
		})
	}
}

// ssrf-07: the address that was judged is the one that is dialled, and each dial looks up and judges again.
func TestRebinding(t *testing.T) {
	d := &dialled{}
	p := fakePolicy(t, Rules{Allow: []string{"*"}}, map[string][][]string{"a.test": {{"93.184.215.14"}, {"127.0.0.1"}}}, d)
	if _, err := p.DialContext(t.Context(), "tcp", "a.test:80"); err != nil {
		t.Fatal(err)
	}
	_, err := p.DialContext(t.Context(), "tcp", "a.test:80")
	if ruleOf(err) != "address" {
		t.Errorf("second answer: %v", err)
	}
	if len(d.addrs) != 1 || d.addrs[0] != "93.184.215.14:80" {
		t.Errorf("dialled %v", d.addrs)
	}
}

// The socket's own address is judged too: a dial that was let through by mistake ends before it connects.
func TestSocketIsJudged(t *testing.T) {
	hits, addr := countingServer(t)
	p := mustPolicy(t, Rules{Allow: []string{"*"}})
	ap := netip.MustParseAddrPort(addr)
	_, err := p.dialAddr(t.Context(), Target{Host: "a.test", Port: 80}, ap.Addr())
	if ruleOf(err) != "address" || hits() != 0 {
		t.Errorf("err %v, %d hits", err, hits())
	}
}

func TestOnlyTCP(t *testing.T) {
	p := mustPolicy(t, Rules{Allow: []string{"*"}, Private: []string{"*:*"}})
	for _, network := range []string{"udp", "unix", "ip4:icmp"} {
		if _, err := p.DialContext(t.Context(), network, "127.0.0.1:80"); refusalOf(err) == nil {
			t.Errorf("%s: %v", network, err)
		}
	}
}

func TestSecondAddressStartsAfterAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dialled{slow: map[string]time.Duration{"[2606:2800::1]:443": time.Hour}}
		p := fakePolicy(t, Rules{Allow: []string{"*"}}, map[string][][]string{"a.test": {{"2606:2800::1", "2606:2800::2", "93.184.215.14"}}}, d)
		begun := time.Now()
		conn, err := p.DialContext(t.Context(), "tcp", "a.test:443")
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
		if took := time.Since(begun); took != nextAddress {
			t.Errorf("took %v", took)
		}
		if len(d.addrs) != 2 || d.addrs[1] != "93.184.215.14:443" {
			t.Errorf("dialled %v, want the other family second", d.addrs)
		}
	})
}

func TestFailedAddressesGiveTheLastError(t *testing.T) {
	refused := errors.New("connection refused")
	d := &dialled{fail: map[string]error{"93.184.215.14:443": refused, "93.184.215.15:443": refused}}
	p := fakePolicy(t, Rules{Allow: []string{"*"}}, map[string][][]string{"a.test": {{"93.184.215.14", "93.184.215.15"}}}, d)
	if _, err := p.DialContext(t.Context(), "tcp", "a.test:443"); !errors.Is(err, refused) || len(d.addrs) != 2 {
		t.Errorf("err %v, dialled %v", err, d.addrs)
	}
}

func TestDialEndsWithItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dialled{slow: map[string]time.Duration{"93.184.215.14:443": time.Hour}}
		p := fakePolicy(t, Rules{Allow: []string{"*"}}, map[string][][]string{"a.test": {{"93.184.215.14"}}}, d)
		begun := time.Now()
		if _, err := p.DialContext(t.Context(), "tcp", "a.test:443"); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != dialTimeout {
			t.Errorf("err %v after %v", err, time.Since(begun))
		}
	})
}
