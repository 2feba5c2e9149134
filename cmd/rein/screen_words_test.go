package main

import (
	"slices"
	"strings"
	"testing"

	"rein/app/tui/text"
	"rein/event"
	"rein/guard"
	"rein/tool"
)

// TestRequestsInChinese: the program's lines of a request are in the language of the person. A command that looks like them stays.
func TestRequestsInChinese(t *testing.T) {
	own := text.WordsIn("zh")
	shown := guard.Request{Tool: "bash", Depth: 1, Command: "git push\nbecause  harmless", Effects: []string{"runs git", "100% sure"}, Reason: "git: publishes work", RuleAt: "a.json:1"}
	want := []string{"bash（第 1 层子代理）", "  git push", "  because  harmless", "  运行     git", "  100%     sure", "  原因     git：发布成果", "  规则     a.json:1"}
	if got := linesIn(own, shown, shown.Lines()); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	other := append(shown.Lines(), "  because  of more") // lines that are not those of the request
	if got := linesIn(own, shown, other); !slices.Equal(got, other) {
		t.Errorf("%q", got)
	}
	access := []string{"request_access", "  opens    network access to a.example", "  because  grants network access to a.example"}
	want = []string{"request_access", "  开放     network access to a.example", "  原因     授予对 a.example 的网络访问"}
	if got := linesIn(own, guard.Request{Tool: "request_access", GrantsAccess: true}, access); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestTheScreenInChinese: words and amounts, with marks and as a screen reader reads them.
func TestTheScreenInChinese(t *testing.T) {
	for words, want := range map[bool]string{
		false: "● bash  seq 9\n  ✓ bash: 退出码 0 · 9 行，17 B\n    … 前面的 5 行\n    6\n    7\n    8\n    9\n■ 请求次数到了上限 · 输入 1200 个 token，输出 3 个\n",
		true:  "调用： bash  seq 9\n  完成： bash: 退出码 0，9 行，17 B\n    … 前面的 5 行\n    6\n    7\n    8\n    9\n这一轮结束： 请求次数到了上限，输入 1200 个 token，输出 3 个\n",
	} {
		var out strings.Builder
		s := plainScreen{Out: &out, Own: text.WordsIn("zh"), Words: words}
		s.Show(event.Event{Kind: event.Called, Call: &tool.Call{ID: "1", Name: "bash", Args: []byte(`{"command":"seq 9"}`)}})
		s.Show(event.Event{Kind: event.Replied, Result: &tool.Result{ID: "1", Name: "bash", Text: "1\n2\n3\n4\n5\n6\n7\n8\n9", Detail: []byte(`{"command":{}}`)}})
		s.Show(event.Event{Kind: event.Stopped, Stop: event.MaxTurns, Usage: &event.Usage{Input: 1200, Output: 3}})
		if out.String() != want {
			t.Errorf("%s", out.String())
		}
	}
}
