package command

import (
	"bytes"
	"strings"
	"testing"

	"rein/kit/sandbox"
	"rein/lab/testkit"
	"rein/redact"
	"rein/tool"
)

const halved = "zq81-Known.Value/7Xp0"

func TestCarefulHoldsBackAPossibleSecret(t *testing.T) {
	mask := redact.New([]redact.Value{{Name: "K", Text: halved, Declared: true}})
	long := strings.Repeat("ordinary line\n", 1000)
	for rule, row := range map[string]struct {
		pieces      []string
		shown, held string
	}{
		"ordinary text goes on at once":   {[]string{"a line\nand ", "more. "}, "a line\nand more. ", ""},
		"the beginning of one stays":      {[]string{"here: " + halved[:9]}, "here: ", halved[:9]},
		"the whole goes on":               {[]string{"here: " + halved[:9], halved[9:] + "\n"}, "here: " + halved + "\n", ""},
		"so does what only began like it": {[]string{halved[:9], "else\n"}, halved[:9] + "else\n", ""},
		"behind a flood":                  {[]string{long, long + halved[:5]}, long + long, halved[:5]},
		"byte by byte":                    {strings.Split("x "+halved[:12], ""), "x ", halved[:12]},
	} {
		var out bytes.Buffer
		c := &careful{w: &out, mask: mask}
		for _, p := range row.pieces {
			if n, err := c.Write([]byte(p)); n != len(p) || err != nil {
				t.Fatal(n, err)
			}
		}
		if held := string(c.take()); out.String() != row.shown || held != row.held {
			t.Errorf("%s: %.80q and %.80q", rule, out.String(), held)
		}
	}
}

// A command that goes to the background in the middle of a secret shows it in neither half.
func TestSecretIsNotSplitByTheBackground(t *testing.T) {
	mask := redact.New([]redact.Value{{Name: "K", Text: halved, Declared: true}})
	var jobs sandbox.Jobs
	defer jobs.Close()
	s := Shell{Dir: t.TempDir(), Jobs: &jobs, Mask: mask}
	script := "printf 'one " + halved[:9] + "'; sleep 1; printf '" + halved[9:] + " two " + halved[:7] + "'; sleep 1; echo '" + halved[7:] + " three'"
	text := ""
	for _, call := range []struct {
		tool *tool.Tool
		args string
	}{
		{s.Bash(), testkit.Args("command", script, "background", true)}, {s.JobOutput(), testkit.Args("job", "job1", "until", "two")}, {s.JobOutput(), testkit.Args("job", "job1", "wait", 5)},
	} {
		r := tool.NewReply(tool.ReplyOptions{Mask: mask})
		if err := call.tool.Run(t.Context(), []byte(call.args), r); err != nil {
			t.Fatal(err)
		}
		said, _, _, _ := r.Close()
		text += said
	}
	if strings.Contains(text, halved[:7]) || strings.Contains(text, halved[9:]) || strings.Count(text, "[hidden: K]") != 2 || !strings.Contains(text, "three") {
		t.Error(text)
	}
}
