package tool

import "testing"

func TestAddressesOfFiles(t *testing.T) {
	for _, row := range []struct{ slashes, uri, system string }{
		{"/home/a b/ü.go", "file:///home/a%20b/%C3%BC.go", "linux"},
		{"/odd#name?.go", "file:///odd%23name%3F.go", "linux"},
		{"C:/work/a.go", "file:///C:/work/a.go", "windows"},
		{"/c/x", "file:///c/x", "windows"},
	} {
		if got := fileURI(row.slashes); got != row.uri {
			t.Errorf("%s: %s", row.slashes, got)
		}
		if row.system == "linux" {
			if got := FilePath(row.uri); got != row.slashes {
				t.Errorf("%s: %s", row.uri, got)
			}
		}
	}
	if got := fromURI("/C:/work/a.go", "windows"); got != "C:/work/a.go" {
		t.Error(got)
	}
	for _, uri := range []string{"http://a/b", "%", ""} {
		if got := FilePath(uri); got != "" {
			t.Errorf("%q: %q", uri, got)
		}
	}
}
