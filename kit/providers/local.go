package providers

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"

	"rein/internal/plaintext"
)

// How long a local server may take for one answer about its models. One that runs usually answers in a few milliseconds.
const (
	searching = 300 * time.Millisecond // while rein looks for servers
	named     = 2 * time.Second        // of the server that the user named: it may be busy with a model
)

// Server is a program that serves models without a key, on this machine or where its variable points.
type Server struct {
	Provider string   // "ollama": the part of a model's name before the slash
	Title    string   // "Ollama"
	Base     string   // URL
	Models   []string // the newest first, where the server reports when it got them
	Err      error    // why Models is empty
}

// Errors of a server.
var (
	errNotRunning = errors.New("not running")
	errNoModels   = errors.New("runs, but has no models")
)

// Servers asks the local servers of the table, and the compatible servers that the environment and the settings name, which models they
// have, all at the same time. It takes 0.3 s at most, unless o sets another Patience. o may be nil.
func Servers(ctx context.Context, o *Options) []Server {
	if o == nil {
		o = &Options{}
	}
	var local []Provider
	for _, p := range Table() {
		if p.Local && o.address(p) != "" {
			local = append(local, p)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Addresses)) {
		if p, err := o.find(name); err == nil && p.Name != "compatible" && p.Title == "compatible" {
			p.Title = name
			local = append(local, p)
		}
	}
	all := make([]Server, len(local))
	var wg sync.WaitGroup
	for i, p := range local {
		wg.Go(func() { all[i] = o.ask(ctx, p, searching) })
	}
	wg.Wait()
	return all
}

// ask lists the models of one server.
func (o *Options) ask(ctx context.Context, p Provider, patience time.Duration) Server {
	s := Server{Provider: p.Name, Title: p.Title, Base: o.address(p)}
	s.Models, s.Err = p.list(ctx, o.lister(p, patience), s.Base)
	if s.Err == nil && len(s.Models) == 0 {
		s.Err = errNoModels
	}
	return s
}

// Usable returns the model to take when none is named: the newest that is not for embeddings; "" when there is none.
func (s Server) Usable() string {
	for _, name := range s.Models {
		if !strings.Contains(name, "embed") {
			return name
		}
	}
	return ""
}

// Running reports whether the server runs, with or without models.
func (s Server) Running() bool { return s.Err == nil || errors.Is(s.Err, errNoModels) }

// lister asks servers for their models.
type lister struct {
	client   *http.Client
	key      string
	patience time.Duration
}

func (o *Options) lister(p Provider, patience time.Duration) lister {
	key, _ := o.key(p)
	return lister{client: &http.Client{Transport: o.Transport}, key: key, patience: cmp.Or(o.Patience, patience)}
}

// get reads one JSON value from a server.
func (l lister) get(ctx context.Context, url string, into any) error {
	return l.exchange(ctx, http.MethodGet, url, nil, into)
}

// post sends one JSON value to a server and reads the one that it answers.
func (l lister) post(ctx context.Context, url string, value, into any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return l.exchange(ctx, http.MethodPost, url, bytes.NewReader(body), into)
}

func (l lister) exchange(ctx context.Context, method, url string, body io.Reader, into any) error {
	ctx, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return errors.New("the address is not a URL")
	}
	if l.key != "" {
		req.Header.Set("Authorization", "Bearer "+l.key)
	}
	res, err := l.client.Do(req)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return errNotRunning
	case err != nil:
		return errors.New("does not answer")
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(res.Body, 4<<20)).Decode(into) != nil {
		return fmt.Errorf("something else answers there (HTTP status %d)", res.StatusCode)
	}
	return nil
}

// ollamaModels lists what an Ollama has, the newest first.
func ollamaModels(ctx context.Context, l lister, base string) ([]string, error) {
	type row struct {
		Name     string    `json:"name"`
		Modified time.Time `json:"modified_at"`
	}
	var list struct {
		Models []row `json:"models"`
	}
	if err := l.get(ctx, strings.TrimSuffix(base, "/v1")+"/api/tags", &list); err != nil {
		return nil, err
	}
	sort.SliceStable(list.Models, func(i, j int) bool { return list.Models[i].Modified.After(list.Models[j].Modified) })
	names := make([]string, len(list.Models))
	for i, m := range list.Models {
		names[i] = m.Name
	}
	return names, nil
}

// rows lists the models of a compatible server.
func (l lister) rows(ctx context.Context, base string) ([]row, error) {
	var list struct {
		Data []row `json:"data"`
	}
	err := l.get(ctx, base+"/models", &list)
	return list.Data, err
}

// chatModels lists what a compatible server has.
func chatModels(ctx context.Context, l lister, base string) ([]string, error) {
	rows, err := l.rows(ctx, base)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(rows))
	for i, m := range rows {
		names[i] = m.ID
	}
	return names, nil
}

// choose returns the model with this name, or for "" the one to take when none is named. A server that does not answer in
// time may still load a model, so a name is taken as it is then.
func (s Server) choose(name string) (string, error) {
	pull := name
	if pull == "" {
		pull = "NAME"
	}
	switch usable := s.Usable(); {
	case errors.Is(s.Err, errNotRunning) && s.Provider == "ollama":
		return "", fmt.Errorf("no Ollama runs at %s: start it with \"ollama serve\", or set OLLAMA_HOST to where it runs", s.Base)
	case errors.Is(s.Err, errNoModels) && s.Provider == "ollama":
		return "", fmt.Errorf("the Ollama at %s has no models: get one with \"ollama pull %s\"", s.Base, pull)
	case s.Err != nil && name == "":
		return "", fmt.Errorf("%s at %s: %w; name the model: --model %s/NAME", s.Title, s.Base, s.Err, s.Provider)
	case name == "" && usable == "":
		return "", fmt.Errorf("%s at %s has only models for embeddings; name another one: --model %s/NAME", s.Title, s.Base, s.Provider)
	case name == "":
		return usable, nil
	case s.Err != nil || slices.Contains(s.Models, name) || slices.Contains(s.Models, name+":latest"):
		return name, nil
	}
	meant := ""
	if names := plaintext.NearestNames(name, s.Models); len(names) > 0 {
		meant = "; did you mean " + strings.Join(names, " or ") + "?"
	}
	return "", fmt.Errorf("the Ollama at %s has no model %q%s (it has %s; to get it: ollama pull %s)", s.Base, name, meant,
		strings.Join(s.Models[:min(len(s.Models), 10)], ", "), name)
}
