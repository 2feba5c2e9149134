package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"rein/tool"
)

// TestALineIsJudgedAsAWhole is shell-23 of docs/maintainers/attacks.md: a command is typed into the terminal of a job in pieces, so that
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
		{"the cursor goes back where no editor reads it", []step{{"echo ''", "left", unfollowed}, {";rm x;", "enter", unfollowed}}},
		{"the cursor of an empty line", []step{{"", "left", ""}, {"ls", "enter", "ls\n"}}},
		{"a new line begins anew", []step{{"ls", "enter", "ls\n"}, {"pwd", "enter", "pwd\n"}}},
		{"several lines at once", []step{{"ls\nrm x", "enter", "ls\nrm x\n"}}},
		{"ctrl-c may not drop the line", []step{{"echo \\", "none", "echo \\"}, {"", "ctrl-c", ""}, {"'echo' ';rm x #'", "enter", unfollowed}}},
		{"ctrl-c ends a program", []step{{"sleep 9", "enter", "sleep 9\n"}, {"", "ctrl-c", ""}, {"ls", "enter", "ls\n"}}},
		{"another directory", []step{{"cd /etc", "enter", "cd /etc\n"}, {"ls", "enter", "cd /etc\nls\n"}, {"cat passwd", "enter", "cd /etc\ncat passwd\n"}}},
		{"another directory in quotes", []step{{"'c'd /etc", "enter", "'c'd /etc\n"}, {"cat passwd", "enter", "'c'd /etc\ncat passwd\n"}}},
		{"another directory by a prefix", []step{{"true && cd /etc", "enter", "true && cd /etc\n"}, {"cat passwd", "none", "true && cd /etc\ncat passwd"}}},
		{"a function", []step{{"f() { cat $1; }", "enter", "f() { cat $1; }\n"}, {"f x", "enter", "f() { cat $1; }\nf x\n"}}},
		{"variables", []step{{"x=/etc", "enter", "x=/etc\n"}, {"cat $x/passwd", "enter", "x=/etc\ncat $x/passwd\n"}}},
		{"the terminal's erase key", []step{{"stty erase x", "enter", "stty erase x\n"}, {"echo xxxxxrm y", "enter", unfollowed}, {"ls", "enter", unfollowed}}},
		{"other signs of the history", []step{{"histchars=@^#", "enter", "histchars=@^#\n"}, {"ls @-1", "enter", unfollowed}}},
		{"another interpreter", []step{{"python3 -q", "enter", "python3 -q\n"}, {"", "ctrl-c", ""}, {"ls =\"\"", "enter", unfollowed}}},
		{"a script of an interpreter", []step{{"python3 a.py", "enter", "python3 a.py\n"}, {"ls", "enter", "ls\n"}}},
		{"a backslash at the end", []step{{"rm \\", "enter", "rm \\\n"}, {"-rf x", "enter", "rm \\\n-rf x\n"}}},
		{"an open quote", []step{{"sh -c '", "enter", "sh -c '\n"}, {"rm x'", "enter", "sh -c '\nrm x'\n"}}},
		{"a here-document", []step{{"sh <<E", "enter", "sh <<E\n"}, {"rm x", "enter", "sh <<E\nrm x\n"}}},
		{"a loop", []step{{"for f in *; do", "enter", "for f in *; do\n"}, {"rm $f", "enter", "for f in *; do\nrm $f\n"}, {"done", "enter", "for f in *; do\nrm $f\ndone\n"}, {"ls", "enter", "ls\n"}}},
		{"history by a key", []step{{"", "up", unfollowed}, {"", "enter", unfollowed}, {"ls", "enter", elsewhere + "ls\n"}}},
		{"history by a sign", []step{{"!!", "enter", unfollowed + "!!\n"}}},
		{"history replaced", []step{{"^ls^rm", "enter", unfollowed + "^ls^rm\n"}}},
		{"a name is completed", []step{{"cat .e", "tab", unfollowed + "cat .e"}, {"", "enter", unfollowed}}},
		{"a tab in the text", []step{{"cat .e\t", "enter", unfollowed + "cat .e\t"}}},
		{"a letter is deleted", []step{{"lsx", "none", "lsx"}, {"", "ctrl-d", unfollowed}}},
		{"letters of several bytes", []step{{"é€", "none", "é€"}, {"x", "enter", "é€x\n"}}},
	} {
		t.Run("shell-23 "+row.name, func(t *testing.T) {
			lines := &typed{}
			for _, s := range row.steps {
				in := jobInputArgs{Job: "1", Text: s.text, Key: s.key}
				got := lines.judge(in, typedLine{})
				if got != strings.TrimSuffix(s.want, "\n") && !(strings.HasPrefix(s.want, unfollowed) && strings.HasPrefix(got, unfollowed)) {
					t.Errorf("%q and %s: %q, want %q", s.text, s.key, got, s.want)
				}
				if !lines.begin(in, typedLine{}) {
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
	lines.judge(first, typedLine{})
	lines.judge(second, typedLine{})
	if !lines.begin(first, typedLine{}) || lines.begin(second, typedLine{}) {
		t.Error("shell-23 the second call completes a line with which it was not judged")
	}
	if got := lines.judge(second, typedLine{}); got != "rm -rf build" || !lines.begin(second, typedLine{}) {
		t.Errorf("shell-23 sent again it is %q", got)
	}
	lines.judge(first, typedLine{})
	lines.begin(first, typedLine{})
	if got := lines.judge(jobInputArgs{Job: "job1", Text: "build"}, typedLine{}); got != "rm -rf build" {
		t.Errorf("shell-23 by the job's other name it is %q", got)
	}
	if other := (jobInputArgs{Job: "2", Text: "ls"}); lines.judge(other, typedLine{}) != "ls" {
		t.Error("another job has the same line")
	}
}

// TestOnlyTheLinesOfAShellAreFollowed: the same text is harmless for a shell and code for another program.
func TestOnlyTheLinesOfAShellAreFollowed(t *testing.T) {
	for command, shell := range map[string]bool{"bash": true, "bash --norc -i": true, "/bin/sh": true, "dash -i": true, "python3 -i": false, "bash -c python3": false,
		"cd /etc && bash": false, "bash rc": false, "ed notes": false, "zsh": false, "fish": false, "PATH=x sh": false, "sh\npython3": false} {
		lines, in := &typed{}, jobInputArgs{Job: "1", Text: `ls ='''a'b'''; import os; os.remove("x") #'`}
		if isPlainShell(command) != shell {
			t.Errorf("shell-23 %q is a shell: %v", command, !shell)
		}
		if got := lines.judge(in, begunBy(command)); (got == in.Text) != shell {
			t.Errorf("shell-23 typed into %s it is %q", command, got)
		}
	}
	lines, early := &typed{}, jobInputArgs{Job: "1", Text: "ls"}
	lines.judge(early, typedLine{}) // the job does not exist yet
	if lines.begin(early, typedLine{lost: true}) {
		t.Error("shell-23 a line for a shell is typed into another program")
	}
}

// TestLinesAreJudgedAsTheInputOfTheProgram: a debugger executes them, another program takes them as answers. With what was typed
// before they are judged as a whole, and what nobody knows needs an approval.
func TestLinesAreJudgedAsTheInputOfTheProgram(t *testing.T) {
	type step struct{ text, key, want string }
	for command, steps := range map[string][]step{
		"python3 -m pdb a.py": {{"n", "", "python3 <<'INPUT'\nn\nINPUT"}, {"x = 1", "enter", "python3 <<'INPUT'\nn\nx = 1\nINPUT"}, {"os.rem", "none", "python3 <<'INPUT'\nn\nx = 1\nos.rem\nINPUT"},
			{"ove(x)", "enter", "python3 <<'INPUT'\nn\nx = 1\nos.remove(x)\nINPUT"}, {"", "ctrl-d", ""}, {"", "up", unfollowed}, {"n", "enter", unfollowed}, {"ls", "enter", unfollowed}},
		"python3":                         {{"print('INPUT')", "enter", "python3 <<'INPUT_'\nprint('INPUT')\nINPUT_"}, {"", "ctrl-c", ""}},
		"npm init":                        {{"name", "enter", "npm init <<'INPUT'\nname\nINPUT"}, {"", "enter", "npm init <<'INPUT'\nname\n\nINPUT"}},
		"./setup.sh":                      {{"y", "enter", unfollowed}},
		"./python3":                       {{"y", "enter", unfollowed}},
		"python3 a.py":                    {{"y", "enter", unfollowed}},
		"node a.js":                       {{"y", "enter", unfollowed}},
		"cargo run":                       {{"y", "enter", unfollowed}},
		"psql shop":                       {{"\\! ls", "enter", "psql shop <<'INPUT'\n\\! ls\nINPUT"}},
		"PGUSER=a PGPASSWORD=b psql shop": {{"select 1;", "enter", "psql shop <<'INPUT'\nselect 1;\nINPUT"}},
		"PGUSER=a sh":                     {{"ls", "enter", unfollowed}},
		"npm explore x":                   {{"ls", "enter", unfollowed}},
		"python3 -m pty":                  {{"ls", "enter", unfollowed}},
		"python3 -mpty":                   {{"ls", "enter", unfollowed}},
		"vim a":                           {{":q", "enter", unfollowed}},
		"python3 a.py; sh":                {{"ls", "enter", unfollowed}},
		"../x":                            {{"y", "enter", unfollowed}},
		"X=1 python3":                     {{"y", "enter", unfollowed}},
		"ipython":                         {{"!ls", "enter", unfollowed}},
		"ssh host":                        {{"ls", "enter", unfollowed}, {"", "ctrl-d", unfollowed}},
	} {
		lines := &typed{}
		for _, s := range steps {
			in := jobInputArgs{Job: "1", Text: s.text, Key: s.key}
			got := lines.judge(in, begunBy(command))
			if got != s.want && !(s.want == unfollowed && strings.HasPrefix(got, unfollowed)) {
				t.Errorf("%s: %q and %s: %q, want %q", command, s.text, s.key, got, s.want)
			}
			if !lines.begin(in, begunBy(command)) {
				t.Errorf("%s: %q and %s does not run", command, s.text, s.key)
			}
		}
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
