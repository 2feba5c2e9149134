package network

import (
	"strings"
	"testing"
)

func mustPolicy(t testing.TB, r Rules) *Policy {
	t.Helper()
	p, err := New(Options{Rules: r})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ssrf-12: rules match whole labels.
func TestRules(t *testing.T) {
	for _, row := range []struct {
		rule       string
		rules      Rules
		host, port string
		want       string // the rule that refuses; empty means allowed
	}{
		{"zero rules allow none", Rules{}, "example.com", "443", "not-allowed"},
		{"a name", Rules{Allow: []string{"example.com"}}, "example.com", "443", ""},
		{"a name in capitals", Rules{Allow: []string{"Example.COM"}}, "eXample.com", "443", ""},
		{"a trailing dot in the host", Rules{Allow: []string{"example.com"}}, "example.com.", "443", ""},
		{"a trailing dot in the rule", Rules{Allow: []string{"example.com."}}, "example.com", "443", ""},
		{"a name is not its sub-domain", Rules{Allow: []string{"example.com"}}, "www.example.com", "443", "not-allowed"},
		{"a star is below the name", Rules{Allow: []string{"*.github.com"}}, "api.github.com", "443", ""},
		{"a star is deep below", Rules{Allow: []string{"*.github.com"}}, "a.b.github.com", "443", ""},
		{"a star is not the name", Rules{Allow: []string{"*.github.com"}}, "github.com", "443", "not-allowed"},
		{"a star is not a longer label", Rules{Allow: []string{"*.github.com"}}, "evilgithub.com", "443", "not-allowed"},
		{"a star is not a prefix", Rules{Allow: []string{"*.github.com"}}, "github.com.evil.test", "443", "not-allowed"},
		{"a star is not a prefix below", Rules{Allow: []string{"*.github.com"}}, "api.github.com.evil.test", "443", "not-allowed"},
		{"a name in its own script", Rules{Allow: []string{"bücher.example"}}, "xn--bcher-kva.example", "443", ""},
		{"punycode of a look-alike", Rules{Allow: []string{"github.com"}}, "gіthub.com", "443", "not-allowed"},
		{"every host", Rules{Allow: []string{"*"}}, "example.com", "443", ""},
		{"every host is not every port", Rules{Allow: []string{"*"}}, "example.com", "22", "port"},
		{"redis", Rules{Allow: []string{"*"}}, "example.com", "6379", "port"},
		{"mail", Rules{Allow: []string{"*"}}, "example.com", "25", "port"},
		{"a port of its own", Rules{Allow: []string{"example.com:8443"}}, "example.com", "8443", ""},
		{"a port of its own closes the usual ones", Rules{Allow: []string{"example.com:8443"}}, "example.com", "443", "port"},
		{"every port", Rules{Allow: []string{"example.com:*"}}, "example.com", "22", ""},
		{"deny wins", Rules{Allow: []string{"*"}, Deny: []string{"*.evil.test"}}, "a.evil.test", "443", "denied"},
		{"deny wins over private", Rules{Private: []string{"db.test"}, Deny: []string{"db.test"}}, "db.test", "443", "denied"},
		{"deny without a port means all", Rules{Allow: []string{"*:*"}, Deny: []string{"evil.test"}}, "evil.test", "8080", "denied"},
		{"deny with a port means that", Rules{Allow: []string{"*:*"}, Deny: []string{"evil.test:25"}}, "evil.test", "443", ""},
		{"metadata name", Rules{Allow: []string{"*"}, Private: []string{"*"}}, "metadata.google.internal", "80", "address"},
		{"metadata name, dotted", Rules{Allow: []string{"*"}}, "METADATA.google.internal.", "80", "address"},
		{"literal public address", Rules{Allow: []string{"*"}}, "93.184.215.14", "443", ""},
		{"literal loopback", Rules{Allow: []string{"*"}}, "127.0.0.1", "80", "address"},
		{"literal loopback, opened by another port", Rules{Allow: []string{"*"}, Private: []string{"127.0.0.1:3000"}}, "127.0.0.1", "80", "address"},
		{"literal loopback, opened", Rules{Private: []string{"127.0.0.1:3000"}}, "127.0.0.1", "3000", ""},
		{"literal v6 loopback, opened", Rules{Private: []string{"[::1]:3000"}}, "::1", "3000", ""},
		{"range opened", Rules{Private: []string{"10.0.0.0/8"}}, "10.9.8.7", "80", ""},
		{"range does not open a name", Rules{Private: []string{"10.0.0.0/8"}}, "ten.example", "80", "not-allowed"},
		{"everything private opened is not metadata", Rules{Private: []string{"*"}}, "169.254.169.254", "80", "address"},
		{"everything private opened is not link-local", Rules{Private: []string{"0.0.0.0/0"}}, "169.254.7.7", "80", "address"},
		{"everything private opened is not Alibaba's metadata", Rules{Private: []string{"100.64.0.0/10"}}, "100.100.100.200", "80", "address"},
		{"deny a range of addresses", Rules{Allow: []string{"*"}, Deny: []string{"93.184.0.0/16"}}, "93.184.215.14", "443", "denied"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			target, err := ParseTarget(row.host, row.port)
			if err != nil {
				t.Fatal(err)
			}
			if got := ruleOf(mustPolicy(t, row.rules).Check(target)); got != row.want {
				t.Errorf("%s: rule %q, want %q", target, got, row.want)
			}
		})
	}
}

