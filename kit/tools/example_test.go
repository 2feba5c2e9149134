package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"rein/kit/tools"
	"rein/kit/tools/command"
	"rein/kit/tools/files"
	"rein/kit/workspace"
	"rein/tool"
)

// The tools of a session share a workspace, a shell and a plan. A program that has no pipeline runs them directly; package
// toolcall checks, judges and records each call.
func Example() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	_ = os.WriteFile(filepath.Join(dir, "greeting.txt"), []byte("hello\nworld\n"), 0o644)
	ws, err := workspace.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ws.Close()

	tools, err := tool.NewSet(tools.Standard(files.Tools{Workspace: ws}, command.Shell{Dir: ws.Dir()}, &tools.Plan{})...)
	if err != nil {
		fmt.Println(err)
		return
	}
	call := func(name, args string) tool.Detail {
		r := tool.NewReply(tool.ReplyOptions{})
		err := tools.Get(name).Run(context.Background(), json.RawMessage(args), r)
		text, _, _, data := r.Close()
		if err != nil {
			fmt.Println("error:", err)
			return tool.Detail{}
		}
		fmt.Print(text)
		return tool.ParseDetail(data)
	}
	call("read_file", `{"path":"greeting.txt"}`)
	d := call("edit_file", `{"path":"greeting.txt","old_text":"world","new_text":"reader"}`)
	fmt.Print(d.Changes[0].Diff)
	// Output:
	//      1	hello
	//      2	world
	// edited greeting.txt: +1 -1 lines
	// 1	hello
	// 2	reader
	// @@ -1,2 +1,2 @@
	//  hello
	// -world
	// +reader
}

// A plan is data: a screen shows its steps.
func ExamplePlan() {
	var plan tools.Plan
	r := tool.NewReply(tool.ReplyOptions{})
	err := plan.Todo().Run(context.Background(), json.RawMessage(`{"items":[
		{"content":"read the code","status":"completed"},
		{"content":"fix the test","status":"in_progress"}]}`), r)
	text, _, _, _ := r.Close()
	fmt.Print(text, err, "\n")
	for _, s := range plan.Steps() {
		fmt.Println(s.Status, "-", s.Content)
	}
	// Output:
	// To-do list of 2 steps: 1 completed, 1 in progress, 0 pending.
	// In progress: fix the test
	// <nil>
	// completed - read the code
	// in_progress - fix the test
}
