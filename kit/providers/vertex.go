package providers

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"strings"

	"rein/kit/providers/anthropic"
	"rein/kit/providers/gemini"
	"rein/kit/providers/openai"
	"rein/kit/providers/wire"
	"rein/model"
)

// reachVertex finds the project and the location, and adds a token to the requests unless there is one.
func reachVertex(o *Options, h *wire.HTTP, _ string) error {
	home, _ := os.UserHomeDir()
	source := &gemini.GoogleSource{Getenv: o.getenv, Home: home} // not by o.Transport: a recording would hold the credentials
	file := &gemini.GoogleFile{}
	machine := false
	if h.Key == "" {
		found, err := source.File()
		if err != nil {
			return err
		}
		if machine = found == nil; !machine {
			file = found
		}
	}
	project, _ := o.any([]string{"GOOGLE_CLOUD_PROJECT", "ANTHROPIC_VERTEX_PROJECT_ID"})
	if project = cmp.Or(project, file.Project, file.QuotaProject); project == "" && machine {
		project = source.MachineProject(context.Background())
	}
	if project == "" {
		return errors.New("no project: set GOOGLE_CLOUD_PROJECT to the id of the project that is billed")
	}
	location, _ := o.any([]string{"GOOGLE_CLOUD_LOCATION", "CLOUD_ML_REGION"})
	location = cmp.Or(location, "global")
	h.Base = strings.TrimSuffix(cmp.Or(h.Base, vertexHost(location)), "/v1") + "/v1/projects/" + project + "/locations/" + location
	h.Transport = &vertex{next: h.Transport, token: h.Key, source: source, quota: file.QuotaProject}
	return nil
}

// vertexHost is the address of a location: of all, of a group of them ("us", "eu"), or of one.
func vertexHost(location string) string {
	switch location {
	case "global":
		return "https://aiplatform.googleapis.com"
	case "us", "eu":
		return "https://aiplatform." + location + ".rep.googleapis.com"
	}
	return "https://" + location + "-aiplatform.googleapis.com"
}

// openVertex chooses the protocol by the model: that of Anthropic for its models, chat completions for those of other
// publishers ("meta/…"), else that of Gemini.
func openVertex(h wire.HTTP, _ string) model.Model {
	publisher, name, named := strings.Cut(h.Who.Name, "/")
	switch {
	case !named && strings.HasPrefix(publisher, "claude"):
		publisher = "anthropic"
	case !named:
		publisher = "google"
	case publisher == "anthropic" || publisher == "google":
		h.Who.Name = name
	}
	switch publisher {
	case "anthropic":
		return &anthropic.Messages{HTTP: h, Bearer: true, Version: "vertex-2023-10-16", Path: "/publishers/anthropic/models/" + h.Who.Name + ":streamRawPredict"}
	case "google":
		return &gemini.Gemini{HTTP: h, Models: "/publishers/google/models/"}
	}
	h.Base += "/endpoints/openapi"
	return &openai.Chat{HTTP: h, Flavour: openai.Flavour{Returns: []string{}}}
}

// vertex sends requests with a token instead of a key.
type vertex struct {
	next   http.RoundTripper
	token  string // used as it is; "": those of source
	source *gemini.GoogleSource
	quota  string // the project that requests of a user are counted for; "": that of the model
}

// RoundTrip implements http.RoundTripper.
func (v *vertex) RoundTrip(r *http.Request) (*http.Response, error) {
	token := v.token
	if token == "" {
		var err error
		if token, err = v.source.Token(r.Context()); err != nil {
			return nil, refused(r.Context(), "vertex", err, gemini.ErrNoGoogleCredentials)
		}
	}
	r = r.Clone(r.Context())
	r.Header.Del("X-Goog-Api-Key")
	r.Header.Set("Authorization", "Bearer "+token)
	if v.quota != "" {
		r.Header.Set("X-Goog-User-Project", v.quota)
	}
	next := v.next
	if next == nil {
		next = http.DefaultTransport
	}
	return next.RoundTrip(r)
}