func TestBadRulesAreErrors(t *testing.T) {
	for _, rule := range []string{"", "https://example.com", "example.com/path", "ex*mple.com", "*.*.com", "**", "example.com:", "example.com:0",
		"example.com:70000", "user@example.com", "a..b", "0x7f.1", "127.1", "[::1", "*.", strings.Repeat("a", 64) + ".com"} {
		if _, err := New(Options{Rules: Rules{Allow: []string{rule}}}); err == nil {
			t.Errorf("allow %q: no error", rule)
		}
		if _, err := New(Options{Rules: Rules{Deny: []string{rule}}}); err == nil {
			t.Errorf("deny %q: no error", rule)
		}
	}
	if _, err := New(Options{Rules: Rules{Allow: []string{"127.0.0.1"}}}); err == nil {
		t.Error("a loopback address is no public rule")
	}
	if _, err := New(Options{Rules: Rules{Private: []string{"169.254.169.254"}}}); err == nil {
		t.Error("metadata can be opened")
	}
}

func TestRefusalTellsWhatIsAllowed(t *testing.T) {
	target, _ := ParseTarget("evil.test", "443")
	err := mustPolicy(t, Rules{Allow: []string{"proxy.golang.org", "*.github.com"}}).Check(target)
	if err == nil || !strings.Contains(err.Error(), "allowed: proxy.golang.org, *.github.com") {
		t.Errorf("got %v", err)
	}
	var none *Policy
	if none.Check(target) == nil {
		t.Error("a nil policy allows")
	}
}

func TestForURL(t *testing.T) {
	for _, row := range []struct{ rule, url, host, port, want string }{
		{"its host and port", "http://localhost:3000/mcp", "localhost", "3000", ""},
		{"not another port", "http://localhost:3000/mcp", "localhost", "3001", "port"},
		{"not another host", "https://mcp.example.com/", "example.com", "443", "not-allowed"},
		{"the scheme's port", "https://mcp.example.com/", "mcp.example.com", "443", ""},
		{"an address", "http://10.0.0.7:8080/", "10.0.0.7", "8080", ""},
		{"an IPv6 address", "http://[::1]:8080/", "::1", "8080", ""},
	} {
		t.Run(row.rule, func(t *testing.T) {
			p, err := ForURL(row.url)
			if err != nil {
				t.Fatal(err)
			}
			target, err := ParseTarget(row.host, row.port)
			if err != nil {
				t.Fatal(err)
			}
			if got := ruleOf(p.Check(target)); got != row.want {
				t.Errorf("rule %q, want %q", got, row.want)
			}
		})
	}
	for _, url := range []string{"http://169.254.169.254/", "file:///x", "https://a@b/"} {
		if _, err := ForURL(url); err == nil {
			t.Errorf("%s: no error", url)
		}
	}
}

// FuzzRules holds that a star rule never matches a host that does not end in a dot and its name.
func FuzzRules(f *testing.F) {
	f.Add("*.github.com", "api.github.com")
	f.Add("*.github.com", "evilgithub.com")
	f.Add("bücher.example", "bücher.example")
	f.Fuzz(func(t *testing.T, rule, host string) {
		p, err := parsePattern(rule)
		target, err2 := ParseTarget(host, "443")
		if err != nil || err2 != nil || p.any || !p.matches(target) {
			return
		}
		if p.prefix.IsValid() {
			if !p.prefix.Contains(target.Addr) {
				t.Errorf("%q matches %q", rule, host)
			}
			return
		}
		if target.Host != p.name && !strings.HasSuffix(target.Host, "."+p.name) {
			t.Errorf("%q matches %q", rule, host)
		}
	})
}
