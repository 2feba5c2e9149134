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

// proxiedProgram is a program with a way to the proxy, which ends with it: its network would else live on.
type proxiedProgram struct {
	*child
	way net.Listener
}

// Wait waits for the program's end.
func (l *proxiedProgram) Wait() (Exit, error) {
	defer l.way.Close()
	return l.child.Wait()
}

// lead serves the listener that a program's helper made in its network.
func (w *proxyListener) lead(c *child) (programProcess, error) {
	defer c.handed.Close()
	way, err := net.FileListener(c.handed)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("take the listener of the sandbox: %w", err), c.Kill())
	}
	go func() { // until the program's Wait closes the way
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
	}()
	return &proxiedProgram{c, way}, nil
}
