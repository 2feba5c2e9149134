package providers

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"

	"rein/kit/providers/anthropic"
	"rein/kit/providers/bedrock"
	entra "rein/kit/providers/openai"
	"rein/kit/providers/wire"
	"rein/model"
)

// clouds returns the rows of clouds. None is taken without being named: their keys are there for many other things.
func clouds() []Provider {
	return []Provider{
		{Name: "bedrock", Keys: []string{"AWS_BEARER_TOKEN_BEDROCK"}, Bases: []string{"AWS_BEDROCK_BASE_URL", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"},
			reach: reachBedrock, open: func(h wire.HTTP, _ string) model.Model { return &bedrock.Converse{HTTP: h} }},
		{Name: "bedrock-invoke", Keys: []string{"AWS_BEARER_TOKEN_BEDROCK"}, Bases: []string{"AWS_BEDROCK_BASE_URL", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"},
			reach: reachBedrock, open: func(h wire.HTTP, _ string) model.Model {
				return &anthropic.Messages{HTTP: h, Bearer: true, Path: bedrock.InvokePath(h.Who.Name), Version: bedrock.InvokeVersion}
			}},
		{Name: "azure", Keys: []string{"AZURE_OPENAI_API_KEY", azureToken}, Bases: []string{"AZURE_OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT"},
			reach: reachAzure, open: openChat(entra.Flavour{NewFields: true, Files: true})},
		{Name: "vertex", Keys: []string{"CLOUDSDK_AUTH_ACCESS_TOKEN"}, Bases: []string{"GOOGLE_VERTEX_BASE_URL"}, reach: reachVertex, open: openVertex},
	}
}

// reachBedrock finds the region, and signs the requests unless there is a bearer key.
func reachBedrock(o *Options, h *wire.HTTP, _ string) error {
	home, _ := os.UserHomeDir()
	keys := &bedrock.CredentialChain{Getenv: o.getenv, Home: home} // not by o.Transport: a recording would hold the keys
	region := keys.Region()
	if region == "" {
		return errors.New("no region: set AWS_REGION, or name it in the profile")
	}
	if h.Base == "" {
		h.Base = "https://bedrock-runtime." + region + ".amazonaws.com"
	}
	h.Transport = &bedrock.SigningTransport{Next: h.Transport, Signer: bedrock.Signer{Region: region, Service: "bedrock"}, Keys: func(ctx context.Context) (bedrock.Credentials, error) {
		found, err := keys.Get(ctx)
		return found, refused(ctx, "bedrock", err, bedrock.ErrNoKeys)
	}}
	return nil
}

// azureToken is a variable with a token of Entra; the others hold keys of the resource.
const azureToken = "AZURE_OPENAI_AD_TOKEN"

// reachAzure completes the address of a resource: the v1 addresses, or, with AZURE_OPENAI_API_VERSION, that of the deployment
// with the name of the model.
func reachAzure(o *Options, h *wire.HTTP, keyFrom string) error {
	if h.Base == "" {
		return errors.New("no resource: set AZURE_OPENAI_ENDPOINT to its address, such as https://NAME.openai.azure.com")
	}
	version := o.getenv("AZURE_OPENAI_API_VERSION")
	if !strings.Contains(h.Base, "/openai") {
		h.Base += "/openai"
		if version == "" {
			h.Base += "/v1"
		}
	}
	source := &entra.AzureSource{Getenv: o.getenv} // not by o.Transport: a recording would hold the credentials
	h.Transport = &azure{next: h.Transport, version: version, token: keyFrom == azureToken, key: h.Key, source: source, name: func() string { return h.Who.Name }}
	return nil
}

// azure sends requests as Azure wants them.
type azure struct {
	next    http.RoundTripper
	version string // of the interface; "": the v1 addresses
	token   bool   // the key is a token of Entra
	key     string // "": the tokens of source
	source  *entra.AzureSource
	name    func() string // of the model
}

// RoundTrip implements http.RoundTripper.
func (a *azure) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	switch {
	case a.key == "":
		token, err := a.source.Token(r.Context())
		if err != nil {
			return nil, refused(r.Context(), "azure", err, entra.ErrNoAzureCredentials)
		}
		r.Header.Set("Authorization", "Bearer "+token)
	case !a.token:
		r.Header.Del("Authorization")
		r.Header.Set("Api-Key", a.key)
	}
	if a.version != "" {
		base, ok := strings.CutSuffix(r.URL.Path, "/chat/completions")
		if ok {
			r.URL.Path = base + "/deployments/" + a.name() + "/chat/completions"
			r.URL.RawPath = ""
		}
		r.URL.RawQuery = url.Values{"api-version": {a.version}}.Encode()
	}
	next := a.next
	if next == nil {
		next = http.DefaultTransport
	}
	return next.RoundTrip(r)
}

// refused marks an error in getting keys that another request would not change: all but a server that was not reached.
// absent is the error for no keys at all, which may be wrapped with such a server.
func refused(ctx context.Context, provider string, err, absent error) error {
	_, network := errors.AsType[*url.Error](err)
	if err == nil || ctx.Err() != nil || network && !errors.Is(err, absent) {
		return err
	}
	return &model.Error{Provider: provider, Kind: model.Auth, Text: err.Error(), Err: err}
}
