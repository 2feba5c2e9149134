package providers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// patience is how long a local server may take to say what it has: one that runs answers in a few milliseconds.
const patience = 300 * time.Millisecond

// ollamaBase reads OLLAMA_HOST as Ollama does: the scheme and the port may be missing, and 0.0.0.0 is where it listens, not
// where it is reached.
func ollamaBase(host string) string {
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil {
		return host
	}
	name, port := u.Hostname(), u.Port()
	if name == "" || name == "0.0.0.0" || name == "::" {
		name = "127.0.0.1"
	}
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	switch {
	case port != "":
		name += ":" + port
	case u.Scheme == "http":
		name += ":11434"
	}
	return strings.TrimRight(u.Scheme+"://"+name+u.Path, "/")
}

// newest returns the model that an Ollama got last.
func newest(ctx context.Context, client *http.Client, base string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	base = strings.TrimSuffix(base, "/v1")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/tags", nil)
	if err != nil {
		return "", err
	}
	res, err := client.Do(req)
	if err != nil {
		return "", fmt.Errorf("no Ollama at %s: %w", base, err)
	}
	defer func() { _ = res.Body.Close() }()
	var list struct {
		Models []struct {
			Name     string    `json:"name"`
			Modified time.Time `json:"modified_at"`
		} `json:"models"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 4<<20)).Decode(&list); err != nil {
		return "", fmt.Errorf("what answers at %s is no Ollama: %w", base, err)
	}
	if len(list.Models) == 0 {
		return "", errors.New("the Ollama at " + base + " has no model: ollama pull NAME")
	}
	last := list.Models[0]
	for _, m := range list.Models[1:] {
		if m.Modified.After(last.Modified) {
			last = m
		}
	}
	return last.Name, nil
}
