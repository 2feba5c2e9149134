package api

import (
	"strings"
	"testing"

	"rein/event"
)

func TestATableOfWhatWasUsed(t *testing.T) {
	var b strings.Builder
	if err := WriteCSV(&b, []Spent{{Day: "2026-11-22", Dir: "/src/a, b", Model: "=cmd()", Sessions: 2, Calls: 3, Failed: 1, Usage: event.Usage{Input: 10, Output: 5, CacheRead: 4, Cost: 0.5}}}); err != nil {
		t.Fatal(err)
	}
	want := "day,dir,model,sessions,calls,failed,input_tokens,output_tokens,cached_tokens,usd\n2026-11-22,\"/src/a, b\",'=cmd(),2,3,1,10,5,4,0.500000\n"
	if b.String() != want {
		t.Errorf("%q", b.String())
	}
}
