package guard

import (
	"testing"
)

func TestBindings(t *testing.T) {
	base := Binding{Session: "s", Call: "1", Tool: "bash", Args: []byte(`{"a":1,"b":"x"}`), Root: "/r", RootID: "8:1", Epoch: "e"}
	same := []string{`{"b":"x","a":1}`, ` { "a" : 1, "b" : "\u0078" } `}
	for _, args := range same {
		b := base
		b.Args = []byte(args)
		if b.Hash() != base.Hash() {
			t.Errorf("%s means the same and has another hash", args)
		}
	}
	seen := map[string]string{base.Hash(): "base"}
	for name, change := range map[string]func(*Binding){
		"another call":                        func(b *Binding) { b.Call = "2" },
		"another session":                     func(b *Binding) { b.Session = "t" },
		"another tool":                        func(b *Binding) { b.Tool = "x" },
		"other arguments":                     func(b *Binding) { b.Args = []byte(`{"a":2,"b":"x"}`) },
		"one more argument":                   func(b *Binding) { b.Args = []byte(`{"a":1,"b":"x","c":null}`) },
		"a repeated key":                      func(b *Binding) { b.Args = []byte(`{"a":2,"a":1,"b":"x"}`) },
		"another directory":                   func(b *Binding) { b.Root = "/q" },
		"a directory in the place of another": func(b *Binding) { b.RootID = "8:2" },
		"other rules":                         func(b *Binding) { b.Rules = "f" },
		"another mode":                        func(b *Binding) { b.Mode = Full },
		"another epoch":                       func(b *Binding) { b.Epoch = "f" },
		"no arguments":                        func(b *Binding) { b.Args = nil },
		"null":                                func(b *Binding) { b.Args = []byte("null") },
		"empty":                               func(b *Binding) { b.Args = []byte("{}") },
		"empty text":                          func(b *Binding) { b.Args = []byte(`""`) },
		"no bytes":                            func(b *Binding) { b.Args = []byte{} },
		"broken":                              func(b *Binding) { b.Args = []byte(`{"a":1,`) },
		"broken otherwise":                    func(b *Binding) { b.Args = []byte(`{"a":1`) },
		"a large number":                      func(b *Binding) { b.Args = []byte(`{"a":10000000000000001,"b":"x"}`) },
		"the next one":                        func(b *Binding) { b.Args = []byte(`{"a":10000000000000002,"b":"x"}`) },
		"shifted parts":                       func(b *Binding) { b.Session, b.Call = "s1", "" },
	} {
		b := base
		change(&b)
		if other, taken := seen[b.Hash()]; taken {
			t.Errorf("%s has the hash of %s", name, other)
		}
		seen[b.Hash()] = name
	}
}
