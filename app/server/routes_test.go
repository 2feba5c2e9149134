package server

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"rein/app/server/api"
)

// roles says which role each operation needs, with a body that the description allows. "" needs no key.
var roles = map[string]struct {
	role Role
	body string
}{
	"health": {"", ""}, "sign-in-ways": {"", ""}, "sign-in-provider": {"", ""}, "sign-in-return": {"", ""}, "reload-settings": {roleOperator, `{}`}, "usage-table": {RoleViewer, ""}, "sign-in": {"", `{"key":"x"}`}, "sign-out": {RoleViewer, ""},
	"me": {RoleViewer, ""}, "list-workspaces": {RoleViewer, ""}, "events": {RoleViewer, ""}, "metrics": {RoleViewer, ""},
	"list-sessions": {RoleViewer, ""}, "get-session": {RoleViewer, ""}, "list-events": {RoleViewer, ""}, "search": {RoleViewer, ""},
	"list-requests": {RoleViewer, ""}, "usage": {RoleViewer, ""}, "count-calls": {RoleViewer, ""}, "list-steps": {RoleViewer, ""}, "whole-output": {RoleViewer, ""}, "export-session": {RoleViewer, ""},
	"answer-request":  {roleApprover, `{"choice":"denied","hash":"0"}`},
	"answer-requests": {roleApprover, `{"choice":"denied","calls":[{"session":"x","call":"x","hash":"x"}]}`},
	"create-session":  {roleOperator, `{"dir":"/nowhere"}`}, "send-message": {roleOperator, `{"text":"x"}`}, "unqueue-message": {roleOperator, ""}, "cancel-turn": {roleOperator, ""},
	"resume-session": {roleOperator, ""}, "change-session": {roleOperator, `{"name":"x"}`}, "fork-session": {roleOperator, `{"at":99999}`},
	"delete-session": {roleOperator, ""}, "rewind-session": {roleOperator, `{"at":99999}`}, "compact-session": {roleOperator, `{}`}, "undo": {roleOperator, `{"last":1}`},
	"list-names": {roleOperator, ""}, "list-models": {roleOperator, ""},
	"list-files": {roleOperator, ""}, "read-file": {roleOperator, ""}, "download-file": {roleOperator, ""},
	"list-changes": {RoleViewer, ""}, "session-changes": {RoleViewer, ""}, "git-changes": {roleOperator, ""}, "list-tools": {RoleViewer, ""}, "attach-file": {roleOperator, `{"name":"a.txt","data":"aGk="}`},
	"list-jobs": {RoleViewer, ""}, "job-output": {RoleViewer, ""}, "stop-job": {roleOperator, ""},
	"list-rules": {RoleViewer, ""}, "explain-call": {RoleViewer, `{"call":"ls"}`}, "simulate-rules": {RoleViewer, `{}`},
	"change-rule": {roleOperator, `{"decision":"deny","rule":"bash(rm:*)","scope":"project","check":true}`}, "list-settings": {roleOperator, ""},
	"change-setting": {roleOperator, `{"names":["effort"],"value":"low","scope":"project","check":true}`},
	"sent-file":      {roleOperator, ""}, "list-audit": {roleOperator, ""},
	"list-trust": {RoleViewer, ""}, "trust-text": {roleOperator, ""}, "forget-trust": {roleOperator, `{}`},
	"list-agents": {RoleViewer, ""}, "list-skills": {RoleViewer, ""}, "list-memory": {RoleViewer, ""}, "confirm-memory": {roleOperator, ""}, "delete-memory": {roleOperator, ""},
	"save-agent": {roleOperator, `{"text":"x","check":true}`}, "delete-agent": {roleOperator, `{"was":"x"}`}, "save-skill": {roleOperator, `{"text":"x","check":true}`}, "delete-skill": {roleOperator, `{"was":"x"}`},
	"edit-memory": {roleOperator, `{"text":"x","category":"knowledge"}`}, "add-memory": {roleOperator, `{"text":"x","category":"knowledge","dir":"/nowhere"}`},
	"list-tool-servers": {RoleViewer, ""}, "try-tool-server": {roleOperator, ""}, "accept-tool": {roleOperator, `{"tool":"x","hash":"x"}`},
	"login-tool-server": {roleOperator, ""}, "logout-tool-server": {roleOperator, ""},
	"list-users": {roleOwner, ""}, "add-user": {roleOwner, `{"name":"owner","role":"viewer"}`}, "remove-user": {roleOwner, ""},
	"list-schedules": {RoleViewer, ""}, "list-runs": {RoleViewer, ""}, "check-schedule": {roleOperator, `{"when":"@daily","prompt":"x"}`},
	"add-schedule": {roleOperator, `{"when":"@daily","prompt":"x"}`}, "pause-schedule": {roleOperator, `{"paused":true}`}, "run-schedule": {roleOperator, ""}, "delete-schedule": {roleOperator, ""},
	"answer-trust": {roleOperator, `{"trust":true,"items":[{"kind":"hook","path":"x","sum":"0"}]}`},
}

