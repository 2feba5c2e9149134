package dialect

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

// trip is calls that must survive being written and read.
type trip struct {
	ID     string          `json:"id"`
	Tools  []Tool          `json:"tools"`
	Prompt json.RawMessage `json:"prompt"`
	Calls  []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Valid     bool            `json:"schema_valid"`
	} `json:"calls"`
}

// silent are the dialects without calls.
var silent = map[string]bool{"plain": true, "think_only": true}

func TestCallsSurviveEveryDialect(t *testing.T) {
	for _, tr := range readTrips(t, "testdata/trips.jsonl") {
		for _, d := range All() {
			if !silent[d.Name] {
				checkTrip(t, d, tr)
			}
		}
	}
}

// TestTripsOfACorpus does the same over a file of many calls, named by REIN_TRIPS, and counts.
func TestTripsOfACorpus(t *testing.T) {
	path := os.Getenv("REIN_TRIPS")
	if path == "" {
		return // the test above has rows of its own; this one measures
	}
	trips := readTrips(t, path)
	for _, d := range All() {
		if silent[d.Name] {
			continue
		}
		right, all := 0, 0
		for _, tr := range trips {
			for i := range tr.Calls {
				if !tr.Calls[i].Valid {
					continue
				}
				one := tr
				one.Calls = tr.Calls[i : i+1]
				all++
				if why := tripFails(d, one); why == "" {
					right++
				} else if all-right <= 3 && os.Getenv("REIN_TRIPS_SHOW") != "" {
					t.Logf("%s %s: %s", d.Name, tr.ID, why)
				}
			}
		}
		t.Logf("%-22s %d of %d", d.Name, right, all)
	}
}

// TestPromptsOfACorpusAreNoCalls parses users' prompts, and the tools' own descriptions, as if a model had written them.
func TestPromptsOfACorpusAreNoCalls(t *testing.T) {
	path := os.Getenv("REIN_TRIPS")
	if path == "" {
		return // prose of our own is in TestProseIsNoCall; this one measures
	}
	trips := readTrips(t, path)
	for _, d := range All() {
		for _, tr := range trips {
			text := string(tr.Prompt)
			for _, tool := range tr.Tools {
				text += "\n" + tool.Description + "\n" + string(tool.Parameters)
			}
			if a := Parse(d, Options{Tools: tr.Tools}, text); len(a.Calls) > 0 {
				t.Errorf("%s %s: a call out of prose: %s%s", d.Name, tr.ID, a.Calls[0].Name, a.Calls[0].Args)
			}
		}
	}
}

func checkTrip(t *testing.T, d *Dialect, tr trip) {
	t.Helper()
	if why := tripFails(d, tr); why != "" {
		t.Errorf("%s: %s: %s", d.Name, tr.ID, why)
	}
}

func tripFails(d *Dialect, tr trip) string {
	var calls []Call
	for _, c := range tr.Calls {
		calls = append(calls, Call{Name: c.Name, Args: c.Arguments})
	}
	text := writeCalls(d, calls, tr.Tools, 0)
	a := Parse(d, Options{Tools: tr.Tools}, text)
	if len(a.Calls) != len(calls) {
		return "calls lost in " + text
	}
	for i := range calls {
		if a.Calls[i].Name != calls[i].Name || !sameJSON(a.Calls[i].Args, calls[i].Args) {
			return "read " + a.Calls[i].Name + string(a.Calls[i].Args) + " from " + text
		}
	}
	return ""
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func readTrips(t *testing.T, path string) []trip {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var trips []trip
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<26)
	for s.Scan() {
		var tr trip
		if err := json.Unmarshal(s.Bytes(), &tr); err != nil {
			t.Fatal(err)
		}
		trips = append(trips, tr)
	}
	return trips
}
