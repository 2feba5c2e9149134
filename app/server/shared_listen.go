package server

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// SharedAddress is where a session can be joined, as a file in its directory has it.
type SharedAddress struct {
	PID    int    `json:"pid"` // of the process that has the session open
	Socket string `json:"socket"`
	Key    string `json:"key"` // a program in a sandbox may reach the socket, and cannot read this file
}

const (
	addressName = "join.json"
	socketName  = "socket"

	// mostSocketPath is how long the path of a unix socket may be, in bytes.
	mostSocketPath = 100
)

// listenShared opens the socket of a session whose directory it gets, and notes the address in it. The caller holds the lock of the session:
// what a killed process left there is removed. Only processes of the same user are answered. errors.ErrUnsupported: this system cannot say
// whose a process is.
func listenShared(dir string) (l net.Listener, a SharedAddress, err error) {
	if !knowsPeers {
		return nil, a, errors.ErrUnsupported
	}
	if old, err := ReadSharedAddress(dir); err == nil {
		old.remove(dir)
	}
	a = SharedAddress{PID: os.Getpid(), Socket: filepath.Join(dir, socketName), Key: rand.Text()}
	if len(a.Socket) > mostSocketPath {
		short, err := os.MkdirTemp("", "rein-")
		if err != nil {
			return nil, a, err
		}
		a.Socket = filepath.Join(short, socketName)
	}
	if l, err = net.ListenUnix("unix", &net.UnixAddr{Name: a.Socket, Net: "unix"}); err != nil {
		return nil, a, err
	}
	text, err := json.Marshal(a)
	if err = cmp.Or(err, os.Chmod(a.Socket, 0o600)); err == nil {
		err = os.WriteFile(filepath.Join(dir, addressName), text, 0o600)
	}
	if err != nil {
		_ = l.Close()
		a.remove(dir)
		return nil, a, err
	}
	return sharedListener{l, dir, a}, a, nil
}

// sharedListener takes connections of the same user.
type sharedListener struct {
	net.Listener
	dir string
	a   SharedAddress
}

// Accept refuses what other users send, and what cannot be told.
func (l sharedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if uid, err := peerUser(c.(*net.UnixConn)); err == nil && uid == os.Geteuid() {
			return c, nil
		}
		_ = c.Close()
	}
}

// Close removes the socket and the note too.
func (l sharedListener) Close() error {
	l.a.remove(l.dir)
	return l.Listener.Close()
}

// remove removes the socket and the note in the directory of a session. Both may be gone.
func (a SharedAddress) remove(dir string) {
	_ = os.Remove(filepath.Join(dir, addressName))
	_ = os.Remove(a.Socket)
	if short := filepath.Dir(a.Socket); short != filepath.Clean(dir) && strings.HasPrefix(filepath.Base(short), "rein-") {
		_ = os.Remove(short)
	}
}

// ReadSharedAddress returns where the session of a directory can be joined. The process may have ended.
func ReadSharedAddress(dir string) (a SharedAddress, err error) {
	text, err := os.ReadFile(filepath.Join(dir, addressName))
	if err == nil {
		err = json.Unmarshal(text, &a)
	}
	if err == nil && filepath.Base(a.Socket) != socketName {
		err = fmt.Errorf("%s names no socket of a session", addressName)
	}
	return a, err
}

// URL is that of the session, for those who dial Socket.
func (a SharedAddress) URL() string { return "http://" + sharedHost }
