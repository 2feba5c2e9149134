package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"golang.org/x/sys/unix"
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
func (w *proxyListener) Addr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: proxyPort}
}

// proxiedProgram is a program with ways out of its network, which end with it: its network would else live on.
type proxiedProgram struct {
	*child
	ways    []net.Listener
	release func() // gives the names of other machines back
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
	l.release()
}

// lead serves the listeners that a program's helper made in its network: that of the proxy, if there is one, and those of doors.
func (b *bubblewrap) lead(c *child, doors []bwrapDoor, release func()) (programProcess, error) {
	l := &proxiedProgram{child: c, release: release}
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
		go forward(way, func() (net.Conn, error) { return b.ways.reach(doors[i].to) })
	}
	return l, nil
}

// tunnel opens a tunnel to a server of another machine.
func (w *proxyListener) tunnel(ctx context.Context, to Server) (net.Conn, error) {
	ours, theirs, err := connPair()
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { ours.Close() })()
	select {
	case w.came <- theirs:
	case <-w.ended:
		return nil, errors.Join(net.ErrClosed, ours.Close(), theirs.Close())
	}
	_, err = fmt.Fprintf(ours, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", to)
	var answer []byte
	for one := make([]byte, 1); err == nil && !bytes.HasSuffix(answer, []byte("\r\n\r\n")) && len(answer) < longestAnswer; { // what follows is the server's
		if _, err = ours.Read(one); err == nil {
			answer = append(answer, one[0])
		}
	}
	if err == nil && !bytes.HasPrefix(answer, []byte("HTTP/1.1 200 ")) {
		err = fmt.Errorf("the proxy refused %s", to)
	}
	if err != nil {
		ours.Close()
	}
	return ours, err
}

// longestAnswer is how many bytes the header of the proxy's answer may have.
const longestAnswer = 4 << 10

// connPair makes two ends of a connection in this process.
func connPair() (ours, theirs net.Conn, err error) {
	a, b, err := controlPair(unix.SOCK_STREAM)
	if err != nil {
		return nil, nil, err
	}
	defer a.Close()
	defer b.Close()
	if ours, err = net.FileConn(a); err != nil {
		return nil, nil, err
	}
	if theirs, err = net.FileConn(b); err != nil {
		ours.Close()
	}
	return ours, theirs, err
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
