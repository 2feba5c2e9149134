package web

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"rein/kit/document"
)

// domains are names of domains as a model may write them: with a scheme, a path, a wildcard.
func domains(names []string) (all []string) {
	for _, name := range names {
		name = strings.ToLower(strings.TrimSpace(name))
		if _, rest, ok := strings.Cut(name, "://"); ok {
			name = rest
		}
		name, _, _ = strings.Cut(name, "/")
		name = strings.TrimPrefix(strings.TrimPrefix(name, "*."), "www.")
		if name != "" && !strings.ContainsAny(name, " \"()") && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// words is the text of the query with its domains as operators, for engines that have no other filter.
func (q query) words() string {
	text := q.text
	if len(q.domains) == 1 {
		text += " site:" + q.domains[0]
	} else if len(q.domains) > 1 {
		text += " (site:" + strings.Join(q.domains, " OR site:") + ")"
	}
	for _, name := range q.not {
		text += " -site:" + name
	}
	return text
}

// start is the day since which results are wanted; "" is any.
func (q query) start() string {
	days := map[string]int{"day": 1, "week": 7, "month": 31, "year": 366}[q.since]
	if days == 0 {
		return ""
	}
	return q.now.AddDate(0, 0, -days).Format(time.DateOnly)
}

// cleaned keeps the results that have an address, each once, in the wanted domains, with short plain texts.
func (q query) cleaned(found []result) (all []result) {
	seen := map[string]bool{}
	for _, f := range found {
		u, err := url.Parse(strings.TrimSpace(f.url))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || len(f.url) > addressBytes {
			continue
		}
		f.url = u.String()
		host := u.Hostname()
		if host == redirects {
			host = f.title
		}
		if seen[f.url] || !q.wants(host) {
			continue
		}
		seen[f.url] = true
		f.title, f.text, f.date = plain(f.title, titleBytes), plain(f.text, textBytes), plain(f.date, 40)
		if day, _, ok := strings.Cut(f.date, "T"); ok && len(day) == len(time.DateOnly) {
			f.date = day
		}
		if f.title == "" {
			f.title = u.Host
		}
		if all = append(all, f); len(all) == q.count {
			break
		}
	}
	return all
}

// wants reports whether results of a host are wanted.
func (q query) wants(host string) bool {
	below := func(name string) bool { return host == name || strings.HasSuffix(host, "."+name) }
	host = strings.ToLower(host)
	return (len(q.domains) == 0 || slices.ContainsFunc(q.domains, below)) && !slices.ContainsFunc(q.not, below)
}

var tags = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`</?[a-zA-Z][^<>]*>`) })

// plain is a text without markup and what nobody sees, on one line.
func plain(text string, most int) string {
	text = html.UnescapeString(tags().ReplaceAllString(strings.ToValidUTF8(text, ""), ""))
	text = strings.Join(strings.Fields(document.Printable(text)), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// status is the error of an answer that is no list of results, by its status.
func (e *engine) status(resp *http.Response, body []byte) error {
	switch code := resp.StatusCode; {
	case code == http.StatusOK:
		return nil
	case code == http.StatusTooManyRequests, code == http.StatusAccepted, code == http.StatusForbidden && !e.key:
		after := backOff
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
			after = time.Duration(min(seconds, 86400)) * time.Second
		}
		text := "rate limit"
		if e.Name == "searxng" && code == http.StatusForbidden {
			text = "its JSON format is switched off, or it refuses programs"
		}
		return &refusal{text: text, after: after}
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return &refusal{text: "it refuses the key: " + message(body, resp.Status), off: true}
	case code == http.StatusPaymentRequired, code == 432, code == 433:
		return &refusal{text: "the plan is used up: " + message(body, resp.Status), off: true}
	case code == http.StatusBadRequest && strings.Contains(string(body), "API key not valid"): // Google's way
		return &refusal{text: "it refuses the key", off: true}
	}
	return &refusal{text: message(body, resp.Status)}
}

// message is what an answer says about itself.
func message(body []byte, status string) string {
	if text := plain(string(body[:min(len(body), 2000)]), 200); text != "" {
		return status + ": " + text
	}
	return status
}
