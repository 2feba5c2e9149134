package script

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rein/model"
)

const repairing = `
turns:
  - think: Tests first.
    text: I run the tests.
    calls:
      - name: bash
        args: {command: go test ./..., n: 9007199254740993}
  - expect:
      - contains: FAIL
      - {call: 1, failed: false}
    calls:
      - {name: read_file, args: {path: a.go}, id: call_7}
      - {name: broken, args: '{"path": '}
  - expect: {matches: 'package \w+'}
    text: Done.
    usage: {input: 100, output: 7}
`

func parse(t *testing.T, text string) *Model {
	t.Helper()
	s, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &Model{Script: s, Name: "test"}
}

func TestModelFollowsItsScript(t *testing.T) {
	m := parse(t, repairing)
	messages := []*model.Message{model.UserText("repair it")}
	ask := func() model.Chunk {
		t.Helper()
		done, err := model.Ask(t.Context(), m, &model.Request{Messages: messages})
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, done.Message)
		return done
	}
	first := ask()
	calls := first.Message.Calls()
	if first.Stop != model.StopCalls || len(calls) != 1 || calls[0].Args != `{"command":"go test ./...","n":9007199254740993}` {
		t.Errorf("got %+v", first.Message)
	}
	messages = append(messages, model.Answer(first.Message, model.Result(calls[0].ID, "FAIL a", false)))
	second := ask()
	calls = second.Message.Calls()
	if calls[0].ProviderID != "call_7" || calls[1].Args != `{"path": ` {
		t.Errorf("got %+v", calls)
	}
	messages = append(messages, model.Answer(second.Message, model.Result(calls[0].ID, "package a", false), model.Result(calls[1].ID, "", true)))
	last := ask()
	if last.Stop != model.StopEnd || last.Message.Text() != "Done." || last.Usage.Output != 7 {
		t.Errorf("got %+v", last)
	}
	_, err := model.Ask(t.Context(), m, &model.Request{Messages: append(messages, model.UserText("more"))})
	if err == nil || !strings.Contains(err.Error(), "ends after turn 3") {
		t.Errorf("got %v", err)
	}
}

func TestExpectations(t *testing.T) {
	heard := []Heard{{Text: "one"}, {Text: "two\n", Failed: true}}
	rows := []struct{ name, yaml, want string }{
		{"contains, of all", "{contains: two}", ""},
		{"contains, of one result", "{call: 1, contains: two}", "to contain"},
		{"lacks", "{lacks: one}", "not to contain"},
		{"equals but for blanks", "{call: 2, equals: two}", ""},
		{"equals nothing", "{call: 2, equals: ''}", "to be"},
		{"matches", "{matches: '^one$'}", "to match"},
		{"failed", "{call: 2, failed: true}", ""},
		{"not failed", "{call: 1, failed: true}", "failed"},
		{"no such result", "{call: 3}", "expects a result 3"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s, err := Parse([]byte("turns: [{text: x, expect: " + row.yaml + "}]"))
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Find(Asked{Heard: heard})
			if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "turns: []", "turns: [{txt: a}]", "turns: [{stop: never}]", "turns: [{calls: [{args: {}}]}]", "turns: [{expect: {matches: '('}}]", "- a"} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestFailuresPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := parse(t, "turns: [{text: hi, error: {status: 529, text: busy, retry_after: 10s, times: 2}}]")
		start := time.Now()
		done, err := model.Ask(t.Context(), model.Retry(m, nil), &model.Request{Messages: []*model.Message{model.UserText("x")}})
		if err != nil || done.Message.Text() != "hi" || time.Since(start) != 20*time.Second {
			t.Errorf("got %+v, %v after %v", done, err, time.Since(start))
		}
	})
}

func TestRepeatAndConversations(t *testing.T) {
	s := parse(t, "turns: [{text: a, repeat: 2}, {text: b}]\nconversations: [{when: '^sub', turns: [{text: c}]}]").Script
	var got string
	for _, a := range []Asked{{Turn: 0}, {Turn: 1}, {Turn: 2}, {First: "subtask"}} {
		turn, err := s.Find(a)
		if err != nil {
			t.Fatal(err)
		}
		got += turn.Text
	}
	if got != "aabc" {
		t.Error(got)
	}
}

func TestPiecesKeepCharacters(t *testing.T) {
	s := Script{Delta: 2}
	if got := strings.Join(s.Pieces("aéb😀cd"), "|"); got != "aé|b😀|cd" {
		t.Error(got)
	}
}
