package server

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write api/openapi.json, and pack dist into dist.zip")

// The committed description is the one that the Go types give. The page's types and other clients are made from it.
func TestTheDescriptionIsUpToDate(t *testing.T) {
	var got, pretty bytes.Buffer
	if err := Spec(&got, "1"); err != nil {
		t.Fatal(err)
	}
	if err := json.Indent(&pretty, got.Bytes(), "", " "); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	const name = "api/openapi.json"
	if *update {
		if err := os.WriteFile(name, pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(want, pretty.Bytes()) {
		t.Errorf("%s is not what the types give: go test ./app/server -run Description -update (%v)", name, err)
	}
}

// A path with another method names those that it takes.
func TestAnotherMethodIsRefusedWithThoseThatThereAre(t *testing.T) {
	v := newHome(t, "turns: [{text: hi}]").start()
	for _, row := range []struct {
		method, path, allow string
		status              int
	}{
		{"DELETE", "/v1/me", "GET, HEAD", 405},
		{"PUT", "/v1/sessions", "GET, HEAD, POST", 405},
		{"GET", "/v1/sessions/x/cancel", "POST", 405},
		{"POST", "/v1/metrics", "GET, HEAD", 405},
		{"GET", "/v1/nothing", "", 404},
	} {
		answer := v.send(row.method, row.path, "")
		answer.Body.Close()
		if answer.StatusCode != row.status || answer.Header.Get("Allow") != row.allow {
			t.Errorf("%s %s: %d, Allow %q", row.method, row.path, answer.StatusCode, answer.Header.Get("Allow"))
		}
	}
}

// Every described operation is served: with a key, it answers something else than "nothing at this path".
func TestEveryDescribedOperationIsServed(t *testing.T) {
	v := newHome(t, "turns: [{text: hi}]").unlimited().start()
	for _, op := range operations(t) {
		if op.id == "events" {
			continue // a stream that does not end; its own tests
		}
		path := strings.NewReplacer("{id}", "nothing", "{session}", "nothing", "{call}", "nothing", "{name}", "nothing", "{job}", "nothing", "{message}", "nothing").Replace(op.path)
		status, text := v.request(op.method, path, "{}")
		if status == 405 || strings.Contains(text, ":no_path") || status >= 500 {
			t.Errorf("%s %s: %d %s", op.method, op.path, status, text)
		}
		if op.open {
			continue
		}
		if status, _ := v.request(op.method, path, "{}", noKey); status != 401 && op.id != "sign-out" {
			t.Errorf("%s %s without a key: %d", op.method, op.path, status)
		}
	}
}

type operation struct {
	id, method, path string
	open             bool
	spec             map[string]any
}

func operations(t *testing.T) (all []operation) {
	t.Helper()
	var b bytes.Buffer
	if err := Spec(&b, "1"); err != nil {
		t.Fatal(err)
	}
	var spec struct {
		OpenAPI string
		Paths   map[string]map[string]map[string]any
	}
	if err := json.Unmarshal(b.Bytes(), &spec); err != nil || !strings.HasPrefix(spec.OpenAPI, "3.1") {
		t.Fatal(err, spec.OpenAPI)
	}
	for path, methods := range spec.Paths {
		for method, op := range methods {
			security, named := op["security"].([]any)
			all = append(all, operation{op["operationId"].(string), strings.ToUpper(method), path, named && len(security) == 0, op})
		}
	}
	if len(all) < 10 {
		t.Fatal("the description is nearly empty")
	}
	return all
}

// Requests of nonsense to every operation are refused as such: never an internal error.
func FuzzOperations(f *testing.F) {
	for _, body := range []string{"{}", "[]", "null", `{"text":""}`, `{"text":"x","id":"` + strings.Repeat("a", 100) + `"}`, `{"choice":"approved","hash":"0"}`, `{"calls":[{}],"choice":"denied"}`,
		`{"key":null}`, `{"limit":1e400}`, strings.Repeat("[", 5000), "\xff\xfe", `{"mode":"wild"}`, `{"model":"nobody/nothing"}`, `{"dir":"\u0000"}`} {
		f.Add(body, "nothing", "limit=1")
		f.Add(body, "%2e%2e", "limit=-1&before=x")
	}
	f.Fuzz(func(t *testing.T, body, id, query string) {
		v := newHome(t, "turns: [{text: hi}]").unlimited().start()
		id = strings.Map(func(r rune) rune {
			if strings.ContainsRune("%?#/ \\", r) || r < ' ' || r > '~' {
				return '_'
			}
			return r
		}, id)
		for _, op := range operations(t) {
			if op.id == "events" {
				continue
			}
			path := strings.NewReplacer("{id}", "x"+id, "{session}", "x"+id, "{call}", "x"+id, "{name}", "x"+id, "{job}", "x"+id, "{message}", "x"+id).Replace(op.path)
			if !strings.ContainsFunc(query, func(r rune) bool { return r <= ' ' || r > '~' || r == '#' || r == '%' }) {
				path += "?" + query
			}
			if status, text := v.request(op.method, path, body); status >= 500 {
				t.Errorf("%s %s with %q: %d %s", op.method, path, body, status, text)
			}
		}
	})
}

// described serves the description: an operation answers 501 to the header Status where it does not have that status.
var described struct {
	sync.Once
	mux *http.ServeMux
}

// documented checks that the description has the status of a problem that was answered.
func documented(t *testing.T, r *http.Request, status int) {
	t.Helper()
	described.Do(func() {
		described.mux = http.NewServeMux()
		for _, op := range operations(t) {
			described.mux.HandleFunc(op.method+" "+op.path, func(w http.ResponseWriter, r *http.Request) {
				if _, ok := op.spec["responses"].(map[string]any)[r.Header.Get("Status")]; !ok {
					w.WriteHeader(http.StatusNotImplemented)
				}
			})
		}
	})
	w := httptest.NewRecorder()
	described.mux.ServeHTTP(w, &http.Request{Method: r.Method, URL: &url.URL{Path: r.URL.Path}, Header: http.Header{"Status": {strconv.Itoa(status)}}})
	if w.Code == http.StatusNotImplemented {
		t.Errorf("%s %s answers %d, which its description does not have", r.Method, r.URL.Path, status)
	}
}
