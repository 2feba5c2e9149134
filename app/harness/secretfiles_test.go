package harness

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/event"
)

// TestCopiesOfSecretFilesAreMasked: what a file of secrets holds is masked in every result, also where another file has a copy
// of it, and where a program encodes it.
func TestCopiesOfSecretFilesAreMasked(t *testing.T) {
	const secret = "c0rrect-h0rse-and-cart"
	dir := t.TempDir()
	for name, text := range map[string]string{
		"deep/er/.env":    "DB_PASSWORD=" + secret + "\n",
		"build/copy.txt":  "the value is " + secret + "\n",
		"build/coded.txt": base64.StdEncoding.EncodeToString([]byte("DB_PASSWORD=" + secret))[:30] + "\n" + base64.StdEncoding.EncodeToString([]byte("DB_PASSWORD=" + secret))[30:],
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := startCalls(t, Options{Dir: dir, Terms: event.Terms{Sandbox: "off", Mode: "full"}, Person: &approveAll{}})
	for id, call := range [][2]string{
		{"read_file", `{"path":"build/copy.txt"}`},
		{"read_file", `{"path":"build/coded.txt"}`},
		{"grep", `{"pattern":"value is"}`},
		{"bash", `{"command":"cat build/copy.txt; xxd build/copy.txt; rev build/copy.txt"}`},
	} {
		got := callText(t, s, string(rune('a'+id)), call[0], call[1])
		if strings.Contains(got, secret) || !strings.Contains(got, "[hidden: DB_PASSWORD of .env]") {
			t.Errorf("%s %s shows %s", call[0], call[1], got)
		}
	}
}

// A program writes a file of secrets and shows it in the same call.
func TestASecretThatACallMakesIsMaskedInItsResult(t *testing.T) {
	s := startCalls(t, Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "off", Mode: "full"}, Person: &approveAll{}})
	got := callText(t, s, "a", "bash", `{"command":"mkdir -p x; echo API_KEY=fr3sh-$((40+2))-value > x/.env; echo fr3sh-$((40+2))-value"}`)
	if strings.Contains(got, "fr3sh-42-value") || !strings.Contains(got, "[hidden: API_KEY of .env]") {
		t.Errorf("env-11 a secret that the call itself wrote to a file is shown: %s", got)
	}
}

// In a part of a repository programs can read the rest of it: its secrets are masked.
func TestSecretsOfTheRestOfARepository(t *testing.T) {
	whole := t.TempDir()
	for _, name := range []string{".git/HEAD", ".git/objects/x", ".git/refs/x", "app/x"} {
		put(t, filepath.Join(whole, name), "ref: refs/heads/main\n")
	}
	put(t, filepath.Join(whole, "lib/secrets.yml"), "password: 0f-an0ther-part\n")
	s := startCalls(t, Options{Dir: filepath.Join(whole, "app"), Terms: event.Terms{Mode: "full"}, Person: &approveAll{}})
	if got := callText(t, s, "a", "bash", `{"command":"cat ../lib/secrets.yml"}`); !strings.Contains(got, "[hidden: password of secrets.yml]") {
		t.Error(got)
	}
}
