package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
)

// unreached returns in plain words why a request got no answer: the texts of Go's own packages name their functions.
func unreached(err error) string {
	host := "the server"
	if u, ok := errors.AsType[*url.Error](err); ok {
		if address, bad := url.Parse(u.URL); bad == nil && address.Host != "" {
			host = address.Host
		}
		err = u.Err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "proxyconnect" {
		host = "the proxy that HTTPS_PROXY or HTTP_PROXY names"
	}
	dns, unknown := errors.AsType[*net.DNSError](err)
	slow, timed := errors.AsType[net.Error](err)
	switch {
	case unknown && dns.IsTimeout:
		return "the name of " + dns.Name + " could not be looked up in time"
	case unknown:
		return "there is no address for the name " + dns.Name
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens at " + host
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "no network route to " + host
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return host + " closed the connection before the answer was whole"
	case errors.Is(err, http.ErrSchemeMismatch):
		return host + " answers without TLS: write http:// in the base URL"
	case timed && slow.Timeout():
		return host + " did not answer in time"
	case untrusted(err):
		return "the certificate of " + host + " cannot be trusted; if your own authority signs it, name its file in SSL_CERT_FILE"
	}
	return err.Error()
}

// untrusted reports whether a certificate was refused.
func untrusted(err error) bool {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, other := errors.AsType[x509.HostnameError](err)
	_, refused := errors.AsType[*tls.CertificateVerificationError](err)
	return unknown || invalid || other || refused
}
