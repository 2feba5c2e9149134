package sandbox

import (
	"errors"
	"fmt"
	"net"
	"sync"
)

// proxyListener is the listener of the proxy where each program has a network of its own: all their listeners in one.
type proxyListener struct {
	came   chan net.Conn
	ended  chan struct{}
	ending sync.Once
}

func newProxyListener() *proxyListener {
	return &proxyListener{came: make(chan net.Conn), ended: make(chan struct{})}
}

// Accept returns the next connection of any program.
func (w *proxyListener) Accept() (net.Conn, error) {
	select {
	case c := <-w.came:
		return c, nil
	case <-w.ended:
		return nil, net.ErrClosed
	}
}

// Close ends all waiting. Closing again does nothing.
func (w *proxyListener) Close() error {
	w.ending.Do(func() { close(w.ended) })
	return nil
}

// Addr is where programs find the proxy.
func (w *proxyListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3128} }

// proxiedProgram is a program with ways out of its network, which end with it: its network would else live on.
type proxiedProgram struct {
	*child
	ways []net.Listener
}

// Wait waits for the program's end.
func (l *proxiedProgram) Wait() (Exit, error) {
	defer l.close()
	return l.child.Wait()
}

func (l *proxiedProgram) close() {
	for _, way := range l.ways {
		way.Close()
	}
}

// lead serves the listeners that a program's helper made in its network: that of the proxy, if there is one, and those of ports.
func (b *bubblewrap) lead(c *child, ports []uint16) (programProcess, error) {
	l := &proxiedProgram{child: c}
	for i, file := range c.handed {
		way, err := net.FileListener(file)
		file.Close()
		if err != nil {
			l.close()
			closeAll(c.handed[i+1:])
			return nil, errors.Join(fmt.Errorf("take the listener of the sandbox: %w", err), c.Kill())
		}
		l.ways = append(l.ways, way)
	}
	rest := l.ways
	if b.ways != nil {
		go b.ways.pass(rest[0])
		rest = rest[1:]
	}
	for i, way := range rest {
		go forwardPort(way, ports[i])
	}
	return l, nil
}

// pass gives the connections of one program's listener to the proxy, until the listener is closed.
func (w *proxyListener) pass(way net.Listener) {
	for {
		conn, err := way.Accept()
		if err != nil {
			return
		}
		select {
		case w.came <- conn:
		case <-w.ended:
			conn.Close()
		}
	}
}
