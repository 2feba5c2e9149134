package harness

import (
	"slices"
	"testing"

	"rein/app/settings"
	"rein/kit/network"
)

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
