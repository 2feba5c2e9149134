package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// apis are the engines that are known.
func apis() map[string]api {
	return map[string]api{
		"brave":      {"https://api.search.brave.com", true, askBrave, readBrave},
		"tavily":     {"https://api.tavily.com", true, askTavily, readTavily},
		"exa":        {"https://api.exa.ai", true, askExa, readExa},
		"kagi":       {"https://kagi.com", true, askKagi, readKagi},
		"google":     {"https://www.googleapis.com", true, askGoogle, readGoogle},
		"searxng":    {"", false, askSearXNG, readSearXNG},
		"duckduckgo": {"https://html.duckduckgo.com", false, askDuckDuckGo, readDuckDuckGo},
	}
}

// get makes a GET request with parameters; those without a value are left out.
func get(address string, pairs ...string) (*http.Request, error) {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values.Set(pairs[i], pairs[i+1])
		}
	}
	r, err := http.NewRequest(http.MethodGet, address+"?"+values.Encode(), nil)
	if err == nil {
		r.Header.Set("Accept", "application/json")
	}
	return r, err
}

// post makes a POST request with a JSON body.
func post(address string, body map[string]any) (*http.Request, error) {
	for name, value := range body {
		if list, ok := value.([]string); ok && len(list) == 0 || value == "" {
			delete(body, name)
		}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(http.MethodPost, address, bytes.NewReader(text))
	if err == nil {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json")
	}
	return r, err
}

// read decodes a JSON answer.
func read[T any](body []byte) (answer T, err error) {
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		return answer, errors.New("it is a web page, not JSON")
	}
	err = json.Unmarshal(body, &answer)
	return answer, err
}

func askBrave(e *engine, q query) (*http.Request, error) {
	r, err := get(e.address+"/res/v1/web/search", "q", q.words(), "count", strconv.Itoa(q.count),
		"freshness", map[string]string{"day": "pd", "week": "pw", "month": "pm", "year": "py"}[q.since])
	if err == nil {
		r.Header.Set("X-Subscription-Token", e.Key)
	}
	return r, err
}

func readBrave(body []byte) (all []result, err error) {
	type found struct {
		Title, URL, Description, Age string
		PageAge                      string `json:"page_age"`
	}
	answer, err := read[struct{ Web struct{ Results []found } }](body)
	for _, f := range answer.Web.Results {
		if f.PageAge != "" {
			f.Age = f.PageAge
		}
		all = append(all, result{f.Title, f.URL, f.Description, f.Age})
	}
	return all, err
}

func askTavily(e *engine, q query) (*http.Request, error) {
	r, err := post(e.address+"/search", map[string]any{"query": q.text, "max_results": q.count, "search_depth": "basic",
		"include_domains": q.domains, "exclude_domains": q.not, "time_range": q.since})
	if err == nil {
		r.Header.Set("Authorization", "Bearer "+e.Key)
	}
	return r, err
}

func readTavily(body []byte) (all []result, err error) {
	type found struct {
		Title, URL, Content string
		Date                string `json:"published_date"`
	}
	answer, err := read[struct{ Results []found }](body)
	for _, f := range answer.Results {
		all = append(all, result{f.Title, f.URL, f.Content, f.Date})
	}
	return all, err
}

func askExa(e *engine, q query) (*http.Request, error) {
	r, err := post(e.address+"/search", map[string]any{"query": q.text, "numResults": q.count, "type": "auto", "includeDomains": q.domains,
		"excludeDomains": q.not, "startPublishedDate": q.start(), "contents": map[string]any{"text": map[string]any{"maxCharacters": textBytes}}})
	if err == nil {
		r.Header.Set("x-api-key", e.Key)
	}
	return r, err
}

func readExa(body []byte) (all []result, err error) {
	type found struct{ Title, URL, Text, PublishedDate string }
	answer, err := read[struct{ Results []found }](body)
	for _, f := range answer.Results {
		all = append(all, result{f.Title, f.URL, f.Text, f.PublishedDate})
	}
	return all, err
}

