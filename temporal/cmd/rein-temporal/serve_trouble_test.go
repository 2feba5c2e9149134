package main

import (
	"testing"

	"rein/temporal"
)

// The page gets which sub-agent is in trouble, where it is not the session itself.
func TestTheTroubleOfASubAgentNamesIt(t *testing.T) {
	e := &engine{all: map[string]*copied{"s1": {id: "s1", root: "s1", trouble: temporal.Trouble{Kind: temporal.Busy, Session: "s2", Queue: "web"}}}}
	got := e.Trouble("s1")
	if got == nil || got.Session != "s2" || got.Kind != "busy" || got.Queue != "web" || got.Stuck {
		t.Errorf("got %+v", got)
	}
}
