package network

import (
	"encoding/binary"
	"net/netip"
)

// Class is the kind of an address. The zero Class is Invalid and is refused.
type Class uint8

// The classes. Only Public may be reached by default; the ones up to Shared may be opened by an explicit rule;
// the rest are always refused.
const (
	Invalid   Class = iota // no address, or one with a zone
	Public                 // globally reachable unicast
	Loopback               // this machine, by its loopback
	Own                    // this machine, by one of its interfaces
	Private                // RFC 1918 and unique local addresses
	Shared                 // carrier NAT, benchmark and local NAT64 networks: private in practice
	LinkLocal              // 169.254/16, fe80::/10
	Metadata               // where clouds hand out credentials
	Reserved               // multicast, broadcast, documentation, deprecated tunnels, unassigned
)

var classNames = [...]string{
	Invalid: "invalid address", Public: "public", Loopback: "loopback", Own: "own interface", Private: "private network",
	Shared: "shared network", LinkLocal: "link-local", Metadata: "cloud metadata", Reserved: "reserved range",
}

// String returns the class in words.
func (c Class) String() string { return classNames[c] }

// openable reports whether an explicit rule may open the class.
func (c Class) openable() bool { return c >= Loopback && c <= Shared }

// special lists the ranges of the IANA special-purpose registries (RFC 6890 and its updates, both families) that
// are not globally reachable, and the fixed addresses of cloud metadata services. The first match counts.
var special = []struct {
	prefix netip.Prefix
	class  Class
}{
	// Metadata: AWS and most others, ECS, EKS, Oracle, Alibaba, Azure's wire server, Tencent, AWS and GCP over IPv6.
	{netip.MustParsePrefix("169.254.169.254/32"), Metadata},
	{netip.MustParsePrefix("169.254.170.2/32"), Metadata},
	{netip.MustParsePrefix("169.254.170.23/32"), Metadata},
	{netip.MustParsePrefix("169.254.0.23/32"), Metadata},
	{netip.MustParsePrefix("192.0.0.192/32"), Metadata},
	{netip.MustParsePrefix("100.100.100.200/32"), Metadata},
	{netip.MustParsePrefix("168.63.129.16/32"), Metadata},
	{netip.MustParsePrefix("fd00:ec2::/32"), Metadata},
	{netip.MustParsePrefix("fd20:ce::254/128"), Metadata},

	{netip.MustParsePrefix("0.0.0.0/8"), Reserved}, // on Linux 0.0.0.0 reaches this machine
	{netip.MustParsePrefix("10.0.0.0/8"), Private},
	{netip.MustParsePrefix("100.64.0.0/10"), Shared},
	{netip.MustParsePrefix("127.0.0.0/8"), Loopback},
	{netip.MustParsePrefix("169.254.0.0/16"), LinkLocal},
	{netip.MustParsePrefix("172.16.0.0/12"), Private},
	{netip.MustParsePrefix("192.0.0.0/24"), Reserved},
	{netip.MustParsePrefix("192.0.2.0/24"), Reserved},
	{netip.MustParsePrefix("192.88.99.0/24"), Reserved}, // 6to4 relays, deprecated
	{netip.MustParsePrefix("192.168.0.0/16"), Private},
	{netip.MustParsePrefix("198.18.0.0/15"), Shared},
	{netip.MustParsePrefix("198.51.100.0/24"), Reserved},
	{netip.MustParsePrefix("203.0.113.0/24"), Reserved},
	{netip.MustParsePrefix("224.0.0.0/4"), Reserved},
	{netip.MustParsePrefix("240.0.0.0/4"), Reserved}, // with 255.255.255.255

	{netip.MustParsePrefix("::1/128"), Loopback},
	{netip.MustParsePrefix("64:ff9b:1::/48"), Shared}, // local-use NAT64
	{netip.MustParsePrefix("fc00::/7"), Private},
	{netip.MustParsePrefix("fe80::/10"), LinkLocal},
	{netip.MustParsePrefix("2001::/23"), Reserved}, // Teredo, ORCHID, benchmarking and other protocol assignments
	{netip.MustParsePrefix("2001:db8::/32"), Reserved},
	{netip.MustParsePrefix("2002::/16"), Reserved}, // 6to4, deprecated
	{netip.MustParsePrefix("3fff::/20"), Reserved},
}

// globalV6 is the only IPv6 space that is assigned; what is outside is Reserved unless the table names it.
var globalV6 = netip.MustParsePrefix("2000::/3")

// Classify returns the class of an address. Addresses that carry an IPv4 address inside (mapped, compatible,
// translated, NAT64, 6to4, Teredo, ISATAP) get the class of the inner address when that one is worse.
func Classify(a netip.Addr) Class {
	if !a.IsValid() || a.Zone() != "" {
		return Invalid
	}
	a = a.Unmap()
	if a.Is4() {
		return classify4(a)
	}
	outer := classify6(a)
	for _, inner := range embedded(a) {
		outer = worse(outer, classify4(inner))
	}
	return outer
}

// worse returns the class that is the harder to open.
func worse(a, b Class) Class {
	if a == Invalid || b == Invalid {
		return Invalid
	}
	return max(a, b)
}

func classify4(a netip.Addr) Class {
	if class := lookup(a); class != Invalid {
		return class
	}
	return Public
}

func classify6(a netip.Addr) Class {
	if class := lookup(a); class != Invalid {
		return class
	}
	if globalV6.Contains(a) || nat64.Contains(a) {
		return Public
	}
	return Reserved
}

func lookup(a netip.Addr) Class {
	for _, s := range special {
		if s.prefix.Contains(a) {
			return s.class
		}
	}
	return Invalid
}

var (
	nat64      = netip.MustParsePrefix("64:ff9b::/96")
	nat64Local = netip.MustParsePrefix("64:ff9b:1::/48")
	compatible = netip.MustParsePrefix("::/96")
	translated = netip.MustParsePrefix("::ffff:0:0:0/96")
	sixToFour  = netip.MustParsePrefix("2002::/16")
	teredo     = netip.MustParsePrefix("2001::/32")
)

// embedded returns the IPv4 addresses that an IPv6 address would be carried to.
func embedded(a netip.Addr) []netip.Addr {
	b := a.As16()
	tail := netip.AddrFrom4([4]byte(b[12:16]))
	var inner []netip.Addr
	switch {
	case a == netip.IPv6Loopback() || a == netip.IPv6Unspecified():
	case nat64.Contains(a), nat64Local.Contains(a), compatible.Contains(a), translated.Contains(a):
		inner = append(inner, tail)
	case sixToFour.Contains(a):
		inner = append(inner, netip.AddrFrom4([4]byte(b[2:6])))
	case teredo.Contains(a):
		client := binary.BigEndian.Uint32(b[12:16]) ^ 0xffffffff
		inner = append(inner, netip.AddrFrom4([4]byte(b[4:8])), fromUint32(client))
	}
	if isISATAP(b) {
		inner = append(inner, tail)
	}
	return inner
}

// isISATAP reports whether the interface identifier is 0000:5efe or 0200:5efe, followed by an IPv4 address.
func isISATAP(b [16]byte) bool {
	return b[8]&^0x02 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

func fromUint32(n uint32) netip.Addr {
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, n)))
}
