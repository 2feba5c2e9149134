package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/guard"
)

// What a user reads who does something wrong.
func TestWrongInput(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close() // nobody listens there now
	store := t.TempDir()
	for _, row := range []struct {
		rule string
		args []string
		env  string // keys
		code int
		says string
	}{
		{"an unknown command", []string{"walk"}, "", usage, "there is no command \"walk\"; rein-temporal help lists them"},
		{"an unknown flag", []string{"state", "--what", "x"}, "", usage, "not defined: -what"},
		{"too few arguments", []string{"answer", "s1"}, "", usage, "usage: rein-temporal answer ID REQUEST yes|no [WORDS]"},
		{"an answer that is none", []string{"answer", "s1", "c1", "perhaps"}, "", usage, "an answer is yes or no"},
		{"no host", []string{"start", "go", "--model", "script/x"}, "", usage, "--host is missing"},
		{"no model", []string{"start", "go", "--host", "h"}, "", usage, "--model is missing"},
		{"an unknown mode", []string{"start", "go", "--host", "h", "--model", "script/x", "--mode", "loose"}, "", usage, "loose"},
		{"a worker for nothing", []string{"worker"}, "", usage, "--host NAME, --models, or both"},
		{"no server", []string{"state", "s1"}, "", failed, "no Temporal server answers at " + address + ": rein-temporal dev starts one"},
		{"keys that are none", []string{"state", "s1"}, "k:swordfish", failed, "REIN_TEMPORAL_KEYS: key 1 is not ID:KEY"},
		{"a bucket that is none", []string{"doctor", "--bucket", "tea"}, "", failed, "sessions cannot run here"},
		{"a bucket without keys", []string{"doctor", "--bucket", "https://127.0.0.1:1/tea"}, "", failed, "the bucket needs keys: AWS_ACCESS_KEY_ID"},
		{"a clone of nothing", []string{"start", "go", "--host", "h", "--model", "script/x", "--clone", "tea"}, "", usage, "is no address of a repository"},
		{"a directory and clones", []string{"worker", "--host", "h", "--dir", store, "--clones", store}, "", usage, "--dir or --clones"},
		{"no database", []string{"doctor", "--store", "postgres://u:swordfish@127.0.0.1:1/x"}, "", failed, "sessions cannot run here"},
	} {
		var out bytes.Buffer
		p := &program{in: strings.NewReader(""), out: &out, err: &out, getenv: func(name string) string {
			return map[string]string{"TEMPORAL_ADDRESS": address, "REIN_TEMPORAL_STORE": store, "REIN_TEMPORAL_KEYS": row.env, "HOME": store}[name]
		}}
		if code := p.run(t.Context(), row.args); code != row.code || !strings.Contains(out.String(), row.says) || strings.Contains(out.String(), "swordfish") {
			t.Errorf("%s: code %d\n%s", row.rule, code, out.String())
		}
	}
}

// A host whose sessions could change the store does not start.
func TestTheStoreIsNotInTheWorkspace(t *testing.T) {
	dir := t.TempDir()
	store := filepath.Join(dir, "sessions")
	if err := os.Mkdir(store, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{dir, store} {
		if _, err := (hosting{store: store, loosest: guard.Supervised, metrics: counting(t), warn: func(string) {}}).open(t.Context(), at); err == nil || !strings.Contains(err.Error(), store) {
			t.Errorf("a host of %s: %v", at, err)
		}
	}
}
