package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
)

// Front is where a server listens and how it is reached, as the flags of a command have it.
type Front struct {
	Address   string   // HOST:PORT
	Hosts     []string // the first one is in the address of the page: see Options.Hosts
	Cert, Key string   // files of TLS; both or none
	Insecure  bool     // see Listen
	BasePath  string   // see Options.BasePath, with or without slashes
	KeyFile   string   // see Options.KeyFile
}

// ErrHalfCertificate means that only one of Front.Cert and Front.Key is there.
var ErrHalfCertificate = errors.New("--tls-cert and --tls-key belong together: give both")

// Certificate reads the certificate; nil: there is no TLS.
func (f *Front) Certificate() (*tls.Certificate, error) {
	if f.Cert == "" && f.Key == "" {
		return nil, nil
	}
	if f.Cert == "" || f.Key == "" {
		return nil, ErrHalfCertificate
	}
	c, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert and --tls-key: %w", err)
	}
	return &c, nil
}

// Listen opens the address; cert is that of Certificate.
func (f *Front) Listen(ctx context.Context, cert *tls.Certificate) (net.Listener, error) {
	return Listen(ctx, f.Address, cert != nil, f.Insecure)
}

// Options sets what a server has to know of it.
func (f *Front) Options(o Options) Options {
	o.Hosts = make([]string, len(f.Hosts))
	for i, h := range f.Hosts {
		o.Hosts[i] = strings.ToLower(h)
	}
	o.KeyFile, o.BasePath = f.KeyFile, f.base()
	return o
}

// base is the path below which a proxy serves the page, as addresses have it: "", or it begins with a slash and ends with none.
func (f *Front) base() string {
	if base := strings.Trim(f.BasePath, "/"); base != "" {
		return "/" + base
	}
	return ""
}

// Ready says where a server is, and how to sign in.
type Ready struct {
	URL     string `json:"url"`
	Link    string `json:"link"` // signs one browser in, once
	KeyFile string `json:"token_file"`
	PID     int    `json:"pid"`
}

// Ready makes a link to a server that listens. view is the part of the page that it opens.
func (f *Front) Ready(s *Server, at net.Addr, secure bool, view string) Ready {
	scheme := "http"
	if secure || s.o.TrustProxy && len(f.Hosts) > 0 { // a proxy has the certificate of the name
		scheme = "https"
	}
	host := at.String()
	if len(f.Hosts) > 0 {
		host = f.Hosts[0]
	} else if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = net.JoinHostPort("localhost", fmt.Sprint(tcp.Port))
	}
	r := Ready{URL: scheme + "://" + host + f.base() + "/", PID: os.Getpid(), KeyFile: cmp.Or(f.KeyFile, KeyFile(s.o.Dir))}
	r.Link = r.URL + view + "#k=" + s.Auth().Code()
	return r
}

// Print prints it for people, or as one line for programs.
func (r Ready) Print(out, err io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(r)
	}
	_, failed := fmt.Fprintf(err, "Open this link; it signs in one browser and works for 10 minutes:\n  %s\nPrograms use the key in %s. Ctrl-C ends the server.\n", r.Link, r.KeyFile)
	return failed
}
