package event

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// sameAsJSON reports whether Parse gives what encoding/json gives.
func sameAsJSON(t *testing.T, line []byte) {
	t.Helper()
	var want, got Event
	wantErr, gotErr := json.Unmarshal(line, &want), got.Parse(line)
	if (wantErr == nil) != (gotErr == nil) {
		t.Fatalf("%.300q: got error %v, want %v", line, gotErr, wantErr)
	}
	if wantErr == nil && !reflect.DeepEqual(got, want) {
		t.Errorf("%.300q: got\n%.600s\nwant\n%.600s", line, mustJSON(got), mustJSON(want))
	}
}

func mustJSON(e Event) []byte {
	text, _ := json.Marshal(e)
	return text
}

var long = strings.Repeat(`word \"quoted\" \\ \u00e9\n `, 100)

var longLines = map[string]string{
	"a result":                    `{"kind":"replied","result":{"id":"a","text":"` + long + `"}}`,
	"halves of characters":        `{"text":"` + strings.Repeat(`\ud83d\ude00 \ud800 \uDC00 `, 200) + `","result":{"text":"` + long + `"}}`,
	"a message":                   `{"kind":"prompt","text":"` + long + `","message":{"role":"user","parts":[{"kind":"text","text":"` + long + `"},{"text":"` + long + `x"}]}}`,
	"arguments":                   `{"call":{"name":"n","args": {"a" : "` + long + `"}}}`,
	"a detail":                    `{"result":{"detail":{"x":["` + long + `"]}}}`,
	"a place that has no field":   `{"kind":"notice","verdict":{"reason":"` + long + `"}}`,
	"an unknown field":            `{"kind":"notice","other":"` + long + `"}`,
	"a long key":                  `{"kind":"notice","` + long + `":1}`,
	"what looks like a place":     `{"kind":"notice","text":"\u0001long 0","result":{"text":"` + long + `"}}`,
	"a real place character":      "{\"kind\":\"notice\",\"text\":\"\\u0001LONG 0\",\"result\":{\"text\":\"" + long + "\"}}",
	"a string that ends in \\":    `{"kind":"notice","text":"` + strings.Repeat("x", 3000) + `\\"}`,
	"invalid UTF-8":               `{"kind":"notice","text":"` + strings.Repeat("\xff\xfe", 3000) + `"}`,
	"no JSON":                     `{"kind":"notice","text":"` + long + `"`,
	"another type":                `{"kind":"notice","text":["` + long + `"]}`,
	"a text of the wrong type":    `{"kind":7,"text":"` + long + `"}`,
	"the same field twice":        `{"text":"` + long + `","text":"` + long + `y"}`,
	"nothing":                     ` {"message":null,"call":{"args":null},"result":{"detail": null , "parts":null},"time":null,"usage":null} `,
	"nothing at all":              `null`,
	"no field":                    `{ }`,
	"another case":                `{"Kind":"notice","TEXT":"a"}`,
	"an escaped name":             `{"\u006bind":"notice"}`,
	"numbers":                     `{"seq":-0,"turn":1e0,"at":9223372036854775807,"usage":{"input":3,"cost":0.5},"result":{"duration_ns":12}}`,
	"a number that is too large":  `{"seq":9223372036854775808}`,
	"all parts twice":             `{"kind":"a","kind":"b","call":{"id":"1","name":"n"},"call":{"id":"2"},"usage":{"input":1},"usage":{"output":2},"message":{"a":1},"message":[]}`,
	"blank":                       "",
	"two values":                  `{"kind":"a"} {}`,
	"a time":                      `{"time":"2026-01-02T03:04:05.000000006Z","kind":"replied","seq":7}`,
	"a time that is none":         `{"time":"2026-01-02 03:04"}`,
	"data in a part of a message": `{"result":{"parts":[{"kind":"image","data":"` + strings.Repeat("QUJD", 1000) + `"}]}}`,
}

func TestParseIsWhatTheStandardLibraryReads(t *testing.T) {
	for name, line := range longLines {
		t.Run(name, func(t *testing.T) { sameAsJSON(t, []byte(line)) })
	}
}

func FuzzParse(f *testing.F) {
	for _, line := range longLines {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) { sameAsJSON(t, line) })
}