func askKagi(e *engine, q query) (*http.Request, error) {
	r, err := get(e.address+"/api/v0/search", "q", q.words(), "limit", strconv.Itoa(q.count))
	if err == nil {
		r.Header.Set("Authorization", "Bot "+e.Key)
	}
	return r, err
}

func readKagi(body []byte) (all []result, err error) {
	type found struct {
		T                              int
		Title, URL, Snippet, Published string
	}
	answer, err := read[struct {
		Data  []found
		Error []struct{ Msg string }
	}](body)
	for _, f := range answer.Data {
		if f.T == 0 { // 1 is a list of related searches
			all = append(all, result{f.Title, f.URL, f.Snippet, f.Published})
		}
	}
	if err == nil && len(all) == 0 && len(answer.Error) > 0 {
		err = &refusal{text: plain(answer.Error[0].Msg, 200)}
	}
	return all, err
}

func askGoogle(e *engine, q query) (*http.Request, error) {
	return get(e.address+"/customsearch/v1", "key", e.Key, "cx", e.ID, "q", q.words(), "num", strconv.Itoa(min(q.count, 10)),
		"dateRestrict", map[string]string{"day": "d1", "week": "w1", "month": "m1", "year": "y1"}[q.since])
}

func readGoogle(body []byte) (all []result, err error) {
	type found struct{ Title, Link, Snippet string }
	answer, err := read[struct{ Items []found }](body)
	for _, f := range answer.Items {
		all = append(all, result{f.Title, f.Link, f.Snippet, ""})
	}
	return all, err
}

func askSearXNG(e *engine, q query) (*http.Request, error) {
	return get(e.address+"/search", "q", q.words(), "format", "json", "time_range", q.since)
}

func readSearXNG(body []byte) (all []result, err error) {
	type found struct{ Title, URL, Content, PublishedDate string }
	answer, err := read[struct{ Results []found }](body)
	for _, f := range answer.Results {
		all = append(all, result{f.Title, f.URL, f.Content, f.PublishedDate})
	}
	return all, err
}

// browserAgent is the User-Agent for DuckDuckGo, which gives other programs no results.
const browserAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

func askDuckDuckGo(e *engine, q query) (*http.Request, error) {
	r, err := get(e.address+"/html/", "q", q.words(), "df", map[string]string{"day": "d", "week": "w", "month": "m", "year": "y"}[q.since])
	if err == nil {
		r.Header.Set("User-Agent", browserAgent)
		r.Header.Set("Accept", "text/html")
	}
	return r, err
}

// readDuckDuckGo reads the page of results. A page without any is that of the rate limit, unless it says so.
func readDuckDuckGo(body []byte) (all []result, err error) {
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	none := false
	for n := range root.Descendants() {
		switch {
		case hasClass(n, "no-results"):
			none = true
		case !hasClass(n, "result") || hasClass(n, "result--ad"):
		default:
			if f := readResult(n); f.url != "" {
				all = append(all, f)
			}
		}
	}
	if len(all) == 0 && !none {
		return nil, &refusal{text: "rate limit", after: backOff}
	}
	return all, nil
}

// readResult reads one result of the page.
func readResult(root *html.Node) (f result) {
	for n := range root.Descendants() {
		switch {
		case hasClass(n, "result__a") && f.url == "":
			f.title, f.url = textOf(n), target(attribute(n, "href"))
		case hasClass(n, "result__snippet"):
			f.text = textOf(n)
		}
	}
	return f
}

// target is where a link of the page leads: most go through DuckDuckGo.
func target(href string) string {
	if strings.HasPrefix(href, "//") {
		href = "https:" + href
	}
	u, err := url.Parse(href)
	if err != nil {
		return ""
	}
	if strings.HasSuffix(u.Hostname(), "duckduckgo.com") {
		return u.Query().Get("uddg") // "" for an advertisement
	}
	return href
}

func hasClass(n *html.Node, class string) bool {
	for name := range strings.FieldsSeq(attribute(n, "class")) {
		if name == class {
			return true
		}
	}
	return false
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func textOf(root *html.Node) string {
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return html.EscapeString(b.String()) // it is no markup: see plain
}
