package harness

import (
	"fmt"
	"slices"
	"testing"

	"rein/app/settings"
	"rein/guard"
	"rein/guard/effect"
	"rein/kit/network"
	"rein/kit/sandbox"
	"rein/tool"
)

// TestServersThatProgramsFind: a host that is allowed by its own name, at its port or at those of the web.
func TestServersThatProgramsFind(t *testing.T) {
	web := []sandbox.Server{{Name: "example.com", Port: 443}, {Name: "example.com", Port: 80}}
	for host, want := range map[string][]sandbox.Server{
		"example.com": web, "EXAMPLE.com.": web, "db.example.com:5432": {{Name: "db.example.com", Port: 5432}}, "example.com:443": web[:1],
		"*.example.com": nil, "192.0.2.7:5432": nil, "10.0.0.0/8": nil, "localhost:80": nil, "a.localhost:80": nil, "host.rein.internal:80": nil, "preset:npm": nil, "db.example.com:*": nil, "": nil,
	} {
		if got := serversAt(host); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", host, got, want)
		}
	}
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprintf("h%d.example.com", i)
	}
	if got := serversOf(many); len(got) != mostServers {
		t.Errorf("%d servers of 100 hosts", len(got))
	}
	g, err := newAccess(accessOptions{Network: settings.Network{}, Proxied: func() bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	g.Approved("call", []guard.Contact{{Contact: effect.ContactOf("redis.example.com:6379")}, {Contact: effect.Contact{Host: "…"}}}, sandbox.Opened{})
	end := g.Around(tool.Call{ID: "call", Name: "bash"}, tool.Intent{Command: "redis-cli"}, guard.Supervised)
	if got := g.Of("call").Servers; !slices.Equal(got, []sandbox.Server{{Name: "redis.example.com", Port: 6379}}) {
		t.Errorf("the approved call finds %v", got)
	}
	end(nil)
	if got := g.Of("call").Servers; got != nil {
		t.Errorf("afterwards: %v", got)
	}
}

// TestAnEntryNamesAServerOfThisMachine: with its port; what the settings deny stays closed, and other names open no port.
func TestAnEntryNamesAServerOfThisMachine(t *testing.T) {
	for _, x := range []struct {
		hosts, deny []string
		want        []uint16
	}{
		{[]string{"localhost:11434", "example.com", "127.0.0.1:8080", "[::1]:9000"}, nil, []uint16{11434, 8080, 9000}},
		{[]string{"localhost:11434", "127.0.0.1:8080"}, []string{"localhost"}, []uint16{8080}},
		{[]string{"localhost", "example.com:443"}, nil, nil},
	} {
		reach, err := reachFor(settings.Network{Deny: x.deny}, x.hosts, func(network.ProxyRequest) {})
		if err != nil || !slices.Equal(reach.ports, x.want) {
			t.Errorf("%v without %v: %v, %v, want %v", x.hosts, x.deny, reach.ports, err, x.want)
		}
	}
}
