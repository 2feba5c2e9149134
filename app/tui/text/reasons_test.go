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
		"words of my own rule":                                                                      "",
	} {
		if got, ok := chineseReason(reason); got != want || ok != (want != "") {
			t.Errorf("%s: %q", reason, got)
		}
	}
}
