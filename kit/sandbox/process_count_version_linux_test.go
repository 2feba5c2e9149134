package sandbox

import (
	"os"
	"testing"
)

func TestVersionsOfKernels(t *testing.T) {
	for release, want := range map[string]bool{
		"6.14.0": true, "6.14": true, "6.15.3-arch1-1": true, "7.0.0-rc1": true, "6.18.44-fc-v669": true, "10.0": true,
		"6.13.12": false, "6.1.0-28-amd64": false, "5.15.0": false, "4.18.0-553.el8_10": false, "": false, "x": false, "6": false,
	} {
		if atLeast(release, 6, 14) != want {
			t.Errorf("%q: want %v", release, want)
		}
	}
}

func TestEverybodyIsCounted(t *testing.T) {
	if n := everybody(); n < 2 {
		t.Errorf("%d processes", n)
	}
	if p, ok := populace()[os.Getpid()]; !ok || p.parent != os.Getppid() || p.threads < 2 {
		t.Errorf("we are %+v, %v", p, ok)
	}
}
