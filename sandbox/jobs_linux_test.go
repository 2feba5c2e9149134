package sandbox

import "testing"

func someBoxes(t *testing.T) map[string]Sandbox {
	return map[string]Sandbox{"in process": None{}, "namespaces": onRung(t, Policy{}, openNamespaces), "landlock": onRung(t, Policy{}, openLandlock)}
}
