//go:build linux && !cgo

package main

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestPagesAreGivenBack: most of what is mapped of the program's file goes, and the program goes on.
func TestPagesAreGivenBack(t *testing.T) {
	mapped := func() int {
		text, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), "RssFile:")
		kB, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			t.Fatal(err)
		}
		return kB
	}
	if newRoot("") == nil { // uses some of it
		t.Fatal()
	}
	before := mapped()
	givePagesBack()
	if after := mapped(); after > before/2 {
		t.Errorf("%d kB of the file are mapped, and %d before", after, before)
	}
}
