package text

import "testing"

// TestReasonsInChinese: reasons of several checks, of a program, and with an end; those that the table lacks stay.
func TestReasonsInChinese(t *testing.T) {
	for reason, want := range map[string]string{
		"rm: removes /x, outside the workspace; git: changes or destroys shared things":             "rm：删除工作区之外的 /x；git：更改或销毁共享的内容",
		"foo: runs foo, which the guard does not know":                                              "foo：运行守卫不认识的 foo",
		"writes .git/hooks/x, which later programs or agents trust: git runs it":                    "写入 .git/hooks/x，后续程序或代理会信任它：git 会运行它",
		"git: publishes work, and the sandbox that would confine it is not active here; and 3 more": "git：发布成果，而本应限制它的沙箱在此未启用；以及另外 3 项",
		"your change cannot be used: bad It asks because: npm: publishes work":                      "你的更改无法使用：bad 询问的原因：npm：发布成果",
		"2 calls of bash in an hour":                                                                "一小时内 2 次 bash 调用",
		"curl: sends files of the workspace to the network":                                         "curl：向网络发送工作区的文件",
		"words of my own rule": "",
	} {
		if got, ok := chineseReason(reason); got != want || ok != (want != "") {
			t.Errorf("%s: %q", reason, got)
		}
	}
}

// TestMessagesInChinese: the first line of what a session says, with messages and reasons in it; the words of others stay.
func TestMessagesInChinese(t *testing.T) {
	for message, want := range map[string]string{
		"x: overloaded (529): no reason was given":                                                                              "x：过载（529）：没有给出原因",
		"anthropic: overloaded (529): Overloaded; trying again in 1.2s (1 of 4)":                                                "anthropic：过载（529）：Overloaded；1.2s 后重试（第 1 次，共 4 次）",
		"openai: connection failed: dial tcp: lookup api.example; no such host":                                                 "openai：连接失败：dial tcp: lookup api.example; no such host",
		"the model: request refused (400): bad\n{}":                                                                             "the model：请求被拒绝（400）：bad\n{}",
		"Denied: rm: removes /x, outside the workspace; git: publishes work.\nAsk for it.":                                      "已拒绝：rm：删除工作区之外的 /x；git：发布成果。\nAsk for it.",
		"hook lint (PreToolUse): deny: no tabs":                                                                                 "钩子 lint（PreToolUse）：拒绝：no tabs",
		"hook lint (PreToolUse) failed: exit 1":                                                                                 "钩子 lint（PreToolUse）失败：exit 1",
		"leaves it to you: it publishes":                                                                                        "交由你决定：it publishes",
		"81 % of the budget for this message are used: 810 of 1000 tokens":                                                      "这条消息的预算已用 81 %：token 810 / 1000",
		"the budget for today is used up: 5 of 5 US dollars":                                                                    "今天的预算已用完：美元 5 / 5",
		"The call of bash made or changed files that run programs or steer tools later. Check them before you use them: .envrc": "bash 的调用新建或修改了之后会运行程序或影响工具的文件。使用之前请检查：.envrc",
		"words of nobody": "words of nobody",
	} {
		if got := WordsIn("zh").Message(message); got != want {
			t.Errorf("%s: %q", message, got)
		}
		if got := WordsIn("en").Message(message); got != message {
			t.Errorf("%q", got)
		}
	}
}
