package files

import (
	"fmt"
	"strings"
	"testing"
)

// TestHiddenFilesChangeNoAnswer compares the answers in two workspaces that differ only in what their files of secrets hold:
// whatever is asked, they are the same, byte for byte.
func TestHiddenFilesChangeNoAnswer(t *testing.T) {
	answers := func(value string) (all []string) {
		r := newRoom(t)
		r.put("main.go", "package main // KEY\n")
		r.put(".gitignore", ".env\n")
		for _, name := range []string{".env", ".env.production", "deploy/id_rsa", "deploy/server.pem", "sub/.netrc", "secrets/db.yml", ".aws/credentials", "big.key", ".rein/x"} {
			text := "KEY=" + value + "\n"
			if name == "big.key" {
				text = strings.Repeat(text, 300_000/len(text))
			}
			r.put(name, text)
		}
		for _, c := range "abcsk=-" {
			for _, mode := range []string{"content", "files", "count"} {
				all = append(all, r.call("grep", fmt.Sprintf(`{"pattern":"KEY=sk-.*%c","ignored":true,"output_mode":%q}`, c, mode)))
			}
		}
		for _, call := range [][2]string{
			{"grep", `{"pattern":"KEY","ignored":true,"glob":"*.env"}`}, {"grep", `{"pattern":".","ignored":true,"output_mode":"count"}`},
			{"grep", `{"pattern":"sk-","ignored":true,"path":"deploy"}`}, {"grep", `{"pattern":"nothing","ignored":true}`}, {"grep", `{"pattern":"sk-","ignored":true,"limit":1}`},
			{"glob", `{"pattern":"**","ignored":true,"sort":"newest"}`}, {"glob", `{"pattern":".*","ignored":true}`},
			{"list_dir", `{}`}, {"list_dir", `{"depth":5}`}, {"list_dir", `{"path":"deploy"}`}, {"read_file", `{"path":"deploy"}`},
		} {
			all = append(all, strings.ReplaceAll(r.call(call[0], call[1]), r.dir, "DIR"))
		}
		if strings.Contains(value, "\x00") {
			return all
		}
		if got := r.call("grep", `{"pattern":"KEY","path":".env"}`); !strings.Contains(got, value) {
			t.Errorf("a file that the call names is not searched: %s", got)
		}
		if got := r.call("grep", `{"pattern":"KEY","path":"secrets"}`); !strings.Contains(got, value) {
			t.Errorf("a directory that the call names is not searched: %s", got)
		}
		return all
	}
	one, other := answers("sk-abcabc"), answers("the second value is longer, and has \x00 in it")
	for i, text := range one {
		if text != other[i] {
			t.Errorf("env-13 answer %d depends on a hidden value:\n%s\nbut else\n%s", i, text, other[i])
		}
	}
}
