package main

import (
	"strings"
	"testing"

	"rein/app/server/api"
)

// The trouble of a session that runs on other machines is said as it begins, as it becomes another one, and as it ends; each once.
func TestTroubleBeginsAndEnds(t *testing.T) {
	worker, sub := &api.Trouble{Text: "no worker looks at the queue web"}, &api.Trouble{Text: "its sub-agent s2: no worker looks at the queue web.agents1"}
	var held trouble
	var said []string
	for _, now := range []*api.Trouble{nil, worker, worker, sub, nil, nil, worker} {
		said = append(said, held.news(now))
	}
	want := "||the session: no worker looks at the queue web||the session: its sub-agent s2: no worker looks at the queue web.agents1|the trouble is over||the session: no worker looks at the queue web"
	if got := strings.Join(said, "|"); got != want[1:] {
		t.Errorf("said %q", got)
	}
}
