package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// Login is one sign-in of a person.
type Login struct {
	Account
	// Show shows the address that the person opens in a browser.
	Show func(address string)

	// Who we are, where the server cannot register us: an id with or without a secret, or the address of a document.
	ClientID, ClientSecret, ClientURL string
	Port                              int // of the redirect; 0: any free one
}

// Handler authorizes requests; when the server wants a sign-in, it shows the address and waits for the browser to come back.
// Close it at the end.
func (l *Login) Handler() (_ auth.OAuthHandler, end func(), err error) {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", l.Port))
	if err != nil {
		return nil, nil, err
	}
	redirect := fmt.Sprintf("http://127.0.0.1:%d/callback", listener.Addr().(*net.TCPAddr).Port)
	came := make(chan url.Values, 1)
	web := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/callback" || r.URL.Query().Get("state") == "" {
			http.NotFound(w, r)
			return
		}
		select {
		case came <- r.URL.Query():
		default: // a second answer changes nothing
		}
		fmt.Fprintln(w, "You can close this page and go back to rein.")
	})}
	go func() { _ = web.Serve(listener) }()
	end = func() { _ = web.Close() }

	config := &auth.AuthorizationCodeHandlerConfig{RedirectURL: redirect, Client: l.Client, RequestRefreshToken: true, AcceptUnadvertisedIss: true,
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			l.Show(args.URL)
			select {
			case q := <-came:
				if e := q.Get("error"); e != "" {
					return nil, fmt.Errorf("the sign-in failed: %.100s", e)
				}
				return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		},
		NewTokenSource: l.keep,
	}
	if l.ClientURL != "" {
		config.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: l.ClientURL}
	}
	if l.ClientID != "" {
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: l.ClientID}
		if l.ClientSecret != "" {
			config.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: l.ClientSecret}
		}
	} else {
		config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "rein", RedirectURIs: []string{redirect}, GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
			TokenEndpointAuthMethod: "none",
		}}
	}
	h, err := auth.NewAuthorizationCodeHandler(config)
	if err != nil {
		end()
		return nil, nil, err
	}
	return h, end, nil
}

// keep stores the token of a sign-in, and gives requests the kept one.
func (l *Login) keep(ctx context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
	if t.AccessToken == "" {
		return nil, errors.New("the server gave no token")
	}
	err := l.write(&kept{URL: l.URL, ClientID: c.ClientID, ClientSecret: c.ClientSecret, TokenURL: c.Endpoint.TokenURL, AuthStyle: int(c.Endpoint.AuthStyle), Scopes: c.Scopes, Token: t})
	if err != nil {
		return nil, err
	}
	return source{&l.Account, ctx}, nil
}
