package network

import (
	"net"
	"strings"
	"testing"
	"time"
)

// TestAttacks are the known ways to a forbidden address, one row each. The rows stay forever; docs/maintainers/attacks.md says
// where the others are.
func TestAttacks(t *testing.T) {
	for _, row := range []struct {
		name  string
		check func(*testing.T)
	}{
		{"ssrf-01 spellings of loopback", noHits("127.0.0.1", "localhost", "LOCALHOST.", "foo.localhost", "0", "0.0.0.0", "127.1", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "017700000001")},
		{"ssrf-02 IPv6", noHits("[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1%25eth0]", "[::1%25lo]", "[fd00:ec2::254]")},
		{"ssrf-03 letters that become digits", noHits("①②⑦.⓪.⓪.①", "127。0。0。1", "１２７.０.０.１", "127.0.0.1\u00ad", "local\u00adhost", "ｌｏｃａｌｈｏｓｔ")},
		{"ssrf-04 private and special ranges", never("10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "169.254.1.1", "192.0.0.8", "198.18.0.1", "224.0.0.1", "240.0.0.1",
			"255.255.255.255", "192.0.2.1", "198.51.100.1", "203.0.113.1", "0.0.0.1", "198.41.0.4", "::ffff:198.41.0.4", "fd00::1", "fe80::1", "ff02::1", "2001:db8::1")},
		{"ssrf-05 metadata, though private places are open", metadataNever},
		{"ssrf-06 redirects", func(t *testing.T) {
			t.Run("where they lead", TestRedirects)
			t.Run("what goes along", TestNothingSecretLeavesTheOrigin)
		}},
		{"ssrf-07 a name that changes its address", func(t *testing.T) {
			t.Run("the second answer", TestRebinding)
			t.Run("mixed answers", never("93.184.215.14 127.0.0.1", "93.184.215.14 ::ffff:127.0.0.1"))
			t.Run("the socket", TestSocketIsJudged)
		}},
		{"ssrf-08 the private half of a pair", never("fd00::1 93.184.215.14", "93.184.215.14 fd00::1", "::1 93.184.215.14")},
		{"ssrf-09 two readings of one URL", func(t *testing.T) {
			t.Run("parsing", TestParseURL)
			t.Run("reaching", noHits("allowed.example@127.0.0.1", "127.0.0.1#@allowed.example", `allowed.example\@127.0.0.1`, "127.0.0.1%00.example.com"))
			t.Run("ports", otherPorts)
		}},
		{"ssrf-10 proxies of the environment", TestNoProxyFromTheEnvironment},
		{"ssrf-12 rules with stars", TestRules},
		{"ssrf-14 answers without end", TestAnswersAreBounded},
	} {
		t.Run(row.name, row.check)
	}
}

// noHits checks that no request to one of these hosts arrives at a server on this machine's loopback, with either
// resolver, though every public host is allowed at every port.
func noHits(hosts ...string) func(*testing.T) {
	return func(t *testing.T) {
		hits, addr := countingServer(t)
		port := addr[strings.LastIndexByte(addr, ':')+1:]
		for _, pure := range []bool{true, false} {
			p, err := New(Options{Rules: Rules{Allow: []string{"*:*"}}, Resolver: &net.Resolver{PreferGo: pure}})
			if err != nil {
				t.Fatal(err)
			}
			client := p.Client(ClientOptions{Time: 5 * time.Second})
			for _, host := range hosts {
				if resp, err := client.Get("http://" + host + ":" + port + "/"); err == nil {
					t.Errorf("%s answered %d", host, resp.StatusCode)
					resp.Body.Close()
				}
			}
		}
		if hits() != 0 {
			t.Errorf("%d hits", hits())
		}
	}
}

// never checks that a name with these addresses, separated by blanks, is not dialled.
func never(answers ...string) func(*testing.T) {
	return func(t *testing.T) {
		for _, answer := range answers {
			d := &dialled{}
			p := fakePolicy(t, Rules{Allow: []string{"*"}}, map[string][][]string{"a.test": {strings.Fields(answer)}}, d)
			if conn, err := p.DialContext(t.Context(), "tcp", "a.test:443"); err == nil || len(d.addrs) != 0 {
				t.Errorf("%s: dialled %v", answer, d.addrs)
				if conn != nil {
					conn.Close()
				}
			}
		}
	}
}

func metadataNever(t *testing.T) {
	open := Rules{Allow: []string{"*:*"}, Private: []string{"*:*", "10.0.0.0/8", "169.254.0.0/16", "fd00::/8"}}
	for _, addr := range []string{"169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254", "64:ff9b::a9fe:a9fe", "::ffff:169.254.169.254"} {
		d := &dialled{}
		p := fakePolicy(t, open, map[string][][]string{"a.test": {{addr}}}, d)
		for _, host := range []string{"a.test", addr} {
			if _, err := p.DialContext(t.Context(), "tcp", net.JoinHostPort(host, "80")); err == nil || len(d.addrs) != 0 {
				t.Errorf("%s by %s: dialled %v", addr, host, d.addrs)
			}
		}
	}
	for _, name := range []string{"metadata.google.internal", "METADATA.google.internal.", "metadata", "instance-data"} {
		d := &dialled{}
		p := fakePolicy(t, open, map[string][][]string{strings.ToLower(strings.TrimSuffix(name, ".")): {{"93.184.215.14"}}}, d)
		if _, err := p.DialContext(t.Context(), "tcp", name+":80"); err == nil || len(d.addrs) != 0 {
			t.Errorf("%s: dialled %v", name, d.addrs)
		}
	}
}

// otherPorts: a rule without a port opens those of the web only.
func otherPorts(t *testing.T) {
	d := &dialled{}
	p := fakePolicy(t, Rules{Allow: []string{"a.test"}}, map[string][][]string{"a.test": {{"93.184.215.14"}}}, d)
	for _, port := range []string{"0", "22", "25", "6379", "8080", "65536"} {
		if _, err := p.DialContext(t.Context(), "tcp", "a.test:"+port); err == nil || len(d.addrs) != 0 {
			t.Errorf("port %s: dialled %v", port, d.addrs)
		}
	}
}
