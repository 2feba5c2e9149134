// Package listen opens the address of the server, unless others could read there what it sends.
package listen

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// ErrUnprotected means that the address can be reached from other machines and nothing protects the connection.
var ErrUnprotected = errors.New("other machines can reach this address, and without TLS they can read the keys on the way: give --tls-cert and --tls-key, listen on 127.0.0.1, or accept it with --insecure")

// Open opens the address. An address that other machines can reach is refused with ErrUnprotected unless the connection is
// protected, or insecure accepts that it is not.
func Open(ctx context.Context, address string, protected, insecure bool) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("the address %q: expected HOST:PORT", address)
	}
	ip := net.ParseIP(host)
	if loopback := host == "localhost" || ip != nil && ip.IsLoopback(); !loopback && !protected && !insecure {
		return nil, ErrUnprotected
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if reason, ok := errors.AsType[syscall.Errno](err); ok {
		err = fmt.Errorf("cannot listen on %s: %w: name another address with --listen", address, reason)
	}
	return l, err
}
