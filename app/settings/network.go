package settings

import (
	"encoding/json"
	"fmt"
)

// Network say which hosts may be reached: by programs in the sandbox, and by the web tools. The layers add up
// where they deny; only the user and the system's manager allow.
type Network struct {
	Allow   []string `json:"allow,omitempty"`   // hosts at public addresses: "example.com", "*.example.com"
	Private []string `json:"private,omitempty"` // hosts that may be at private or loopback addresses
	Deny    []string `json:"deny,omitempty"`
	Methods []string `json:"methods,omitempty"` // of plain HTTP; default GET and HEAD
	Send    []string `json:"send,omitempty"`    // hosts to which every method of plain HTTP passes, and other protocols without TLS
	// LocalPorts are ports of this machine's loopback that programs in the sandbox reach at the same port of theirs.
	LocalPorts []uint16 `json:"localPorts,omitempty"`
}

// NetworkOf reads the network settings of all layers.
func NetworkOf(layers []Layer) (Network, error) {
	var all Network
	for _, l := range layers {
		if len(l.Network) == 0 {
			continue
		}
		var one Network
		if err := json.Unmarshal(l.Network, &one); err != nil {
			return all, Error{fmt.Errorf("%s: network: %w", l.Path, WrongKind(err))}
		}
		all.Allow = append(all.Allow, one.Allow...)
		all.Private = append(all.Private, one.Private...)
		all.Deny = append(all.Deny, one.Deny...)
		all.Send = append(all.Send, one.Send...)
		all.LocalPorts = append(all.LocalPorts, one.LocalPorts...)
		if one.Methods != nil {
			all.Methods = one.Methods
		}
	}
	return all, nil
}
