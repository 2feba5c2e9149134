package network

import (
	"net/netip"
	"net/url"
	"testing"
)

func ruleOf(err error) string {
	if err == nil {
		return ""
	}
	r := refusalOf(err)
	if r == nil {
		return "error: " + err.Error()
	}
	return r.Rule
}

func refusalOf(err error) *Refusal {
	for err != nil {
		if r, ok := err.(*Refusal); ok {
			return r
		}
		if u, ok := err.(*url.Error); ok {
			err = u.Err
			continue
		}
		w, ok := err.(interface{ Unwrap() error })
		if !ok {
			return nil
		}
		err = w.Unwrap()
	}
	return nil
}

// ssrf-09 and the spellings of ssrf-01 to 03: one parser, which reads what will be dialled or refuses.
func TestParseURL(t *testing.T) {
	for _, row := range []struct{ rule, raw, want string }{ // want: target, or "!" and the rule
		{"plain", "https://example.com/a?b=c#d", "example.com:443"},
		{"plain http", "http://example.com", "example.com:80"},
		{"capitals", "HTTPS://EXAMPLE.com/", "example.com:443"},
		{"port", "https://example.com:8443/", "example.com:8443"},
		{"trailing dot", "https://example.com./", "example.com:443"},
		{"two trailing dots", "https://example.com../", "!host"},
		{"underscore", "https://my_host.example.com/", "my_host.example.com:443"},
		{"other script", "https://bücher.example/", "xn--bcher-kva.example:443"},
		{"v6", "http://[::1]:8080/", "[::1]:8080"},
		{"v6 mapped is v4", "http://[::ffff:127.0.0.1]/", "127.0.0.1:80"},
		{"v6 zone", "http://[fe80::1%25eth0]/", "!host"},
		{"v6 zone on loopback", "http://[::1%25lo]/", "!host"},
		{"percent in the host", "http://127.0.0.1%2f@example.com/", "!url"},
		{"percent digits", "http://%31%32%37.0.0.1/", "!url"},
		{"user", "http://allowed@127.0.0.1/", "!url"},
		{"user and password", "https://me:pw@example.com/", "!url"},
		{"user hidden behind a fragment", "http://127.0.0.1#@allowed.example/", "127.0.0.1:80"},
		{"backslash", `http://allowed.example\@127.0.0.1/`, "!url"},
		{"tab", "http://exam\tple.com/", "!url"},
		{"newline", "http://example.com/\nHost: x", "!url"},
		{"blank", "http://example .com/", "!url"},
		{"NUL", "http://example.com\x00.evil.test/", "!url"},
		{"port 0", "http://example.com:0/", "!host"},
		{"port too large", "http://example.com:65536/", "!host"},
		{"port missing", "http://example.com:/", "!url"},
		{"port with a sign", "http://example.com:+80/", "!url"},
		{"file", "file:///etc/passwd", "!url"},
		{"gopher", "gopher://127.0.0.1:6379/_", "!url"},
		{"ftp", "ftp://example.com/", "!url"},
		{"javascript", "javascript:alert(1)", "!url"},
		{"no scheme", "example.com/path", "!url"},
		{"no scheme, slashes", "//example.com/path", "!url"},
		{"opaque", "http:example.com", "!url"},
		{"empty host", "http:///path", "!url"},
		{"empty", "", "!url"},
		{"decimal", "http://2130706433/", "!host"},
		{"hex", "http://0x7f000001/", "!host"},
		{"hex part", "http://0x7f.1/", "!host"},
		{"hex in capitals", "http://0X7F.1/", "!host"},
		{"bare 0x", "http://127.0.0.0x/", "!host"},
		{"octal", "http://0177.0.0.1/", "!host"},
		{"octal all", "http://017700000001/", "!host"},
		{"short", "http://127.1/", "!host"},
		{"zero", "http://0/", "!host"},
		{"five parts", "http://127.0.0.1.1/", "!host"},
		{"part too large", "http://127.0.0.256/", "!host"},
		{"dot after an address", "http://127.0.0.1./", "127.0.0.1:80"},
		{"digits in circles", "http://①②⑦.⓪.⓪.①/", "!host"},
		{"ideographic full stops", "http://127。0。0。1/", "!host"},
		{"fullwidth digits", "http://１２７.０.０.１/", "!host"},
		{"soft hyphen", "http://127.0.0.1\u00ad/", "!host"},
		{"soft hyphen in a name", "http://local\u00adhost/", "localhost:80"},
		{"digits in punycode", "http://xn--1-ecx.0.0.1/", "!host"},
		{"bad punycode", "http://xn--\u0080.example/", "!host"},
		{"fullwidth letters", "http://ｌｏｃａｌｈｏｓｔ/", "localhost:80"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			u, target, err := ParseURL(row.raw)
			got := "!" + ruleOf(err)
			if err == nil {
				got = target.String()
			}
			if got != row.want {
				t.Fatalf("%q is %s (%v), want %s", row.raw, got, err, row.want)
			}
			if err == nil {
				if _, again, err := ParseURL(u.String()); err != nil || again != target {
					t.Errorf("%q does not read back: %v %v", u, again, err)
				}
			}
		})
	}
}

// FuzzParseURL holds that what is accepted is canonical: it reads back as the same target, and net/url and netip
// see the same host.
func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{"https://example.com/", "http://[::1]:80/", "http://①②⑦.⓪.⓪.①/", "http://127.1/", "http://a@b/", "http://xn--a.b/", "http://ab\u00adc.de./x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, target, err := ParseURL(raw)
		if err != nil {
			return
		}
		_, again, err := ParseURL(u.String())
		if err != nil || again != target {
			t.Fatalf("%q → %q reads back as %v, %v; first %v", raw, u, again, err, target)
		}
		addr, err := netip.ParseAddr(u.Hostname())
		if (err == nil) != target.Addr.IsValid() || err == nil && addr != target.Addr {
			t.Fatalf("%q: netip sees %v, the target is %v", raw, addr, target)
		}
		if endsInNumber(target.Host) && !target.Addr.IsValid() {
			t.Fatalf("%q: %q may be read as an address", raw, target.Host)
		}
	})
}
