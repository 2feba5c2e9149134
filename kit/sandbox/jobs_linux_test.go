package sandbox

import "testing"

func someBoxes(t *testing.T) map[string]Sandbox {
	return map[string]Sandbox{"in process": None{}, "namespaces": onBackend(t, Policy{}, BackendNamespaces), "landlock": onBackend(t, Policy{}, BackendLandlock)}
}
