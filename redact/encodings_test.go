package redact

import (
	"os/exec"
	"strings"
	"testing"
)

// TestValuesInTheOutputOfEncoders is env-08 of docs/attacks.md: a program prints a secret through an encoder. Each row is
// the real program, where it is installed. The secret is short enough for one line of its output.
func TestValuesInTheOutputOfEncoders(t *testing.T) {
	const secret = "s3cr3t-T0ken"
	mask := New([]Value{{Name: "TOKEN", Text: secret, Declared: true}})
	ran := 0
	for _, line := range []string{
		"base64", "base64 -w0", "base32", "base32 -w0", "xxd -p", "xxd -r -p <<< $(xxd -p)", "od -An -tx1", "rev", "hexdump -v -e '/1 \"%02x:\"'", "basenc --base16",
		"python3 -c 'import sys,urllib.parse; print(urllib.parse.quote(sys.stdin.read(), safe=\"\"))'", "xxd -p | sed 's/../%&/g'", "xxd -p | sed 's/../\\\\x&/g'",
		"xxd | cut -c11-50", "openssl enc -base64", "jq -Rs .", "tr a-z a-z",
	} {
		for _, before := range []string{"", "a", "ab", "abc", "abcd"} {
			cmd := exec.Command("bash", "-c", "set -o pipefail; { "+line+"; }")
			cmd.Stdin = strings.NewReader(before + secret)
			out, err := cmd.Output()
			if err != nil || len(out) == 0 {
				continue // not installed
			}
			ran++
			if masked := mask.String(string(out)); !strings.Contains(masked, "[hidden: TOKEN]") {
				t.Errorf("env-08 %s after %q shows %q", line, before, masked)
			}
		}
	}
	if ran < 10 {
		t.Errorf("only %d encoders ran", ran)
	}
}
