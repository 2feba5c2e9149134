package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/oauth2"
)

// Account is where rein keeps what it needs to use one server in its user's name (OAuth 2.1 with PKCE): in a file that only
// its user can read, for one server at one address.
type Account struct {
	Dir    string // of all accounts
	Server string // name, for messages
	URL    string // of the server: another address is another account
	Client *http.Client
}

// kept is what the file holds.
type kept struct {
	URL          string        `json:"url"`
	ClientID     string        `json:"client_id"`
	ClientSecret string        `json:"client_secret,omitempty"`
	TokenURL     string        `json:"token_url"`
	AuthStyle    int           `json:"auth_style"`
	Scopes       []string      `json:"scopes,omitempty"`
	Token        *oauth2.Token `json:"token"`
}

func (a *Account) file() string {
	sum := sha256.Sum256([]byte(a.URL))
	return filepath.Join(a.Dir, hex.EncodeToString(sum[:12])+".json")
}

// read returns what is kept; nil when nobody signed in.
func (a *Account) read() (*kept, error) {
	text, err := os.ReadFile(a.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var k kept
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err != nil {
		return nil, fmt.Errorf("the sign-in of %s cannot be read: %w", a.Server, err)
	}
	if k.URL != a.URL || k.Token == nil {
		return nil, nil
	}
	return &k, nil
}

// write replaces the file. Nobody but its user can read it at any moment.
func (a *Account) write(k *kept) error {
	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(a.Dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(a.Dir, ".token-*") // with the mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), a.file())
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Kept reports whether somebody signed in, and the file of that can be read.
func (a *Account) Kept() bool {
	k, err := a.read()
	return err == nil && k != nil
}

// Remove forgets the account. It reports whether there was one.
func (a *Account) Remove() (was bool, err error) {
	err = os.Remove(a.file())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Handler authorizes the requests of sessions. It refreshes tokens, one process at a time, and never opens a browser: a
// server that wants a new sign-in gets an error that names the command.
func (a *Account) Handler() auth.OAuthHandler { return handler{a} }

type handler struct{ *Account }

// TokenSource returns the token that is kept; nil when nobody signed in.
func (h handler) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	k, err := h.read()
	if err != nil || k == nil {
		return nil, err
	}
	return source{h.Account, ctx}, nil
}

// Authorize fails: only a person can sign in.
func (h handler) Authorize(_ context.Context, _ *http.Request, resp *http.Response) error {
	resp.Body.Close()
	return fmt.Errorf("the server %s answers %s: sign in with: rein mcp login %s", h.Server, resp.Status, h.Server)
}

// source gives the token that holds now.
type source struct {
	*Account
	ctx context.Context
}

const (
	lockFor = 30 * time.Second // for another process that refreshes
	early   = 30 * time.Second // before a token ends
)

// Token returns the kept token, or refreshes it. Several processes refresh one after another: the later ones find the new token.
func (s source) Token() (*oauth2.Token, error) {
	k, err := s.read()
	if err != nil || k == nil {
		return nil, errors.Join(err, fmt.Errorf("nobody is signed in to %s: rein mcp login %s", s.Server, s.Server))
	}
	if fresh(k.Token) {
		return k.Token, nil
	}
	ctx, cancel := context.WithTimeout(s.ctx, lockFor)
	defer cancel()
	lock := flock.New(s.file() + ".lock")
	if ok, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil || !ok {
		return nil, fmt.Errorf("the token of %s cannot be refreshed: another process holds it: %w", s.Server, err)
	}
	defer lock.Unlock()
	if k, err = s.read(); err != nil || k == nil {
		return nil, errors.Join(err, fmt.Errorf("nobody is signed in to %s any more", s.Server))
	}
	if fresh(k.Token) {
		return k.Token, nil
	}
	config := oauth2.Config{ClientID: k.ClientID, ClientSecret: k.ClientSecret, Scopes: k.Scopes, Endpoint: oauth2.Endpoint{TokenURL: k.TokenURL, AuthStyle: oauth2.AuthStyle(k.AuthStyle)}}
	old := *k.Token
	old.Expiry = time.Unix(1, 0)
	token, err := config.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, s.Client), &old).Token()
	if err != nil {
		return nil, fmt.Errorf("the token of %s cannot be refreshed: sign in with: rein mcp login %s (%w)", s.Server, s.Server, brief(err))
	}
	if token.RefreshToken == "" {
		token.RefreshToken = k.Token.RefreshToken
	}
	k.Token = token
	return token, s.write(k)
}

// fresh reports whether a token holds for a while. One without an end holds.
func fresh(t *oauth2.Token) bool {
	return t.AccessToken != "" && (t.Expiry.IsZero() || time.Until(t.Expiry) > early)
}

// brief is an error of the token endpoint without what it answered, which may have secrets.
func brief(err error) error {
	if e, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return fmt.Errorf("%s %s", e.Response.Status, e.ErrorCode)
	}
	return err
}
