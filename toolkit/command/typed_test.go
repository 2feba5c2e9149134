package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"rein/tool"
)

// TestALineIsJudgedAsAWhole is shell-23 of docs/attacks.md: a command is typed into the terminal of a job in pieces, so that
// no piece by itself looks like what is executed.
func TestALineIsJudgedAsAWhole(t *testing.T) {
	type step struct{ text, key, want string }
	for _, row := range []struct {
		name  string
		steps []step
	}{
		{"in two pieces", []step{{"rm -rf ", "none", "rm -rf "}, {"build", "enter", "rm -rf build\n"}}},
		{"letter by letter", []step{{"r", "none", "r"}, {"m", "none", "rm"}, {" x", "", "rm x\n"}}},
		{"only a key", []step{{"rm -rf build", "none", "rm -rf build"}, {"", "enter", "rm -rf build\n"}}},
		{"the cursor goes back", []step{{"m x", "none", "m x"}, {"", "left", "m x"}, {"", "left", "m x"}, {"", "left", "m x"}, {"r", "enter", "rm x\n"}}},
		{"the cursor goes back and forth", []step{{"ab", "left", "ab"}, {"", "right", "ab"}, {"c", "enter", "abc\n"}}},
		{"a new line begins anew", []step{{"ls", "enter", "ls\n"}, {"pwd", "enter", "pwd\n"}}},
		{"several lines at once", []step{{"ls\nrm x", "enter", "ls\nrm x\n"}}},
		{"ctrl-c drops the line", []step{{"rm ", "none", "rm "}, {"", "ctrl-c", ""}, {"ls", "enter", "ls\n"}}},
		{"a backslash at the end", []step{{"rm \\", "enter", "rm \\\n"}, {"-rf x", "enter", "rm \\\n-rf x\n"}}},
		{"an open quote", []step{{"sh -c '", "enter", "sh -c '\n"}, {"rm x'", "enter", "sh -c '\nrm x'\n"}}},
		{"a here-document", []step{{"sh <<E", "enter", "sh <<E\n"}, {"rm x", "enter", "sh <<E\nrm x\n"}}},
		{"a loop", []step{{"for f in *; do", "enter", "for f in *; do\n"}, {"rm $f", "enter", "for f in *; do\nrm $f\n"}, {"done", "enter", "for f in *; do\nrm $f\ndone\n"}, {"ls", "enter", "ls\n"}}},
		{"history by a key", []step{{"", "up", unfollowed}, {"", "enter", unfollowed}, {"ls", "enter", "ls\n"}}},
		{"history by a sign", []step{{"!!", "enter", unfollowed + "!!\n"}}},
		{"history replaced", []step{{"^ls^rm", "enter", unfollowed + "^ls^rm\n"}}},
		{"a name is completed", []step{{"cat .e", "tab", unfollowed + "cat .e"}, {"", "enter", unfollowed}}},
		{"a tab in the text", []step{{"cat .e\t", "enter", unfollowed + "cat .e\t"}}},
		{"a letter is deleted", []step{{"lsx", "left", "lsx"}, {"", "ctrl-d", unfollowed}}},
		{"letters of several bytes", []step{{"é€", "left", "é€"}, {"x", "enter", "éx€\n"}}},
	} {
		t.Run("shell-23 "+row.name, func(t *testing.T) {
			lines := &typed{}
			for _, s := range row.steps {
				in := jobInputArgs{Job: "1", Text: s.text, Key: s.key}
				got := lines.judge(in)
				if got != strings.TrimSuffix(s.want, "\n") && !(strings.HasPrefix(s.want, unfollowed) && strings.HasPrefix(got, unfollowed)) {
					t.Errorf("%q and %s: %q, want %q", s.text, s.key, got, s.want)
				}
				if !lines.begin(in) {
					t.Errorf("%q and %s does not run", s.text, s.key)
				}
			}
		})
	}
}

// TestCallsOfOneTurnDoNotShareALine: all calls of a turn are judged before the first one runs.
func TestCallsOfOneTurnDoNotShareALine(t *testing.T) {
	lines := &typed{}
	first, second := jobInputArgs{Job: "1", Text: "rm -rf ", Key: "none"}, jobInputArgs{Job: "1", Text: "build", Key: "enter"}
	lines.judge(first)
	lines.judge(second)
	if !lines.begin(first) || lines.begin(second) {
		t.Error("shell-23 the second call completes a line with which it was not judged")
	}
	if got := lines.judge(second); got != "rm -rf build" || !lines.begin(second) {
		t.Errorf("shell-23 sent again it is %q", got)
	}
	lines.judge(first)
	lines.begin(first)
	if got := lines.judge(jobInputArgs{Job: "job1", Text: "build"}); got != "rm -rf build" {
		t.Errorf("shell-23 by the job's other name it is %q", got)
	}
	if other := (jobInputArgs{Job: "2", Text: "ls"}); lines.judge(other) != "ls" {
		t.Error("another job has the same line")
	}
}

func TestTheIntentOfJobInputIsTheLine(t *testing.T) {
	input := Shell{}.JobInput()
	args := func(text, key string) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"job":"1","text":%q,"key":%q}`, text, key))
	}
	i, err := input.Intent(args("ls", "enter"))
	if err != nil || i.Command != "ls" {
		t.Errorf("%+v %v", i, err)
	}
	if i, err = input.Intent(args("", "up")); err != nil || !strings.HasPrefix(i.Command, unfollowed) || input.Effect&tool.Runs == 0 {
		t.Errorf("%+v %v", i, err)
	}
}
