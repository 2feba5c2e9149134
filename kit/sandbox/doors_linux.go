package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"syscall"

	"rein/kit/sandbox/internal/box"
)

// sessionDoors are the servers outside that programs of a session find in the network that they share, each for as long as a program runs that
// has it. The server without a name is the machine's own, at a port of its loopback.
type sessionDoors struct {
	names *hostNames
	proxy *proxyListener // for servers of other machines; nil: they are not reached

	mu   sync.Mutex
	open map[Server]*sessionDoor
}

// sessionDoor is one of them.
type sessionDoor struct {
	users int
	way   net.Listener
}

// servers are all servers that are opened: those of the machine, which have no name, and those of others that the proxy reaches.
func (o Opened) servers(proxied bool) (all []Server) {
	for _, port := range o.Ports {
		all = append(all, Server{Port: port})
	}
	if proxied {
		all = append(all, o.Servers...)
	}
	return all
}

// openDoors lets a program reach servers outside, until release is called.
func (n *namespaces) openDoors(ctx context.Context, o Opened) (release func(), err error) {
	d := n.doors
	servers := o.servers(d.proxy != nil)
	if n.policy.HostNetwork || len(servers) == 0 {
		return func() {}, nil
	}
	servers = d.proxy.answering(ctx, servers, n.policy.Servers)
	d.mu.Lock()
	defer d.mu.Unlock()
	var mine []Server
	for _, s := range servers {
		if d.open[s] == nil {
			way, err := n.listenFor(ctx, s)
			if errors.Is(err, syscall.EADDRINUSE) {
				if s.Name == "" || slices.Contains(n.policy.Servers, s) {
					continue // a program of the session listens there
				}
				err = errors.New("a program of this session listens at this port of all addresses, and would be found instead; end it first")
			}
			if err != nil {
				d.close(mine)
				return nil, fmt.Errorf("open a way to %s: %w", s, err)
			}
			d.open[s] = &sessionDoor{way: way}
			go forward(way, func() (net.Conn, error) { return d.proxy.reach(s) })
		}
		if slices.Contains(n.policy.Servers, s) {
			continue // it stays open for the programs to come
		}
		d.open[s].users++
		mine = append(mine, s)
	}
	return sync.OnceFunc(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.close(mine)
	}), nil
}

// close takes doors from a program that has ended. The lock is held.
func (d *sessionDoors) close(servers []Server) {
	for _, s := range servers {
		if o := d.open[s]; o != nil {
			if o.users--; o.users <= 0 {
				o.way.Close()
				d.names.GiveBack(s.Name)
				delete(d.open, s)
			}
		}
	}
}

// end closes those that are still open, and the file of names.
func (d *sessionDoors) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range d.open {
		o.way.Close()
	}
	d.names.Close()
}

// listenFor makes the listener for a server in the session's network.
func (n *namespaces) listenFor(ctx context.Context, s Server) (net.Listener, error) {
	address, err := n.doors.names.Take(s.Name)
	if err != nil {
		return nil, err
	}
	c := &calls{Program: &box.Program{}}
	c.listener(netip.AddrPortFrom(address, s.Port))
	r, err := n.supervisor.start(ctx, box.Request{Kind: box.Start}, c.Program, box.Order{Probe: true}, nil, nil, nil)
	if err != nil {
		n.doors.names.GiveBack(s.Name)
		return nil, err
	}
	defer r.file.Close()
	return net.FileListener(r.file)
}

// mostForwarded is how many connections of one port are forwarded at once; more wait.
const mostForwarded = 128

// forward connects what comes at a listener inside of the sandbox with a server outside, until the listener is closed: then the connections
// end, too.
func forward(way net.Listener, reach func() (net.Conn, error)) {
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
			if outside, err := reach(); err == nil {
				defer outside.Close()
				join(inside, outside)
			}
		}()
	}
}

// reach connects to a server: to a port of this machine's loopback itself, and to nothing else; to another machine through the proxy, which judges
// the server and says what it refuses.
func (w *proxyListener) reach(s Server) (net.Conn, error) {
	if s.Name != "" {
		return w.tunnel(context.Background(), s)
	}
	port := strconv.Itoa(int(s.Port))
	conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		conn, err = net.Dial("tcp", net.JoinHostPort("::1", port))
	}
	return conn, err
}

// answering are those of servers to which a connection can be made: to a program every door is a server that answers. The machine's own are
// among them, which were found listening, those that all programs find, and those of the web, whose clients see that there is no answer.
func (w *proxyListener) answering(ctx context.Context, servers, all []Server) (left []Server) {
	answers := make([]bool, len(servers))
	var tries sync.WaitGroup
	for i, s := range servers {
		if answers[i] = s.Name == "" || s.Port == 80 || s.Port == 443 || slices.Contains(all, s); answers[i] {
			continue
		}
		tries.Go(func() {
			conn, err := w.tunnel(ctx, s)
			if answers[i] = err == nil; answers[i] {
				conn.Close()
			}
		})
	}
	tries.Wait()
	for i, s := range servers {
		if answers[i] {
			left = append(left, s)
		}
	}
	return left
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
