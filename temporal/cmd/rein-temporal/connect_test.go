package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// authority makes certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // with its certificate
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t}
	a.file, _ = a.made("authority", nil)
	return a
}

// made makes the certificate of a name, and its key, in files.
func (a *authority) made(name string, usage []x509.ExtKeyUsage) (cert, key string) {
	a.t.Helper()
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: usage, DNSNames: []string{name}, BasicConstraintsValid: true, IsCA: usage == nil, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	if usage == nil {
		a.cert, a.key = c, pair
	}
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &pair.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(pair)
	if err != nil {
		a.t.Fatal(err)
	}
	dir := a.t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
	return cert, key
}

// remote answers what a client asks of a Temporal server first. With a key it refuses others.
type remote struct {
	workflowservice.UnimplementedWorkflowServiceServer
	key string
}

func (r *remote) GetSystemInfo(context.Context, *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{}, nil
}

func (r *remote) DescribeNamespace(ctx context.Context, _ *workflowservice.DescribeNamespaceRequest) (*workflowservice.DescribeNamespaceResponse, error) {
	given, _ := metadata.FromIncomingContext(ctx)
	if r.key != "" && strings.Join(given.Get("authorization"), "") != "Bearer "+r.key {
		return nil, status.Error(codes.PermissionDenied, "Request unauthorized.")
	}
	return &workflowservice.DescribeNamespaceResponse{}, nil
}

// start starts it; o is its side of TLS, nil: it has none.
func (r *remote) start(t *testing.T, o *tls.Config) (address string) { return startServer(t, r, o) }

func startServer(t *testing.T, r workflowservice.WorkflowServiceServer, o *tls.Config) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var options []grpc.ServerOption
	if o != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(o)))
	}
	s := grpc.NewServer(options...)
	workflowservice.RegisterWorkflowServiceServer(s, r)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return l.Addr().String()
}

// A server is reached by TLS, with a certificate of the client or an API key; what is wrong is said, and no key is shown.
func TestTheServerIsReachedByTLS(t *testing.T) {
	ours, other := newAuthority(t), newAuthority(t)
	server := func(mutual bool) *tls.Config {
		cert, key := ours.made("temporal.example", []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth})
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		o := &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2"}}
		if mutual {
			o.ClientAuth, o.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
			text, _ := os.ReadFile(ours.file)
			o.ClientCAs.AppendCertsFromPEM(text)
		}
		return o
	}
	client := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	cert, key := ours.made("client", client)
	strange, strangeKey := other.made("client", client)
	plain, secured, mutual, keyed := (&remote{}).start(t, nil), (&remote{}).start(t, server(false)), (&remote{}).start(t, server(true)), (&remote{key: "swordfish"}).start(t, server(false))
	right := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(right, []byte("swordfish\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ca, name := "--server-ca="+ours.file, "--server-name=temporal.example"
	for _, row := range []struct {
		rule, address string
		args          []string
		env           string // the API key
		says          string // "": it is reached
	}{
		{"no TLS on either side", plain, nil, "", ""},
		{"TLS", secured, []string{ca, name}, "", ""},
		{"TLS of which the client knows nothing", secured, nil, "", "speaks TLS: --server-tls"},
		{"another authority", secured, []string{"--server-ca=" + other.file, name}, "", "of an authority that is not trusted here: --server-ca FILE"},
		{"the authorities of the system", secured, []string{"--server-tls", name}, "", "of an authority that is not trusted here"},
		{"another name", secured, []string{ca}, "", "has another name: --server-name"},
		{"a server without TLS", plain, []string{ca, name}, "", "speaks no TLS"},
		{"no authority in the file", secured, []string{"--server-ca=" + key, name}, "", "has no certificate in PEM"},
		{"no certificate of the client", mutual, []string{ca, name}, "", "wants a certificate of the client: --client-cert"},
		{"one of another authority", mutual, []string{ca, name, "--client-cert=" + strange, "--client-key=" + strangeKey}, "", "does not accept the certificate"},
		{"the right one", mutual, []string{ca, name, "--client-cert=" + cert, "--client-key=" + key}, "", ""},
		{"half of one", mutual, []string{ca, "--client-cert=" + cert}, "", "belong together"},
		{"no API key", keyed, []string{ca, name}, "", "wants to know who asks: an API key in TEMPORAL_API_KEY"},
		{"a wrong API key", keyed, []string{ca, name}, "catfish", "refuses the API key"},
		{"the API key", keyed, []string{ca, name}, "swordfish", ""},
		{"the API key in a file", keyed, []string{ca, name, "--api-key-file=" + right}, "catfish", ""},
		{"a file that is not there", keyed, []string{ca, name, "--api-key-file=" + right + "x"}, "", "--api-key-file: open"},
		{"an API key without TLS", plain, nil, "swordfish", "speaks no TLS"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			p := &program{in: strings.NewReader(""), out: &out, err: &out, getenv: func(name string) string {
				return map[string]string{APIKeyEnv: row.env, "HOME": t.TempDir()}[name]
			}}
			code := p.run(t.Context(), append([]string{"doctor", "--address=" + row.address}, row.args...))
			text := out.String()
			if reached := strings.Contains(text, "ok   server: "+row.address); reached != (row.says == "") || code == 0 || !strings.Contains(text, row.says) ||
				strings.Contains(text, "swordfish") || strings.Contains(text, "catfish") {
				t.Errorf("code %d\n%s", code, text)
			}
		})
	}
}
