package event

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestStartsReadAsEver: the first line of a journal has the same bytes as before the terms were a type of their own, and is read again.
func TestStartsReadAsEver(t *testing.T) {
	const line = `{"kind":"started","time":"0001-01-01T00:00:00Z","start":{"model":"p/m","mode":"plan","dir":"/w","tools":["bash"],"resumed":true,"version":"1",` +
		`"add_dirs":["/d"],"dialect":"none","effort":"low","think_first":true,"allow":["bash(a && <b>)"],"ask":["b"],"deny":["c"],"sandbox":"off","mode_before":"auto",` +
		`"max_turns":1,"budget":2,"max_usd":0.5,"max_time_ns":3,"fallback":["p/n"],"offer":["-x"],"mcp_config":["00 /f"],"strict_mcp":true}}` + "\n"
	var e Event
	if err := e.Parse([]byte(line)); err != nil {
		t.Fatal(err)
	}
	if v := reflect.ValueOf(*e.Start); v.FieldByName("Terms").IsZero() || !e.Start.Resumed || e.Start.StrictMCP != true {
		t.Errorf("%+v", *e.Start)
	}
	if got, err := e.Line(nil); err != nil || string(got) != line {
		t.Errorf("%v\ngot  %swant %s", err, got, line)
	}
	const least = `{"model":"","mode":"","dir":"","tools":null,"version":""}`
	if got, err := json.Marshal(Start{}); err != nil || string(got) != least {
		t.Errorf("%v %s", err, got)
	}
}
