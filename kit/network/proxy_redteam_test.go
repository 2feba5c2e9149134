package network

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// TestProxyAttacks are the known attacks on the proxy, one row each. The rows stay forever; docs/maintainers/attacks.md says where the
// others are.
func TestProxyAttacks(t *testing.T) {
	for _, row := range []struct {
		name  string
		check func(*testing.T)
	}{
		{"ssrf-11 CONNECT, Host, fronting, smuggling", func(t *testing.T) {
			t.Run("refusals", TestRefusals)
			t.Run("the Host header", TestHostHeaderIsThatOfTheURL)
			t.Run("the greeting", TestGreetingMustNameTheHost)
			t.Run("a second request", TestSmuggling)
			t.Run("another protocol", TestUpgradeDoesNotPass)
			t.Run("plain HTTP in a tunnel", TestPlainHTTPInATunnel)
		}},
		{"ssrf-13 data in the URL of an allowed host", dataInURL},
		{"ssrf-16 programs of a shell", TestProgramsReachOnlyTheProxy},
	} {
		t.Run(row.name, row.check)
	}
}

// dataInURL: what cannot be kept from an allowed host is bounded and reported; docs/maintainers/network.md describes the rest.
func dataInURL(t *testing.T) {
	data := base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("secret file ", 500)))
	for _, row := range []struct {
		size          int
		passes, noted bool
	}{{100, true, false}, {2000, true, true}, {4096, false, true}, {8000, false, true}} {
		for _, form := range []string{"/%s", "/?q=%s"} {
			w := newWorld(t, ProxyOptions{})
			resp, err := w.client(t).Get("http://good.test:" + w.plainPort + fmt.Sprintf(form, data[:row.size]))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if passes := resp.StatusCode == 200; passes != row.passes || w.last(t).Long != row.noted {
				t.Errorf("%d bytes as %s: %d, noted %v", row.size, form, resp.StatusCode, w.last(t).Long)
			}
		}
	}
	w := newWorld(t, ProxyOptions{})
	resp, err := w.client(t).Post("http://good.test:"+w.plainPort+"/", "text/plain", strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 403 {
		t.Errorf("a body passes: %d", resp.StatusCode)
	}
}