// Every operation is for the role of the table and for those above it, and for no other.
func TestWhichRoleEachOperationNeeds(t *testing.T) {
	v := newHome(t, "turns: [{text: hi}, {text: ho}, {text: hu}]").unlimited().start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	v.state(s.ID, api.Idle)
	keys := map[Role]func(*http.Request){"": noKey}
	all := []Role{"", RoleViewer, roleApprover, roleOperator}
	for _, role := range all[1:] {
		key, err := v.server.Auth().Add(User{Name: string(role), Role: role})
		if err != nil {
			t.Fatal(err)
		}
		keys[role] = header("Authorization", "Bearer "+key)
	}
	for _, op := range operations(t) {
		want, ok := roles[op.id]
		if !ok {
			t.Errorf("%s is in no row of the table", op.id)
			continue
		}
		if written, has := op.spec["x-role"]; has && written != string(want.role) {
			t.Errorf("%s: the description names the role %s, the table %s", op.id, written, want.role)
		}
		if op.id == "sign-out" || op.id == "sign-in" {
			continue // they answer everybody
		}
		id := s.ID
		if strings.HasPrefix(op.path, "/v1/memory/") || strings.HasPrefix(op.path, "/v1/schedules/") {
			id = "99"
		}
		path := strings.NewReplacer("{id}", id, "{session}", "x", "{call}", "x", "{name}", "x", "{job}", "x", "{message}", "x").Replace(op.path)
		switch op.id {
		case "search":
			path += "?q=x"
		case "trust-text":
			path += "?kind=hook&path=x"
		}
		for _, role := range all {
			if op.id == "events" && role != "" {
				continue // a stream that does not end; TestRolesAndWorkspaces
			}
			status, text := v.request(op.method, path, want.body, keys[role])
			may := want.role == "" || role.May(want.role)
			if refused := status == http.StatusUnauthorized || status == http.StatusForbidden; refused == may {
				t.Errorf("%s as %q: %d %.200s", op.id, role, status, text)
			}
		}
	}
}

// Every operation answers values that its description knows, in the wrong places too, with a problem and never with a fault.
func TestHostileValuesForEachOperation(t *testing.T) {
	v := newHome(t, "turns: [{text: hi}]").unlimited().start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	v.state(s.ID, api.Idle)
	ops := operations(t)
	schemas := components(t)
	slices.SortFunc(ops, func(a, b operation) int { return strings.Compare(a.id, b.id) })
	random := rand.New(rand.NewPCG(1, 2))
	g := generator{random, schemas}
	for range 12 {
		for _, op := range ops {
			if op.id == "events" || op.id == "sign-in" && random.IntN(4) > 0 { // wrong keys are slowed down
				continue
			}
			id := []string{s.ID, "x", "a-b", url.PathEscape(g.text())}[random.IntN(4)]
			path := strings.NewReplacer("{id}", id, "{session}", id, "{call}", url.PathEscape("c"+g.text()), "{name}", url.PathEscape("n"+g.text()), "{job}", url.PathEscape("j"+g.text()), "{message}", url.PathEscape("m"+g.text())).Replace(op.path) + g.query(op.spec)
			body := ""
			if op.method != "GET" {
				text, err := json.Marshal(g.value(bodyOf(op.spec), 0))
				if err != nil {
					t.Fatal(err)
				}
				body = string(text)
				if random.IntN(6) == 0 {
					body = body[:random.IntN(len(body)+1)]
				}
			}
			status, kind, text := v.answerOf(op.method, path, body)
			if status >= 500 || status >= 400 && status != http.StatusRequestHeaderFieldsTooLarge && kind != "application/problem+json" {
				t.Errorf("%s %s with %.300q: %d %s %.300s", op.method, path, body, status, kind, text)
			}
		}
	}
}

