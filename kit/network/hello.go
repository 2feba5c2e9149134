package network

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"time"
)

// tlsHandshake is the first byte of a TLS connection.
const tlsHandshake = 22

// unrecognizedName is the fatal TLS alert for a server name that is not served.
var unrecognizedName = []byte{21, 3, 3, 0, 2, 2, 112}

var errRead = errors.New("greeting read")

// readHello reads a TLS client's greeting with the standard library's own parser. It returns the bytes that it
// read and the server name in them.
func readHello(r io.Reader) (hello []byte, name string, err error) {
	var seen bytes.Buffer
	found := false
	server := tls.Server(listening{r: io.TeeReader(r, &seen)}, &tls.Config{
		GetConfigForClient: func(info *tls.ClientHelloInfo) (*tls.Config, error) {
			name, found = info.ServerName, true
			return nil, errRead
		},
	})
	err = server.Handshake()
	if !found {
		return nil, "", err
	}
	return seen.Bytes(), name, nil
}

// listening is a connection that only listens.
type listening struct{ r io.Reader }

func (l listening) Read(p []byte) (int, error)       { return l.r.Read(p) }
func (l listening) Write(p []byte) (int, error)      { return len(p), nil }
func (l listening) Close() error                     { return nil }
func (l listening) LocalAddr() net.Addr              { return nil }
func (l listening) RemoteAddr() net.Addr             { return nil }
func (l listening) SetDeadline(time.Time) error      { return nil }
func (l listening) SetReadDeadline(time.Time) error  { return nil }
func (l listening) SetWriteDeadline(time.Time) error { return nil }
