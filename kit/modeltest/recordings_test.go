package modeltest_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"go.yaml.in/yaml/v3"

	"rein/kit/providers"
	"rein/model"
)

// exchange is one recorded request with its answer.
type exchange struct {
	name     string // file and number
	url      *url.URL
	request  string
	status   int
	kind     string // Content-Type
	answer   string
	provider string // and model: what providers.Open takes
	protocol string
}

// TestRecordings replays recordings of real exchanges (the YAML files below the directory REIN_RECORDINGS, as go-vcr and
// vcrpy write them) through the adapters, and compares what they read with a simple reader of whole answers. It lists the
// differences and counts them: it measures, and fails only when a call of a cut answer could run. REIN_RECORDINGS_SHOW=1 shows the pairs.
func TestRecordings(t *testing.T) {
	dir := os.Getenv("REIN_RECORDINGS")
	if dir == "" {
		t.Skip("REIN_RECORDINGS names no directory with recordings")
	}
	type score struct{ all, right, calls, cut int }
	table := map[string]*score{}
	for _, e := range recordings(t, dir) {
		s := table[e.protocol]
		if s == nil {
			s = &score{}
			table[e.protocol] = s
		}
		s.all++
		want := expected(e)
		got := replayed(t, e, strings.NewReader(e.answer))
		if diff := want.differs(got); diff == "" {
			s.right++
		} else {
			t.Logf("%s %s (%s): %s", e.protocol, e.name, e.provider, diff)
			if os.Getenv("REIN_RECORDINGS_SHOW") != "" {
				t.Logf("want %+v\ngot  %+v", want, got)
			}
		}
		if slices.Equal(want.calls, got.calls) {
			s.calls++
		}
		if bytewise := replayed(t, e, iotest.OneByteReader(strings.NewReader(e.answer))); bytewise.differs(got) != "" {
			t.Errorf("%s: byte by byte: %s", e.name, bytewise.differs(got))
		}
		s.cut += cutAnswers(t, e, want)
	}
	var all, right, calls int
	for _, name := range slices.Sorted(mapKeys(table)) {
		s := table[name]
		all, right, calls = all+s.all, right+s.right, calls+s.calls
		t.Logf("%-10s %4d answers, %4d right, %4d with the right calls; %d cut answers", name, s.all, s.right, s.calls, s.cut)
	}
	t.Logf("%d answers, %d right (%.1f %%), %d with the right calls", all, right, 100*float64(right)/float64(max(all, 1)), calls)
}

