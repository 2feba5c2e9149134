package network_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"rein/kit/network"
)

// hosts resolves names without a network.
type hosts map[string]string

func (h hosts) LookupNetIP(_ context.Context, _, name string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr(h[name])}, nil
}

// A policy judges the name first, and then each address that the name resolves to: a name that is allowed and points
// to this machine is refused.
func Example() {
	policy, err := network.New(network.Options{
		Rules:    network.Rules{Allow: []string{"*.example.com"}, Deny: []string{"bad.example.com"}},
		Resolver: hosts{"www.example.com": "93.184.215.14", "local.example.com": "127.0.0.1"},
	})
	if err != nil {
		panic(err)
	}
	for _, url := range []string{"https://www.example.com/", "https://local.example.com/", "https://bad.example.com/", "http://169.254.169.254/"} {
		_, target, err := network.ParseURL(url)
		if err != nil {
			panic(err)
		}
		_, err = policy.Resolve(context.Background(), target)
		var refusal *network.Refusal
		if errors.As(err, &refusal) {
			fmt.Println(target, "refused:", refusal.Rule)
		} else {
			fmt.Println(target, "allowed")
		}
	}
	// Output:
	// www.example.com:443 allowed
	// local.example.com:443 refused: address
	// bad.example.com:443 refused: denied
	// 169.254.169.254:80 refused: address
}
