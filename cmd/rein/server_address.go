package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"rein/app/client"
	"rein/app/settings"
)

// serverKey is the environment variable with the key of a server.
const serverKey = "REIN_SERVER_KEY"

// signInFlags are the flags that say how to sign in at a server.
type signInFlags struct {
	KeyFile  string
	Insecure bool
}

// add registers the flags.
func (s *signInFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&s.KeyFile, "token-file", "", "file with the key for the server (default: $"+serverKey+"; on this machine the owner's key)")
	flags.BoolVar(&s.Insecure, "insecure", false, "send the key without TLS to a server on another machine")
}

// client returns a client of the server at an address. The owner's key of this machine never goes to another one, and without
// TLS no key does.
func (s signInFlags) client(address string) (*client.Client, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, withExitCode(exitUsage, fmt.Errorf("%q is not the address of a server, such as http://127.0.0.1:4096", address))
	}
	if u.Fragment != "" || u.RawQuery != "" || u.User != nil {
		return nil, withExitCode(exitUsage, errors.New("an address of a server has no key in it: the link with #k= is for a browser, programs use --token-file"))
	}
	ip := net.ParseIP(u.Hostname())
	here := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if !here && u.Scheme == "http" && !s.Insecure {
		return nil, withExitCode(exitUsage, fmt.Errorf("%s is another machine, and without TLS others can read the key on the way: use https, or accept it with --insecure", u.Host))
	}
	key := os.Getenv(serverKey)
	file := s.KeyFile
	if file == "" && key == "" && here {
		file = ownersKey()
	}
	if file != "" {
		text, err := readFile(file)
		if errors.Is(err, fs.ErrNotExist) && file == ownersKey() {
			return nil, withExitCode(exitAuth, errors.New("no server was started on this machine: start one with rein serve, or name the file with its key with --token-file"))
		}
		if err != nil {
			return nil, withExitCode(exitInput, fmt.Errorf("the key of the server: %w", err))
		}
		key = strings.TrimSpace(string(text))
	}
	if key == "" {
		return nil, withExitCode(exitAuth, errors.New("a server on another machine needs a key: --token-file, or the variable "+serverKey))
	}
	return &client.Client{URL: u.String(), Key: key}, nil
}

// serverError gives an error of a server its exit code.
func serverError(err error) error {
	p, ok := errors.AsType[*client.Problem](err)
	switch {
	case !ok:
		return err
	case p.Status == 401 || p.Status == 403 || p.Kind() == "no_model":
		return withExitCode(exitAuth, err)
	case p.Status == 404 || p.Status == 422:
		return withExitCode(exitInput, err)
	}
	return err
}

// ownersKey is the file with the owner's key of a server of this user.
func ownersKey() string { return filepath.Join(settings.DefaultDirs().State, "server", "key") }
