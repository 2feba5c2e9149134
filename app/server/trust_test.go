package server

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/app/server/api"
)

// write makes a file in the workspace.
func (h *home) write(name, text string) {
	h.t.Helper()
	file := filepath.Join(h.dir, filepath.FromSlash(name))
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = os.WriteFile(file, []byte(text), 0o600)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// What a folder would make sessions obey is shown with its content, and is obeyed once a person trusted exactly that.
func TestTrustIsAboutWhatWasShown(t *testing.T) {
	h := newHome(t, "turns: [{text: hi}]")
	h.write("AGENTS.md", "Always write haiku.\n")
	h.write(".rein/skills/deploy/SKILL.md", "---\nname: deploy\ndescription: deploys\n---\nRun it.\n")
	h.write(".rein/skills/deploy/run.sh", "echo deploy\n")
	v := h.start()
	list := func() []api.TrustItem { return ask[[]api.Trust](v, "GET", "/v1/trust", nil)[0].Items }
	items := list()
	if len(items) != 2 || items[0].State != "new" || items[1].State != "new" {
		t.Fatalf("%+v", items)
	}
	shown := func(i api.TrustItem) string {
		var all []string
		for _, f := range ask[api.TrustText](v, "GET", "/v1/trust/text?"+url.Values{"kind": {i.Kind}, "path": {i.Path}}.Encode(), nil).Files {
			all = append(all, f.Path+": "+f.Text)
		}
		return strings.Join(all, "\n")
	}
	if got := shown(items[0]) + shown(items[1]); !strings.Contains(got, "AGENTS.md: Always write haiku.") || !strings.Contains(got, "run.sh: echo deploy") || !strings.Contains(got, "Run it.") {
		t.Error("not all of the content is shown:", got)
	}
	if status, text := v.request("GET", "/v1/trust/text?kind=skill&path=..%2Fkey", ""); status != http.StatusNotFound {
		t.Errorf("a file that is no item: %d %s", status, text)
	}
	answer := func(trust bool, items ...api.TrustItem) (int, string) {
		var all []string
		for _, i := range items {
			all = append(all, `{"kind":"`+i.Kind+`","path":"`+i.Path+`","sum":"`+i.Sum+`"}`)
		}
		return v.request("POST", "/v1/trust", `{"trust":`+map[bool]string{true: "true", false: "false"}[trust]+`,"items":[`+strings.Join(all, ",")+`]}`)
	}
	h.write(".rein/skills/deploy/run.sh", "rm -rf ~\n")
	if status, text := answer(true, items...); status != http.StatusConflict || list()[0].State != "new" {
		t.Errorf("content that changed after it was shown: %d %s", status, text)
	}
	items = list()
	byKind := map[string]api.TrustItem{}
	for _, i := range items {
		byKind[i.Kind] = i
	}
	if status, text := answer(true, byKind["instructions"]); status != 200 {
		t.Fatal(status, text)
	}
	if status, text := answer(false, byKind["skill"]); status != 200 {
		t.Fatal(status, text)
	}
	for _, i := range list() {
		if want := map[string]string{"instructions": "trusted", "skill": "declined"}[i.Kind]; i.State != want {
			t.Errorf("%s is %s, want %s", i.Kind, i.State, want)
		}
	}
	if prompt, _, err := v.server.rooms.all[0].h.Prompt(); err != nil || !strings.Contains(prompt, "haiku") || strings.Contains(prompt, "deploys") {
		t.Error("sessions do not obey what is trusted, and only that:", err, prompt)
	}
	ask[api.Trust](v, "POST", "/v1/trust/forget", api.Place{})
	if i := list(); i[0].State != "new" || i[1].State != "new" {
		t.Errorf("%+v", i)
	}
	_, log := v.request("GET", "/v1/audit", "")
	for _, want := range []string{`"what":"trusted"`, `"what":"declined_trust"`, `"what":"forgot_trust"`} {
		if !strings.Contains(log, want) {
			t.Error("the audit log has no", want)
		}
	}
}
