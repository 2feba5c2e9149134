package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"rein/app/settings"
)

// signInProvider lets people sign in who have an account elsewhere, by OpenID Connect: the authorization code flow with PKCE. Its
// fields do not change after its first use. Several goroutines may use it at once.
type signInProvider struct {
	Issuer     string
	ClientID   string
	Secret     string   // "": the client is public
	Scopes     []string // beside openid; none: profile and email
	Name       string   // claim with the user's name; "": email
	Claim      string   // claim that decides on the role; "": groups
	Roles      map[string]Role
	Workspaces map[string][]string // directories for a value of Claim; without: all
	Client     *http.Client        // reaches the provider

	mu       sync.Mutex
	provider *oidc.Provider
	attempts map[string]attempt // by their state
}

// newProvider prepares the provider of the settings. It is reached by own; other hosts that it names, by others. serves reports
// whether the server serves a directory.
func newProvider(set settings.SignIn, own, others http.RoundTripper, serves func(dir string) bool) (*signInProvider, error) {
	p := &signInProvider{Issuer: set.Issuer, ClientID: set.ClientID, Scopes: set.Scopes, Name: set.Name, Claim: set.Claim, Workspaces: map[string][]string{}, Roles: map[string]Role{}}
	for value, role := range set.Roles {
		p.Roles[value] = Role(role)
	}
	for value, dirs := range set.Workspaces {
		for _, dir := range dirs {
			if !serves(dir) {
				return nil, fmt.Errorf("server.signIn: workspaces: the server does not serve %s", dir)
			}
		}
		p.Workspaces[value] = dirs
	}
	if set.SecretEnv != "" {
		if p.Secret = os.Getenv(set.SecretEnv); p.Secret == "" {
			return nil, fmt.Errorf("server.signIn: the environment variable %s is not set", set.SecretEnv)
		}
	}
	issuer, err := url.Parse(set.Issuer)
	if err != nil {
		return nil, err
	}
	p.Client = &http.Client{Transport: byHost{issuer.Host, own, others}, Timeout: 30 * time.Second}
	return p, nil
}

// byHost reaches one host in one way, and others in another: the settings name the provider, which may be on this machine, but the
// provider may name only public hosts.
type byHost struct {
	host        string
	own, others http.RoundTripper
}

// RoundTrip sends the request.
func (b byHost) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == b.host {
		return b.own.RoundTrip(r)
	}
	return b.others.RoundTrip(r)
}

// attempt is a sign-in that has begun.
type attempt struct {
	verifier, nonce string
	browser         string // hash of the cookie of the browser that began it
	to              string // path of the page that is shown at the end
	redirect        string
	end             time.Time
}

// Limits of sign-ins that have begun.
const (
	attemptTime  = 10 * time.Minute
	mostAttempts = 1000
)

var (
	errNoAttempt = errors.New("the sign-in took too long, or began in another browser: begin again")
	errNoRole    = errors.New("the account has no role here")
)

// ID names the provider with its settings: who was let in by other ones must sign in again.
func (p *signInProvider) ID() string {
	text, _ := json.Marshal([]any{p.Issuer, p.ClientID, p.Name, p.Claim, p.Roles, p.Workspaces}) // maps are in their order
	return hashSecret(string(text))
}

// Host names the provider to people.
func (p *signInProvider) Host() string {
	u, err := url.Parse(p.Issuer)
	if err != nil {
		return p.Issuer
	}
	return u.Hostname()
}

// open asks the provider for its addresses, once.
func (p *signInProvider) open(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.provider != nil {
		return p.provider, nil
	}
	// The provider keeps its context for requests of later sign-ins.
	found, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), p.Client), p.Issuer)
	if err != nil {
		return nil, fmt.Errorf("the provider of accounts: %w", err)
	}
	p.provider = found
	return found, nil
}

func (p *signInProvider) config(found *oidc.Provider, redirect string) *oauth2.Config {
	scopes := p.Scopes
	if len(scopes) == 0 {
		scopes = []string{"profile", "email"}
	}
	return &oauth2.Config{ClientID: p.ClientID, ClientSecret: p.Secret, Endpoint: found.Endpoint(), RedirectURL: redirect, Scopes: append([]string{oidc.ScopeOpenID}, scopes...)}
}

