package redact

import (
	"os/exec"
	"strings"
	"testing"
)

// TestValuesInTheOutputOfEncoders is env-08 of docs/maintainers/attacks.md: a program prints a secret through an encoder. Each row is
// the real program, where it is installed.
func TestValuesInTheOutputOfEncoders(t *testing.T) {
	ran := 0
	for _, secret := range []string{"s3cr3t-T0ken", "a-L0ng-s3cret/that+does=not-fit-1nto-one-l1ne-of-any-enc0der-and-g0es-on-and-on-4ever"} {
		mask := New([]Value{{Name: "TOKEN", Text: secret, Declared: true}})
		for _, line := range []string{
			"base64", "base64 -w0", "base64 -w7", "base32", "base32 -w0", "base32 -w9", "xxd -p", "xxd -p -c5", "xxd -r -p <<< $(xxd -p)", "od -An -tx1",
			"od -tx1", "od -Ax -tx1", "xxd", "xxd -g1 -c7", "xxd -i", "hexdump -C", "rev", "hexdump -v -e '/1 \"%02x:\"'", "basenc --base16", "base64 | sed 's/^/    /'",
			"python3 -c 'import sys,urllib.parse; print(urllib.parse.quote(sys.stdin.read(), safe=\"\"))'", "xxd -p -c999 | sed 's/../%&/g'", "xxd -p -c999 | sed 's/../\\\\x&/g'",
			"xxd | cut -c11-50", "openssl enc -base64", "openssl enc -base64 | jq -Rs .", "jq -Rs .", "tr a-z a-z",
		} {
			alignments := []string{"", "a", "ab", "abc", "abcd"}
			if !strings.Contains(line, "base") {
				alignments = alignments[:2]
			}
			for _, before := range alignments {
				cmd := exec.Command("bash", "-c", "set -o pipefail; { "+line+"; }")
				cmd.Stdin = strings.NewReader(before + secret)
				out, err := cmd.Output()
				if err != nil || len(out) == 0 {
					continue // not installed
				}
				ran++
				masked := mask.String(string(out))
				if !strings.Contains(masked, "[hidden: TOKEN]") || len(masked) > 100 {
					t.Errorf("env-08 %s after %q shows %q", line, before, masked)
				}
				var inParts strings.Builder
				w := mask.Writer(&inParts)
				for i := range out {
					_, _ = w.Write(out[i : i+1])
				}
				if err := w.Flush(); err != nil || inParts.String() != masked {
					t.Errorf("%s in single bytes: %q, not %q", line, inParts.String(), masked)
				}
			}
		}
	}
	if ran < 10 {
		t.Errorf("only %d encoders ran", ran)
	}
}

func TestASlashThatIsEscapedHidesNothing(t *testing.T) {
	f := New([]Value{{Name: "KEY", Text: "ab/cd/ef+12345678"}})
	if got := f.String(`{"key":"ab\/cd\/ef+12345678"}`); strings.Contains(got, "ef+12345678") {
		t.Error(got)
	}
}
