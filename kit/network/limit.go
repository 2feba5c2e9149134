package network

import (
	"net"
	"sync"
)

// limit bounds the connections of a listener; who comes too many waits in the kernel's queue.
func limit(l net.Listener, n int) net.Listener {
	return &limited{Listener: l, places: make(chan struct{}, n), closed: make(chan struct{})}
}

type limited struct {
	net.Listener
	places chan struct{} // as many as connections may be open
	closed chan struct{}
	once   sync.Once
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &place{Conn: conn, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// place is a connection that gives its place back when it is closed.
type place struct {
	net.Conn
	leave func()
}

func (p *place) Close() error {
	defer p.leave()
	return p.Conn.Close()
}

// CloseWrite ends the direction to the client, so that the other may continue.
func (p *place) CloseWrite() error { return closeWrite(p.Conn) }

// closeWrite ends the sending direction of a connection, or all of it where it has no such thing.
func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}
