package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// connection is how the Temporal server is reached. Its environment variables are those of Temporal's own programs.
type connection struct {
	tls       bool
	ca        string // file with the certificates of the authorities that are trusted; "": those of the system
	cert, key string // files of the client's certificate
	name      string // that the server's certificate has; "": that of the address
	keyFile   string // file with the API key; "": APIKeyEnv
}

// APIKeyEnv is the environment variable with the API key. There is no flag for it: everybody on the machine would see its value.
const APIKeyEnv = "TEMPORAL_API_KEY"

func (c *connection) flags(p *program) {
	f := p.flags
	f.BoolVar(&c.tls, "server-tls", p.getenv("TEMPORAL_TLS") == "true", "reach the Temporal server by TLS; so it is where another flag of this kind or an API key is given")
	f.StringVar(&c.ca, "server-ca", p.getenv("TEMPORAL_TLS_SERVER_CA_CERT_PATH"), "`file` with the certificate of the authority of the Temporal server, PEM; \"\": those of this machine")
	f.StringVar(&c.name, "server-name", p.getenv("TEMPORAL_TLS_SERVER_NAME"), "the `name` that the certificate of the Temporal server has, where it is not that of --address")
	f.StringVar(&c.cert, "client-cert", p.getenv("TEMPORAL_TLS_CLIENT_CERT_PATH"), "`file` with the certificate by which the Temporal server knows this program, PEM")
	f.StringVar(&c.key, "client-key", p.getenv("TEMPORAL_TLS_CLIENT_KEY_PATH"), "`file` with the key of --client-cert, PEM")
	f.StringVar(&c.keyFile, "api-key-file", "", "`file` with the API key for the Temporal server; \"\": the one in "+APIKeyEnv)
}

// secured is the configuration of TLS; nil: there is none. Files of certificates and keys are read again for each connection, so that they may be
// renewed.
func (c *connection) secured(apiKey bool) (*tls.Config, error) {
	if c.cert == "" != (c.key == "") {
		return nil, usageError("--client-cert and --client-key belong together")
	}
	if !c.tls && !apiKey && c.ca == "" && c.name == "" && c.cert == "" {
		return nil, nil
	}
	o := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: c.name}
	if c.ca != "" {
		text, err := os.ReadFile(c.ca)
		if err != nil {
			return nil, fmt.Errorf("--server-ca: %w", err)
		}
		if o.RootCAs = x509.NewCertPool(); !o.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("--server-ca: %s has no certificate in PEM", c.ca)
		}
	}
	if c.cert != "" {
		if _, err := tls.LoadX509KeyPair(c.cert, c.key); err != nil {
			return nil, fmt.Errorf("--client-cert: %w", err)
		}
		o.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(c.cert, c.key)
			return &pair, err
		}
	}
	return o, nil
}

// apiKey gives the API key for each request, as a file may get another one; nil: there is none.
func (c *connection) apiKey(getenv func(string) string) (func(context.Context) (string, error), error) {
	if c.keyFile == "" {
		key := strings.TrimSpace(getenv(APIKeyEnv))
		if key == "" {
			return nil, nil
		}
		return func(context.Context) (string, error) { return key, nil }, nil
	}
	read := func(context.Context) (string, error) {
		text, err := os.ReadFile(c.keyFile)
		key := strings.TrimSpace(string(text))
		if err == nil && key == "" {
			err = errors.New("the file " + c.keyFile + " is empty")
		}
		if err != nil {
			return "", fmt.Errorf("--api-key-file: %w", err)
		}
		return key, nil
	}
	_, err := read(context.Background())
	return read, err
}

