package network

import "testing"

func TestForServerReachesOneHostAndNothingThatIsDenied(t *testing.T) {
	target := func(host string, port string) Target {
		x, err := ParseTarget(host, port)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	p, err := ForServer("https://a.example/mcp", []string{"evil.example"})
	if err != nil || p.Check(target("a.example", "443")) != nil || p.Check(target("b.example", "443")) == nil || p.Check(target("a.example", "444")) == nil {
		t.Errorf("one host: %v", err)
	}
	p, err = ForServer("https://a.example/mcp", []string{"evil.example"}, "*")
	if err != nil || p.Check(target("b.example", "443")) != nil || p.Check(target("evil.example", "443")) == nil || p.Check(target("169.254.169.254", "80")) == nil {
		t.Errorf("more hosts: %v", err)
	}
	if _, err := ForServer("https://evil.example/mcp", []string{"evil.example"}); err == nil {
		t.Error("a denied host was taken")
	}
}
