package network

import (
	"net/netip"
	"testing"
)

func TestClassify(t *testing.T) {
	for _, row := range []struct {
		rule, addr string
		want       Class
	}{
		{"public v4", "93.184.215.14", Public},
		{"public v4 beside a private range", "172.32.0.1", Public},
		{"public v4 beside carrier NAT", "100.128.0.1", Public},
		{"public v6", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", Public},
		{"loopback", "127.0.0.1", Loopback},
		{"loopback, far end", "127.255.255.254", Loopback},
		{"this network", "0.0.0.0", Reserved},
		{"this network, with host", "0.1.2.3", Reserved},
		{"ten", "10.1.2.3", Private},
		{"172.16 begins", "172.16.0.0", Private},
		{"172.16 ends", "172.31.255.255", Private},
		{"192.168", "192.168.1.1", Private},
		{"carrier NAT", "100.64.0.1", Shared},
		{"carrier NAT ends", "100.127.255.255", Shared},
		{"link-local", "169.254.1.1", LinkLocal},
		{"protocol assignments", "192.0.0.8", Reserved},
		{"documentation 1", "192.0.2.1", Reserved},
		{"documentation 2", "198.51.100.1", Reserved},
		{"documentation 3", "203.0.113.9", Reserved},
		{"6to4 relay", "192.88.99.1", Reserved},
		{"benchmark", "198.19.255.1", Shared},
		{"multicast", "224.0.0.1", Reserved},
		{"multicast ends", "239.255.255.255", Reserved},
		{"class E", "240.0.0.1", Reserved},
		{"broadcast", "255.255.255.255", Reserved},
		{"metadata AWS", "169.254.169.254", Metadata},
		{"metadata ECS", "169.254.170.2", Metadata},
		{"metadata EKS", "169.254.170.23", Metadata},
		{"metadata Alibaba", "100.100.100.200", Metadata},
		{"metadata Azure", "168.63.129.16", Metadata},
		{"metadata Oracle", "192.0.0.192", Metadata},
		{"metadata AWS v6", "fd00:ec2::254", Metadata},
		{"metadata GCP v6", "fd20:ce::254", Metadata},
		{"v6 loopback", "::1", Loopback},
		{"v6 unspecified", "::", Reserved},
		{"v6 unique local", "fd12:3456::1", Private},
		{"v6 link-local", "fe80::1", LinkLocal},
		{"v6 zone", "fe80::1%eth0", Invalid},
		{"v6 site-local, deprecated", "fec0::1", Reserved},
		{"v6 multicast", "ff02::1", Reserved},
		{"v6 discard", "100::1", Reserved},
		{"v6 documentation", "2001:db8::1", Reserved},
		{"v6 documentation, new", "3fff::1", Reserved},
		{"v6 segment routing", "5f00::1", Reserved},
		{"v6 unassigned", "4000::1", Reserved},
		{"mapped loopback", "::ffff:127.0.0.1", Loopback},
		{"mapped loopback in hex", "::ffff:7f00:1", Loopback},
		{"mapped public", "::ffff:93.184.215.14", Public},
		{"mapped metadata", "::ffff:a9fe:a9fe", Metadata},
		{"compatible loopback", "::127.0.0.1", Reserved},
		{"compatible metadata", "::a9fe:a9fe", Reserved},
		{"translated", "::ffff:0:7f00:1", Reserved},
		{"NAT64 of a public address", "64:ff9b::5db8:d70e", Public},
		{"NAT64 of loopback", "64:ff9b::7f00:1", Loopback},
		{"NAT64 of a private address", "64:ff9b::a00:1", Private},
		{"NAT64 of metadata", "64:ff9b::a9fe:a9fe", Metadata},
		{"local NAT64", "64:ff9b:1::5db8:d70e", Shared},
		{"local NAT64 of metadata", "64:ff9b:1::a9fe:a9fe", Metadata},
		{"6to4 of loopback", "2002:7f00:1::", Reserved},
		{"6to4 of a public address", "2002:5db8:d70e::1", Reserved},
		{"Teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2", Reserved},
		{"ISATAP of loopback in public space", "2606:2800::5efe:7f00:1", Loopback},
		{"ISATAP of metadata, global bit", "2606:2800::200:5efe:a9fe:a9fe", Metadata},
		{"ISATAP of a public address", "2606:2800::5efe:5db8:d70e", Public},
	} {
		t.Run(row.rule, func(t *testing.T) {
			if got := Classify(netip.MustParseAddr(row.addr)); got != row.want {
				t.Errorf("%s is %v, want %v", row.addr, got, row.want)
			}
		})
	}
	if Classify(netip.Addr{}) != Invalid {
		t.Error("the zero address is not invalid")
	}
}

// FuzzClassify holds that no address that netip itself calls special is ever public.
func FuzzClassify(f *testing.F) {
	f.Add([]byte{127, 0, 0, 1})
	f.Add(netip.MustParseAddr("64:ff9b::7f00:1").AsSlice())
	f.Add(netip.MustParseAddr("::ffff:10.0.0.1").AsSlice())
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, ok := netip.AddrFromSlice(raw)
		if !ok {
			return
		}
		u := a.Unmap()
		isSpecial := u.IsPrivate() || u.IsLoopback() || u.IsLinkLocalUnicast() || u.IsMulticast() || u.IsUnspecified()
		if Classify(a) == Public && (isSpecial || !u.IsGlobalUnicast()) {
			t.Errorf("%v is public", a)
		}
		for _, inner := range embedded(u) {
			if Classify(inner) != Public && Classify(a) == Public {
				t.Errorf("%v carries %v and is public", a, inner)
			}
		}
	})
}
