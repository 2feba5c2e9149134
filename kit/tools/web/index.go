package web

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"rein/kit/network"
)

// The limits of the request for an index.
const (
	indexTime  = 3 * time.Second
	indexBytes = 64 << 10
)

// readIndex looks, when the home page of a site was fetched, for llms.txt: the site's own list of pages for models. Where
// there is one, a note names it. A site that does not answer has none.
func (w *Tools) readIndex(ctx context.Context, p *webPage, f fetching, home *http.Response) {
	if at := home.Request.URL; f.raw || home.StatusCode != http.StatusOK || at.Path != "" && at.Path != "/" || at.RawQuery != "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, indexTime)
	defer cancel()
	at := *home.Request.URL
	at.Path = "/llms.txt"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return
	}
	req.Header.Set("User-Agent", w.options.Agent)
	client := w.client(f.call, network.ClientOptions{Hops: -1, Body: -1})
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, indexBytes))
	if err == nil && resp.StatusCode == http.StatusOK && strings.HasPrefix(strings.TrimLeft(string(text), "\ufeff \r\n"), "# ") {
		p.notes = append(p.notes, "the site has an index of its pages for models: "+at.String())
	}
}