// send sends a request with the owner's key.
func (v *served) send(method, path, body string) *http.Response {
	v.Helper()
	r, err := http.NewRequestWithContext(v.Context(), method, v.url+path, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+v.key)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		v.Fatal(err)
	}
	return answer
}

// answerOf returns also the type of the answer.
func (v *served) answerOf(method, path, body string) (status int, kind, text string) {
	v.Helper()
	answer := v.send(method, path, body)
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	if err != nil {
		v.Fatal(err)
	}
	return answer.StatusCode, answer.Header.Get("Content-Type"), string(all)
}

func components(t *testing.T) map[string]any {
	t.Helper()
	var b strings.Builder
	if err := Spec(&b, "1"); err != nil {
		t.Fatal(err)
	}
	var spec struct {
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal([]byte(b.String()), &spec); err != nil {
		t.Fatal(err)
	}
	return spec.Components.Schemas
}

func bodyOf(op map[string]any) any {
	body, _ := op["requestBody"].(map[string]any)
	content, _ := body["content"].(map[string]any)
	media, _ := content["application/json"].(map[string]any)
	return media["schema"]
}

// generator makes values by schemas, some of them wrong.
type generator struct {
	*rand.Rand
	schemas map[string]any
}

func (g generator) text() string {
	return []string{"", "x", "../../etc/passwd", "'; DROP TABLE sessions;--", "\x00", "\u202e\u2066", strings.Repeat("漢", 3000), "<script>alert(1)</script>", "${HOME}", "-1", "%2e%2e%2f", "/help", "\r\nX: y", "script//nowhere"}[g.IntN(14)]
}

func (g generator) query(op map[string]any) string {
	values := url.Values{}
	parameters, _ := op["parameters"].([]any)
	for _, p := range parameters {
		p := p.(map[string]any)
		if p["in"] == "query" && g.IntN(2) == 0 {
			values.Set(p["name"].(string), fmt.Sprint(g.value(p["schema"], 3)))
		}
	}
	if g.IntN(8) == 0 {
		values.Set("unknown", g.text())
	}
	return "?" + values.Encode()
}

func (g generator) value(schema any, depth int) any {
	s, _ := schema.(map[string]any)
	if ref, ok := s["$ref"].(string); ok {
		return g.value(g.schemas[strings.TrimPrefix(ref, "#/components/schemas/")], depth)
	}
	if g.IntN(7) == 0 {
		return []any{nil, true, -1, 1e300, g.text(), []any{}, map[string]any{"x": g.text()}, strings.Repeat("[", 50)}[g.IntN(8)]
	}
	if options, ok := s["enum"].([]any); ok {
		return options[g.IntN(len(options))]
	}
	kind := fmt.Sprint(s["type"])
	switch {
	case strings.Contains(kind, "object") && depth < 6:
		out := map[string]any{}
		properties, _ := s["properties"].(map[string]any)
		for name, of := range properties {
			if g.IntN(3) > 0 {
				out[name] = g.value(of, depth+1)
			}
		}
		return out
	case strings.Contains(kind, "array") && depth < 6:
		return []any{g.value(s["items"], depth+1)}
	case strings.Contains(kind, "integer"), strings.Contains(kind, "number"):
		return []any{0, 1, 7, -3, int64(1) << 62}[g.IntN(5)]
	case strings.Contains(kind, "boolean"):
		return g.IntN(2) == 0
	}
	return g.text()
}
