package server

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rein/app/server/api"
	"rein/journal"
)

// fill makes writes to a file that this process has open fail, as on a full disk.
func fill(t *testing.T, file string) {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, fd := range all {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err != nil || to != file {
			continue
		}
		n := 0
		for _, digit := range fd.Name() {
			n = 10*n + int(digit-'0')
		}
		if err := syscall.Dup3(int(full.Fd()), n, syscall.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		found++
	}
	if found == 0 {
		t.Fatal(file, "is not open")
	}
}

// TestATurnThatCannotBeRecordedLosesNoMessage has a session whose journal takes nothing any more: it says so, and the next message opens it
// again and is sent after the one that was not recorded.
func TestATurnThatCannotBeRecordedLosesNoMessage(t *testing.T) {
	h := newHome(t, "turns: [{text: one}, {text: two}, {text: three}]")
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "first"})
	v.state(s.ID, api.Idle)
	file := filepath.Join(h.dirs.Sessions, s.ID, journal.FileName)
	fill(t, file)
	ask[api.Sent](v, "POST", "/v1/sessions/"+s.ID+"/messages", api.NewMessage{Text: "second"})
	broken := v.state(s.ID, api.Failed)
	if !strings.Contains(broken.Unrecorded, "no space left") || len(broken.Queued) != 1 || broken.Queued[0].Text != "second" || broken.Working {
		t.Errorf("%+v", broken)
	}
	ask[api.Sent](v, "POST", "/v1/sessions/"+s.ID+"/messages", api.NewMessage{Text: "third"})
	var said []string
	v.until("both are sent", func() bool {
		said = nil
		for e, err := range journal.Read(file) {
			if err == nil && e.Kind == "prompt" {
				said = append(said, e.Text)
			}
		}
		return len(said) == 3
	})
	if whole := v.state(s.ID, api.Idle); strings.Join(said, " ") != "first second third" || whole.Unrecorded != "" || len(whole.Queued) > 0 {
		t.Errorf("%q %+v", said, whole)
	}
}

// TestADamagedSessionIsInTrouble has journals of which a line, or the whole, cannot be read: lists say so, and no approval is taken that
// could not be carried out.
func TestADamagedSessionIsInTrouble(t *testing.T) {
	h := newHome(t, asksOnce)
	v := h.start()
	change := map[string]func(text string) string{
		"line":   func(text string) string { return strings.Replace(text, `{"kind":"response"`, "{\x00garbage", 1) },
		"format": func(text string) string { return strings.Replace(text, `"format":`, `"format":99`, 1) },
		"first":  func(text string) string { return "garbage\n" + text[strings.Index(text, "\n")+1:] },
	}
	ids, asked := map[string]string{}, map[string]api.Request{}
	for name := range change {
		ids[name] = ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: name}).ID
		v.state(ids[name], api.Waiting)
	}
	for _, r := range ask[api.Requests](v, "GET", "/v1/inbox", nil).Requests {
		asked[r.Session] = r
	}
	v.stop()
	for name, do := range change {
		file := filepath.Join(h.dirs.Sessions, ids[name], journal.FileName)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(do(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	v = h.start()
	v.state(ids["line"], api.Waiting) // the inbox is read in the background
	listed := map[string]api.Session{}
	for _, s := range ask[[]api.Session](v, "GET", "/v1/sessions", nil) {
		listed[s.ID] = s
	}
	for name, in := range map[string]func(api.Session) bool{
		"line":   func(s api.Session) bool { return s.Damaged == 1 && s.State == api.Waiting },
		"format": func(s api.Session) bool { return s.Unreadable && s.State == api.Failed },
		"first":  func(s api.Session) bool { return s.Damaged == 1 },
	} {
		if s, ok := listed[ids[name]]; !ok || !in(s) {
			t.Errorf("%s: listed %v: %+v", name, ok, s)
		}
	}
	r := asked[ids["format"]]
	body := `{"choice":"approved","hash":"` + r.Hash + `"}`
	if status, text := v.request("POST", "/v1/inbox/"+r.Session+"/"+r.Call, body); status != http.StatusConflict || !strings.Contains(text, "cannot be read") {
		t.Errorf("an approval of a session that cannot be read: %d %s", status, text)
	}
	if status, text := v.request("POST", "/v1/inbox/"+r.Session+"/"+r.Call, strings.Replace(body, "approved", "denied", 1)); status != http.StatusOK {
		t.Errorf("a denial: %d %s", status, text)
	}
}

// TestATitleIsOneShortLine has a first message of many lines, with a character that turns the direction.
func TestATitleIsOneShortLine(t *testing.T) {
	v := newHome(t, "turns: [{text: one}]").start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "read \u202eexe.txt\n" + strings.Repeat("a log\n", 10_000)})
	if s = v.state(s.ID, api.Idle); s.Title != "read exe.txt" {
		t.Errorf("%.200q", s.Title)
	}
}