func mapKeys[V any](m map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// cutAnswers replays an answer that ends early, at a few places: no call that is not whole may run.
func cutAnswers(t *testing.T, e exchange, want reading) (n int) {
	random := rand.New(rand.NewPCG(1, uint64(len(e.answer))))
	for range min(6, len(e.answer)/40) {
		at := random.IntN(len(e.answer) - 1)
		if strings.TrimSpace(e.answer[at:]) == "" {
			continue
		}
		n++
		got := replayed(t, e, strings.NewReader(e.answer[:at]))
		for i, call := range got.calls {
			if i >= len(want.calls) || want.calls[i] != call {
				t.Errorf("%s, cut at %d of %d: the call %s could run", e.name, at, len(e.answer), call)
			}
		}
	}
	return n
}

// recordings reads all files of a directory.
func recordings(t *testing.T, dir string) []exchange {
	var all []exchange
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".yaml") {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() > 3<<20 {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var file struct {
			Interactions []struct{ Request, Response yaml.Node }
		}
		if err := yaml.Unmarshal(text, &file); err != nil {
			t.Logf("%s: %v", path, err)
			return nil
		}
		for i, n := range file.Interactions {
			e := exchangeOf(n.Request, n.Response)
			if e.place() {
				e.name = fmt.Sprintf("%s#%d", strings.TrimPrefix(path, dir), i)
				all = append(all, e)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// exchangeOf reads one exchange of either program.
func exchangeOf(request, response yaml.Node) (e exchange) {
	var q struct {
		URI, URL string
		Body     yaml.Node
		Parsed   yaml.Node `yaml:"parsed_body"`
	}
	var r struct {
		Body    yaml.Node
		Parsed  yaml.Node `yaml:"parsed_body"`
		Headers map[string][]string
		Code    int
		Status  yaml.Node
	}
	_ = request.Decode(&q)
	_ = response.Decode(&r)
	e.url, _ = url.Parse(q.URI + q.URL)
	e.request, e.answer = body(q.Body, q.Parsed), body(r.Body, r.Parsed)
	var status struct{ Code int }
	_ = r.Status.Decode(&status)
	e.status = max(r.Code, status.Code)
	for name, values := range r.Headers {
		if strings.EqualFold(name, "Content-Type") && len(values) > 0 {
			e.kind = values[0]
		}
	}
	return e
}

// body is a text, a text below "string", or a value that was JSON.
func body(plain, parsed yaml.Node) string {
	if parsed.Kind != 0 {
		return string(toJSON(nil, &parsed))
	}
	if plain.Kind == yaml.MappingNode {
		var inner struct{ String string }
		_ = plain.Decode(&inner)
		return inner.String
	}
	var text string
	_ = plain.Decode(&text)
	return text
}

// toJSON writes a value of YAML as JSON, in its order.
func toJSON(out []byte, n *yaml.Node) []byte {
	switch n.Kind {
	case yaml.AliasNode:
		return toJSON(out, n.Alias)
	case yaml.MappingNode, yaml.SequenceNode:
		open, end := byte('{'), byte('}')
		if n.Kind == yaml.SequenceNode {
			open, end = '[', ']'
		}
		out = append(out, open)
		for i, child := range n.Content {
			switch {
			case i > 0 && n.Kind == yaml.MappingNode && i%2 == 1:
				out = append(out, ':')
			case i > 0:
				out = append(out, ',')
			}
			if n.Kind == yaml.MappingNode && i%2 == 0 {
				key, _ := json.Marshal(child.Value)
				out = append(out, key...)
				continue
			}
			out = toJSON(out, child)
		}
		return append(out, end)
	}
	var v any
	_ = n.Decode(&v)
	if _, ok := v.(map[string]any); ok || n.Tag == "!!timestamp" {
		v = n.Value
	}
	text, _ := json.Marshal(v)
	return append(out, text...)
}

// hostsOf are the providers by their hosts, for chat completions.
var hostsOf = [][2]string{
	{"api.openai.com", "openai"}, {"openrouter.ai", "openrouter"}, {"groq.com", "groq"}, {"mistral.ai", "mistral"}, {"x.ai", "xai"}, {"z.ai", "zai"},
	{"huggingface.co", "huggingface"}, {"cerebras.ai", "cerebras"}, {"deepseek.com", "deepseek"}, {"ollama.com", "ollama"}, {"", "compatible"},
}

// place finds the adapter for an exchange; it reports false for what is no answer of a model.
func (e *exchange) place() bool {
	if e.url == nil || e.status == 0 || e.answer == "" {
		return false
	}
	var asked struct{ Model string }
	_ = json.Unmarshal([]byte(e.request), &asked)
	asked.Model = cmp.Or(asked.Model, "unknown")
	path := e.url.Path
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		host := slices.IndexFunc(hostsOf, func(h [2]string) bool { return strings.HasSuffix(e.url.Hostname(), h[0]) })
		e.protocol, e.provider = "chat", hostsOf[host][1]+"/"+asked.Model
	case strings.HasSuffix(path, "/responses"):
		e.protocol, e.provider = "responses", "openai-responses/"+asked.Model
	case strings.HasSuffix(path, "/v1/messages"):
		e.protocol, e.provider = "messages", "anthropic/"+asked.Model
	case strings.Contains(path, "/publishers/anthropic/"):
		e.protocol, e.provider = "messages", "vertex/claude-recorded"
	case strings.HasSuffix(path, "enerateContent"):
		e.protocol, e.provider = "gemini", "gemini/"+strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ":generateContent"), ":streamGenerateContent")
	case strings.HasSuffix(path, "/converse"), strings.HasSuffix(path, "/converse-stream"):
		e.protocol, e.provider = "converse", "bedrock/"+filepath.Base(filepath.Dir(path))
	case strings.HasSuffix(path, "/v2/chat"):
		e.protocol, e.provider = "cohere", "cohere/"+asked.Model
	default:
		return false
	}
	return true
}

// played is a transport that gives one answer to the first request for one; a list of models is refused.
type played struct {
	e    exchange
	body io.Reader
	sent []byte // the last request
}

func (p *played) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		return nil, errors.New("not recorded")
	}
	p.sent, _ = io.ReadAll(r.Body)
	return &http.Response{StatusCode: p.e.status, Status: fmt.Sprint(p.e.status), Header: http.Header{"Content-Type": {p.e.kind}}, Body: io.NopCloser(p.body)}, nil
}

