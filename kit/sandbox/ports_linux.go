package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"syscall"

	"rein/kit/sandbox/internal/box"
)

// sessionPorts are the opened ports of a network that the programs of a session share, each for as long as a program runs that has it.
type sessionPorts struct {
	mu   sync.Mutex
	open map[uint16]*sessionPort
}

// sessionPort is one of them.
type sessionPort struct {
	users int
	way   net.Listener
}

// openPorts lets a program reach servers outside at ports of the loopback, until release is called.
func (n *namespaces) openPorts(ctx context.Context, ports []uint16) (release func(), err error) {
	if n.policy.HostNetwork || len(ports) == 0 {
		return func() {}, nil
	}
	n.ports.mu.Lock()
	defer n.ports.mu.Unlock()
	var mine []uint16
	for _, port := range ports {
		if n.ports.open[port] == nil {
			way, err := n.listenAt(ctx, port)
			if errors.Is(err, syscall.EADDRINUSE) {
				continue // a program of the session listens there
			}
			if err != nil {
				n.ports.close(mine)
				return nil, fmt.Errorf("open port %d: %w", port, err)
			}
			n.ports.open[port] = &sessionPort{way: way}
			go forwardPort(way, port)
		}
		n.ports.open[port].users++
		mine = append(mine, port)
	}
	return sync.OnceFunc(func() {
		n.ports.mu.Lock()
		defer n.ports.mu.Unlock()
		n.ports.close(mine)
	}), nil
}

// close takes ports from a program that has ended. The lock is held.
func (p *sessionPorts) close(ports []uint16) {
	for _, port := range ports {
		if o := p.open[port]; o != nil {
			if o.users--; o.users <= 0 {
				o.way.Close()
				delete(p.open, port)
			}
		}
	}
}

// listenAt makes a listener in the session's network.
func (n *namespaces) listenAt(ctx context.Context, port uint16) (net.Listener, error) {
	c := &calls{Program: &box.Program{}}
	c.listener(port)
	r, err := n.supervisor.start(ctx, box.Request{Kind: box.Start}, c.Program, box.Order{Probe: true}, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	defer r.file.Close()
	return net.FileListener(r.file)
}

// mostForwarded is how many connections of one port are forwarded at once; more wait.
const mostForwarded = 128

// forwardPort connects what comes at a listener inside of the sandbox with the same port of the machine's loopback, until the listener is
// closed: then the connections end, too.
func forwardPort(way net.Listener, port uint16) {
	ctx, closed := context.WithCancel(context.Background())
	defer closed()
	places := make(chan struct{}, mostForwarded)
	for {
		places <- struct{}{}
		inside, err := way.Accept()
		if err != nil {
			return
		}
		go func() {
			defer func() { <-places }()
			defer context.AfterFunc(ctx, func() { inside.Close() })()
			defer inside.Close()
			if outside, err := dialLoopback(port); err == nil {
				defer outside.Close()
				join(inside, outside)
			}
		}()
	}
}

// dialLoopback connects to a port of this machine's loopback, and to nothing else.
func dialLoopback(port uint16) (net.Conn, error) {
	conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))))
	if err != nil {
		conn, err = net.Dial("tcp", net.JoinHostPort("::1", strconv.Itoa(int(port))))
	}
	return conn, err
}

// join copies both ways until both have ended.
func join(a, b net.Conn) {
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{a, b}, {b, a}} {
		both.Go(func() {
			if _, err := io.Copy(way[0], way[1]); err != nil {
				a.Close()
				b.Close()
			}
			if half, ok := way[0].(interface{ CloseWrite() error }); ok {
				_ = half.CloseWrite()
			}
		})
	}
	both.Wait()
}