// dial connects to the server, and checks that it has the namespace.
func (p *program) dial(ctx context.Context) (client.Client, error) {
	keys, err := p.keys()
	if err != nil {
		return nil, err
	}
	key, err := p.connection.apiKey(p.getenv)
	if err != nil {
		return nil, err
	}
	secured, err := p.connection.secured(key != nil)
	if err != nil {
		return nil, err
	}
	o := keys.Options(client.Options{HostPort: p.address, Namespace: p.namespace, Logger: quiet(p.err), MetricsHandler: p.metrics, ConnectionOptions: client.ConnectionOptions{TLS: secured}})
	if key != nil {
		o.Credentials = client.NewAPIKeyDynamicCredentials(key)
	}
	dialing, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	c, err := client.DialContext(dialing, o)
	if err != nil {
		return nil, p.unreached(ctx, secured, key != nil, err)
	}
	_, err = c.WorkflowService().DescribeNamespace(dialing, &workflowservice.DescribeNamespaceRequest{Namespace: p.namespace})
	if missing := (*serviceerror.NamespaceNotFound)(nil); errors.As(err, &missing) {
		err = fmt.Errorf("the Temporal server at %s has no namespace %q: %s--namespace names another one", p.address, p.namespace, p.namespaces(dialing, c))
	}
	if err != nil {
		c.Close()
		return nil, p.refused(key != nil, err)
	}
	return c, nil
}

// refused explains the error of a server that wants another API key.
func (p *program) refused(key bool, err error) error {
	text := err.Error()
	denied := errors.As(err, new(*serviceerror.PermissionDenied)) || strings.Contains(text, "Unauthenticated") || strings.Contains(text, "unauthorized")
	switch {
	case !denied:
		return err
	case key:
		return fmt.Errorf("the Temporal server at %s refuses the API key of %s or --api-key-file for the namespace %q (%s)", p.address, APIKeyEnv, p.namespace, short(err))
	}
	return fmt.Errorf("the Temporal server at %s wants to know who asks: an API key in %s or --api-key-file, or --client-cert and --client-key (%s)", p.address, APIKeyEnv, short(err))
}

// unreached explains why there is no connection: it looks at that of TLS by itself, as the error of the client often only says that time is over.
func (p *program) unreached(ctx context.Context, secured *tls.Config, key bool, err error) error {
	none := fmt.Errorf("no Temporal server answers at %s: rein-temporal dev starts one for this machine, --address names another one (%v)", p.address, short(err))
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if secured == nil {
		if p.handshake(ctx, &tls.Config{InsecureSkipVerify: true}) != nil { // nothing is sent: it only looks whether the server speaks TLS
			return p.refused(key, none)
		}
		return fmt.Errorf("the Temporal server at %s speaks TLS: --server-tls, or --server-ca where its authority is your own", p.address)
	}
	fault := p.handshake(ctx, secured)
	unknown, other, plain, closed := (x509.UnknownAuthorityError{}), (x509.HostnameError{}), (tls.RecordHeaderError{}), (*net.OpError)(nil)
	alert := errors.As(fault, &closed) && closed.Op == "remote error" // crypto/tls has no name for what the other side says
	switch {
	case errors.As(fault, &unknown):
		return fmt.Errorf("the certificate of the Temporal server at %s is of an authority that is not trusted here: --server-ca FILE names its certificate (%s)", p.address, short(fault))
	case errors.As(fault, &other):
		return fmt.Errorf("the certificate of the Temporal server at %s has another name: --server-name NAME, where it is the right one (%s)", p.address, short(fault))
	case errors.As(fault, &plain):
		return fmt.Errorf("the server at %s speaks no TLS: leave out --server-tls, --server-ca, --server-name and --client-cert, and the API key (%s)", p.address, short(fault))
	case alert && p.connection.cert == "":
		return fmt.Errorf("the Temporal server at %s wants a certificate of the client: --client-cert FILE and --client-key FILE (%s)", p.address, short(fault))
	case alert:
		return fmt.Errorf("the Temporal server at %s does not accept the certificate %s (%s)", p.address, p.connection.cert, short(fault))
	case fault != nil:
		return fmt.Errorf("no connection by TLS to the Temporal server at %s: %s", p.address, short(fault))
	}
	return p.refused(key, none)
}

// handshake connects by TLS. A server that wants a certificate says so with what it sends first.
func (p *program) handshake(ctx context.Context, o *tls.Config) error {
	o = o.Clone()
	o.NextProtos = []string{"h2"}
	c, err := (&tls.Dialer{Config: o}).DialContext(ctx, "tcp", p.address)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetReadDeadline(time.Now().Add(time.Second))
	_, err = c.Read(make([]byte, 1))
	if late := net.Error(nil); errors.As(err, &late) && late.Timeout() || err == nil {
		return nil
	}
	return err
}
