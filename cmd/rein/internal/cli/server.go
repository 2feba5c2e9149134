package cli

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"rein/client"
	"rein/harness/settings"
	"rein/server/auth"
)

// ServerKey is the environment variable with the key of a server.
const ServerKey = "REIN_SERVER_KEY"

// Server are the flags that say how to sign in at a server.
type Server struct {
	KeyFile  string
	Insecure bool
}

// Add registers the flags.
func (s *Server) Add(flags *pflag.FlagSet) {
	flags.StringVar(&s.KeyFile, "token-file", "", "file with the key for the server (default: $"+ServerKey+"; on this machine the owner's key)")
	flags.BoolVar(&s.Insecure, "insecure", false, "send the key without TLS to a server on another machine")
}

// Client gives a client of the server at an address. The owner's key of this machine never goes to another one, and without
// TLS no key does.
func (s Server) Client(address string) (*client.Client, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, Fail(ExitUsage, fmt.Errorf("%q is no address of a server, such as http://127.0.0.1:4096", address))
	}
	if u.Fragment != "" || u.RawQuery != "" || u.User != nil {
		return nil, Fail(ExitUsage, errors.New("an address of a server has no key in it: the link with #k= is for a browser, programs use --token-file"))
	}
	ip := net.ParseIP(u.Hostname())
	here := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if !here && u.Scheme == "http" && !s.Insecure {
		return nil, Fail(ExitUsage, errors.New("without TLS others can read the key on the way: use https, or accept it with --insecure"))
	}
	key := os.Getenv(ServerKey)
	file := s.KeyFile
	if file == "" && key == "" && here {
		file = auth.KeyFile(auth.DefaultDir(settings.DefaultDirs()))
	}
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, Fail(ExitAuth, fmt.Errorf("the key of the server: %w", err))
		}
		key = strings.TrimSpace(string(text))
	}
	if key == "" {
		return nil, Fail(ExitAuth, errors.New("a server on another machine needs a key: --token-file, or the variable "+ServerKey))
	}
	return &client.Client{URL: u.String(), Key: key}, nil
}

// ServerError gives an error of a server its exit code.
func ServerError(err error) error {
	p, ok := errors.AsType[*client.Problem](err)
	switch {
	case !ok:
		return err
	case p.Status == 401 || p.Status == 403 || p.Kind() == "no_model":
		return Fail(ExitAuth, err)
	case p.Status == 404 || p.Status == 422:
		return Fail(ExitInput, err)
	}
	return err
}
