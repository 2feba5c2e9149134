package network

import "fmt"

// ForServer returns the policy that reaches the host and port of a URL that the user wrote down, as ForURL does. It also
// reaches the hosts that more allows, and nothing that deny names.
func ForServer(raw string, deny []string, more ...string) (*Policy, error) {
	_, target, err := ParseURL(raw)
	if err != nil {
		return nil, err
	}
	if denied, err := MatchHost(deny, target); err != nil || denied {
		return nil, fmt.Errorf("the settings deny the host %s", target.Host)
	}
	policy, err := ForURL(raw)
	if err == nil && len(more) > 0 {
		policy, err = policy.With(Rules{Allow: more, Deny: deny})
	}
	return policy, err
}
