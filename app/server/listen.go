package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// errUnprotected means that the address can be reached from other machines and nothing protects the connection.
var errUnprotected = errors.New("other machines can reach this address, and without TLS they can read the keys on the way: give --tls-cert and --tls-key, listen on 127.0.0.1, or accept it with --insecure")

// Listen opens the address. An address that other machines can reach is refused with errUnprotected unless the connection is
// protected, or insecure accepts that it is not.
func Listen(ctx context.Context, address string, protected, insecure bool) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("the address %q: expected HOST:PORT", address)
	}
	ip := net.ParseIP(host)
	if loopback := host == "localhost" || ip != nil && ip.IsLoopback(); !loopback && !protected && !insecure {
		return nil, errUnprotected
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if reason, ok := errors.AsType[syscall.Errno](err); ok {
		err = fmt.Errorf("cannot listen on %s: %w: name another address with --listen", address, reason)
	}
	return l, err
}
