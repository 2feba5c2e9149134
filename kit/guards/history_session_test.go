package guards_test

import (
	"context"
	"errors"
	"testing"

	"rein/guard"
	"rein/kit/guards"
	"rein/tool"
)

// TestHiddenIsAskedOnceInASession: what may show what is hidden asks until a person has approved it once, in each session.
func TestHiddenIsAskedOnceInASession(t *testing.T) {
	hidden := "the history of git holds what hidden files held: .env"
	var unknown error
	newGuard := func() *guards.History {
		return &guards.History{Programs: guards.NewPrograms(guards.Here{}), Known: func(context.Context, string, []string) error { return unknown },
			Hidden: func(context.Context, string, []string) string { return hidden }}
	}
	of := func(session, id, command string, mode guard.Mode) guard.Case {
		return guard.Case{Session: session, Mode: mode, Root: "/w", Call: tool.Call{ID: id, Name: "bash"}, Intent: tool.Intent{Command: command}}
	}
	for command, asks := range map[string]bool{
		"git grep -h TOKEN HEAD | cut -c9-16": true, "git archive HEAD | tar xO | tail -c 20": true, "git log -p | sed 's/./& /g'": true,
		"python3 read.py": true, "make": true, "python3 -c 'import zlib,glob; print([zlib.decompress(open(f,\"rb\").read()) for f in glob.glob(\".g\"+\"it/obj*/??/*\")])'": true,
		"tar c . | base64": true, "cp -r . ../x": true, "git update-index --add --cacheinfo 100644,0123456789012345678901234567890123456789,x.txt": true, "git cat-file --batch-all-objects --batch": true,
		"grep -rl T .": true, "rg --hidden T": true, "find . -type f -exec grep -c T {} +": true, "find .git | xargs cat": true, "git log -ST --oneline": true, "git diff -GT --name-only HEAD~1": true, "git show --pickaxe-all -ST --stat": true,
		"grep -rn T . --exclude-dir=.git": false, "rg T": false, "git commit -S -m x": false,
		"git status": false, "git log --oneline": false, "ls": false, "cat main.go": false, "git commit -m x": false,
	} {
		h := newGuard()
		if v := h.Judge(t.Context(), of("s", "1", command, guard.Supervised)); (v.Decision == guard.Ask) != asks {
			t.Errorf("%s: %v", command, v)
		}
	}
	h := newGuard()
	if v := h.Judge(t.Context(), of("s", "1", "make", guard.Full)); v.Decision != guard.Allow {
		t.Errorf("in the mode full, code of the project asks: %v", v)
	}
	if v := h.Judge(t.Context(), of("s", "1", "git log -p", guard.Full)); v.Decision != guard.Ask {
		t.Errorf("in the mode full, the history is shown: %v", v)
	}
	c := of("s", "2", "make", guard.Supervised)
	h.Judge(t.Context(), c)
	for _, answer := range []guard.Answer{{Choice: guard.Approved, By: guard.ByRule("bash(make:*)")}, {Choice: guard.Approved, By: guard.ByPerson("")}} {
		h.Granted(of("s", "other", "make", guard.Supervised), answer) // it was not asked by this guard
		if v := h.Judge(t.Context(), c); v.Decision != guard.Ask {
			t.Fatalf("nobody approved it, but %v", v)
		}
		h.Granted(c, answer)
	}
	if v := h.Judge(t.Context(), of("s", "3", "git log -p", guard.Supervised)); v.Decision != guard.Allow {
		t.Errorf("it asks again: %v", v)
	}
	if v := h.Judge(t.Context(), of("another", "3", "make", guard.Supervised)); v.Decision != guard.Ask {
		t.Errorf("the approval of another session counts: %v", v)
	}
	hidden, unknown = "", errors.New("not searched")
	if v := newGuard().Judge(t.Context(), of("s", "1", "git log -p", guard.Supervised)); v.Decision != guard.Ask {
		t.Errorf("an unknown history is shown: %v", v)
	}
}
