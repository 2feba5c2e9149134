package providers

import (
	"net/url"
	"strings"
)

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
