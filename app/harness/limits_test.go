package harness

import (
	"reflect"
	"strconv"
	"testing"
	"time"

	"rein/agent"
	"rein/app/settings"
	"rein/tool"
	"rein/toolcall"
)

// TestTheTagsOfLimitsAreTheirDefaults: a project may only lower a limit that nobody set, so the settings know the default.
func TestTheTagsOfLimitsAreTheirDefaults(t *testing.T) {
	tag := func(of reflect.Type, field string) string {
		f, ok := of.FieldByName(field)
		if !ok {
			t.Fatalf("%v has no %s", of, field)
		}
		return f.Tag.Get("lower")
	}
	limits := reflect.TypeFor[settings.Limits]()
	for field, want := range map[string]int64{
		"Parallel": toolcall.DefaultParallel, "Output": tool.DefaultOutputLimit, "Calls": toolcall.DefaultCalls, "Args": toolcall.DefaultArgs,
		"Parts": tool.DefaultParts, "PartBytes": tool.DefaultPartBytes,
	} {
		if got := tag(limits, field); got != strconv.FormatInt(want, 10) {
			t.Errorf("limits.%s: the tag says %s, the default is %d", field, got, want)
		}
	}
	if got := tag(reflect.TypeFor[settings.Settings](), "MaxTurns"); got != strconv.FormatInt(agent.DefaultMaxTurns, 10) {
		t.Errorf("maxTurns: %s", got)
	}
	if got, _ := time.ParseDuration(tag(limits, "Timeout")); got != toolcall.DefaultTimeout {
		t.Errorf("limits.timeout: %v", got)
	}
}

// TestAProjectOnlyLowersTheLimitsOfATool: also those that the tool has by itself.
func TestAProjectOnlyLowersTheLimitsOfATool(t *testing.T) {
	for _, row := range []struct {
		rule           string
		own, user, pro time.Duration
		want           time.Duration
	}{
		{"below the tool's own", time.Minute, 0, time.Second, time.Second},
		{"above the tool's own", time.Minute, 0, time.Hour, time.Minute},
		{"above the general limit", 0, 0, time.Hour, toolcall.DefaultTimeout},
		{"above the user's", time.Minute, 2 * time.Minute, time.Hour, 2 * time.Minute},
		{"below the user's", time.Minute, 2 * time.Minute, 90 * time.Second, 90 * time.Second},
	} {
		layers := []settings.Layer{{Name: "user"}, {Name: "project"}}
		for i, d := range []time.Duration{row.user, row.pro} {
			if _, err := layers[i].Parse([]byte(`{"limits":{"tools":{"grep":{"timeout":"` + d.String() + `"}}}}`)); err != nil {
				t.Fatal(err)
			}
		}
		h := &Harness{settings: settings.Merge(layers)}
		if got := h.limited(&tool.Tool{Name: "grep", Timeout: row.own}).Timeout; got != row.want {
			t.Errorf("%s: %v, want %v", row.rule, got, row.want)
		}
	}
}

// someTeam is a team with one tool.
type someTeam struct{ agent.Team }

func (someTeam) Tools(*agent.Session) []*tool.Tool {
	return []*tool.Tool{{Name: "agent", Timeout: 6 * time.Hour}, {Name: "agent_list"}}
}

// TestTheToolsOfSubAgentsHaveTheLimitsOfTheSettings: the time of a whole task is that of limits.tools.agent. The time of the options is
// that of one call of the session, and does not end a task.
func TestTheToolsOfSubAgentsHaveTheLimitsOfTheSettings(t *testing.T) {
	var user settings.Layer
	if _, err := user.Parse([]byte(`{"limits":{"tools":{"agent":{"timeout":"90s","output":4096}}}}`)); err != nil {
		t.Fatal(err)
	}
	h := &Harness{settings: settings.Merge([]settings.Layer{user}), options: Options{Timeout: Duration(time.Second)}}
	all := onOffer{someTeam{}, func(name string) bool { return name == "agent" }, h.bySettings}.Tools(nil)
	if len(all) != 1 || all[0].Timeout != 90*time.Second || all[0].Output != 4096 {
		t.Errorf("%+v", all)
	}
}