// opened opens the adapter for an exchange.
func opened(t *testing.T, e exchange, p *played) model.Model {
	t.Helper()
	env := map[string]string{"AWS_REGION": "us-east-1", "AWS_BEARER_TOKEN_BEDROCK": "test-key", "CLOUDSDK_AUTH_ACCESS_TOKEN": "test-key", "GOOGLE_CLOUD_PROJECT": "p"}
	name, _, _ := strings.Cut(e.provider, "/")
	o := &providers.Options{Transport: p, Retry: &model.RetryOptions{Tries: -1}, Addresses: map[string]providers.Address{}, Getenv: func(v string) string {
		if strings.HasSuffix(v, "_API_KEY") || v == "HF_TOKEN" {
			return "test-key"
		}
		return env[v]
	}}
	if name == "compatible" || name == "ollama" {
		e.provider = "compatible" + strings.TrimPrefix(e.provider, name)
		o.Addresses["compatible"] = providers.Address{BaseURL: "http://recorded.invalid/v1"}
	}
	m, err := providers.Open(ctx, e.provider, o)
	if err != nil {
		t.Fatalf("%s: %v", e.name, err)
	}
	return m
}

var first = model.UserText("x")

// replayed lets the adapter read an answer.
func replayed(t *testing.T, e exchange, body io.Reader) reading {
	t.Helper()
	done, err := model.Ask(ctx, opened(t, e, &played{e: e, body: body}), &model.Request{Messages: []*model.Message{first}})
	if err != nil {
		r := reading{failed: "error"}
		if e, ok := errors.AsType[*model.Error](err); ok {
			r.failed = string(e.Kind) + ": " + e.Text
		}
		return r
	}
	r := reading{input: done.Usage.Input, output: done.Usage.Output, read: done.Usage.CacheRead, write: done.Usage.CacheWrite, spent: done.Usage.Thinking, stop: string(done.Stop)}
	for _, p := range done.Message.Parts {
		switch {
		case p.Kind == model.CallKind && !p.Truncated:
			r.calls = append(r.calls, p.Name+canonical(p.Args))
		case p.Kind == model.ThinkingKind:
			r.thinking += p.Text
		case p.Kind == model.TextKind:
			r.text += p.Text
		}
	}
	return r
}

// canonical writes JSON with sorted keys and without blanks.
func canonical(text string) string {
	if strings.TrimSpace(text) == "" {
		return "{}"
	}
	var v any
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return text
	}
	out, _ := json.Marshal(v)
	return string(out)
}

// TestRecordingsSent sends each recorded answer back, with results for its calls, and lists the fields of these requests that
// no recorded request to this provider had which was accepted. It only measures.
func TestRecordingsSent(t *testing.T) {
	dir := os.Getenv("REIN_RECORDINGS")
	if dir == "" {
		t.Skip("REIN_RECORDINGS names no directory with recordings")
	}
	accepted, sent := map[string]bool{}, map[string]int{}
	for _, e := range recordings(t, dir) {
		if e.status != http.StatusOK {
			continue
		}
		name, _, _ := strings.Cut(e.provider, "/")
		for path := range fields(e.request) {
			accepted[name+" "+path] = true
		}
		p := &played{e: e, body: strings.NewReader(e.answer)}
		m := opened(t, e, p)
		done, err := model.Ask(ctx, m, &model.Request{Messages: []*model.Message{first}})
		if err != nil {
			continue
		}
		history := []*model.Message{first, done.Message, model.UserText("and?")}
		if calls := done.Message.Calls(); len(calls) > 0 {
			var results []model.Part
			for _, c := range calls {
				results = append(results, model.Result(c.ID, "done", false))
			}
			history[2] = model.Answer(done.Message, results...)
		}
		_, _ = model.Ask(ctx, m, &model.Request{Messages: history})
		for path := range fields(string(p.sent)) {
			sent[name+" "+path]++
		}
	}
	for _, path := range slices.Sorted(mapKeys(sent)) {
		if !accepted[path] {
			t.Logf("%4d times %s", sent[path], path)
		}
	}
}

// fields returns the paths of the fields of a request. What is below arguments and schemas is left out.
func fields(request string) map[string]bool {
	all := map[string]bool{}
	var walk func(v any, path string)
	walk = func(v any, path string) {
		switch v := v.(type) {
		case map[string]any:
			kind, _ := v["type"].(string)
			for name, child := range v {
				at := path + "." + name
				if name == "type" {
					at += "=" + fmt.Sprint(child)
				} else if kind != "" {
					at = path + "(" + kind + ")." + name
				}
				all[at] = true
				if !slices.Contains([]string{"args", "arguments", "input", "parameters", "input_schema", "json", "tools"}, name) || path == "" && name == "input" {
					walk(child, at)
				}
			}
		case []any:
			for _, child := range v {
				walk(child, path+"[]")
			}
		}
	}
	var v any
	if json.Unmarshal([]byte(request), &v) == nil {
		walk(v, "")
	}
	return all
}
