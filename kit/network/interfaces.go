package network

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// interfaces remembers this machine's addresses for a few seconds: asking costs a tenth of a millisecond.
type interfaces struct {
	mu    sync.Mutex
	asked time.Time
	list  []netip.Addr
}

const interfacesFresh = 5 * time.Second

func (i *interfaces) addrs() []netip.Addr {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.list != nil && time.Since(i.asked) < interfacesFresh {
		return i.list
	}
	found, err := net.InterfaceAddrs()
	if err != nil {
		return i.list
	}
	list := make([]netip.Addr, 0, len(found))
	for _, f := range found {
		if n, ok := f.(*net.IPNet); ok {
			if a, ok := netip.AddrFromSlice(n.IP); ok {
				list = append(list, a.Unmap())
			}
		}
	}
	i.list, i.asked = list, time.Now()
	return i.list
}