// begin returns the provider's address to which the browser goes, and the secret that the browser keeps until it comes back.
func (p *signInProvider) begin(ctx context.Context, redirect, to string) (address, browser string, err error) {
	found, err := p.open(ctx)
	if err != nil {
		return "", "", err
	}
	state, now := rand.Text(), time.Now()
	browser = rand.Text()
	a := attempt{verifier: oauth2.GenerateVerifier(), nonce: rand.Text(), browser: hashSecret(browser), to: to, redirect: redirect, end: now.Add(attemptTime)}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.attempts == nil {
		p.attempts = map[string]attempt{}
	}
	maps.DeleteFunc(p.attempts, func(_ string, a attempt) bool { return now.After(a.end) })
	if len(p.attempts) >= mostAttempts {
		return "", "", errors.New("too many people sign in at once: try again in some minutes")
	}
	p.attempts[state] = a
	return p.config(found, redirect).AuthCodeURL(state, oidc.Nonce(a.nonce), oauth2.S256ChallengeOption(a.verifier)), browser, nil
}

// take ends the attempt of a state, when the browser is the one that began it.
func (p *signInProvider) take(state, browser string) (attempt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, ok := p.attempts[state]
	if !ok || browser == "" || a.browser != hashSecret(browser) || time.Now().After(a.end) {
		return attempt{}, errNoAttempt
	}
	delete(p.attempts, state)
	return a, nil
}

// finish exchanges the code of an attempt for the user.
func (p *signInProvider) finish(ctx context.Context, a attempt, code string) (User, error) {
	found, err := p.open(ctx)
	if err != nil {
		return User{}, err
	}
	ctx = oidc.ClientContext(ctx, p.Client)
	token, err := p.config(found, a.redirect).Exchange(ctx, code, oauth2.VerifierOption(a.verifier))
	if err != nil {
		return User{}, fmt.Errorf("the provider of accounts: %w", err)
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := found.Verifier(&oidc.Config{ClientID: p.ClientID}).Verify(ctx, raw)
	if err != nil {
		return User{}, err
	}
	if id.Nonce != a.nonce {
		return User{}, errors.New("the provider's answer belongs to another sign-in")
	}
	claims := map[string]any{}
	if err := id.Claims(&claims); err != nil {
		return User{}, err
	}
	return p.user(id.Subject, claims)
}

// user returns the user of claims: the highest role of all values, in the workspaces of the values that have this role. Without
// workspaces, a value sees all. Workspaces of values with a lower role are left out: the higher role would hold there, too.
func (p *signInProvider) user(subject string, claims map[string]any) (User, error) {
	u := User{Name: p.name(subject, claims)}
	all := false
	for _, value := range p.values(claims) {
		role, ok := p.Roles[value]
		if !ok || !role.mayBeGiven() || role != u.Role && u.Role.May(role) {
			continue
		}
		if role != u.Role {
			u.Role, u.Workspaces, all = role, nil, false
		}
		dirs, some := p.Workspaces[value]
		all = all || !some
		u.Workspaces = append(u.Workspaces, dirs...)
	}
	if u.Role == "" {
		return u, errNoRole
	}
	slices.Sort(u.Workspaces)
	if u.Workspaces = slices.Compact(u.Workspaces); all {
		u.Workspaces = nil
	} else if len(u.Workspaces) == 0 {
		return u, errNoRole // an empty list would mean all
	}
	return u, nil
}

// name returns the user's name. It has an @, so that it is none of the server's own users.
func (p *signInProvider) name(subject string, claims map[string]any) string {
	claim := cmp.Or(p.Name, "email")
	name, _ := claims[claim].(string)
	if claim == "email" && claims["email_verified"] != true {
		name = ""
	}
	if name = printable(cmp.Or(name, subject)); !strings.Contains(name, "@") {
		name += "@" + p.Host()
	}
	return name
}

// values returns the texts of the claim that decides on the role. An address that the provider did not verify is none.
func (p *signInProvider) values(claims map[string]any) (all []string) {
	claim := cmp.Or(p.Claim, "groups")
	if claim == "email" && claims["email_verified"] != true {
		return nil
	}
	switch v := claims[claim].(type) {
	case string:
		return []string{v}
	case []any:
		for _, x := range v {
			if text, ok := x.(string); ok {
				all = append(all, text)
			}
		}
	}
	return all
}

func hashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
