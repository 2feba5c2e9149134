package toolcall_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"rein/guard"
	"rein/kit/guards"
	"rein/kit/tools/files"
	"rein/kit/workspace"
	"rein/tool"
	"rein/toolcall"
)

// Calls without an agent: a tool of the toolkit in a workspace, with the standard guards.
func ExampleNew() {
	dir, err := os.MkdirTemp("", "workspace-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello\n"), 0o600); err != nil {
		panic(err)
	}
	ws, err := workspace.Open(dir)
	if err != nil {
		panic(err)
	}
	defer ws.Close()
	tools, err := tool.NewSet(files.Tools{Workspace: ws}.ReadFile())
	if err != nil {
		panic(err)
	}
	runner, err := toolcall.New(toolcall.Runner{Tools: tools, Root: ws.Dir(), Mode: guard.ReadOnly,
		Guard: guards.New(guards.Options{Confined: tools.Names()}), Approver: guard.Nobody{}})
	if err != nil {
		panic(err)
	}
	results, err := runner.Run(context.Background(), toolcall.Scope{}, []tool.Call{
		{ID: "1", Name: "read_file", Args: json.RawMessage(`{"path":"a.txt"}`)},
		{ID: "2", Name: "read_file", Args: json.RawMessage(`{"path":"/etc/shadow"}`)},
	})
	if err != nil {
		panic(err)
	}
	fmt.Print(results[0].Text)
	fmt.Println(results[1].Kind)
	// Output:
	// 1	hello
	// denied
}

// Plan and Execute are the two halves of Run. What is between them is plain data: a durable workflow stores it, and
// another process executes it.
func ExampleRunner_Plan() {
	double := tool.New("double", "Double a number.", 0, func(_ context.Context, in struct {
		N int `json:"n"`
	}, r *tool.Reply) error {
		_, err := fmt.Fprint(r, 2*in.N)
		return err
	})
	tools, err := tool.NewSet(double)
	if err != nil {
		panic(err)
	}
	asks := guard.Func(func(context.Context, guard.Case) guard.Verdict {
		return guard.Verdict{Decision: guard.Ask, Reason: "it is an example"}
	})
	runner, session := &toolcall.Runner{Tools: tools, Guard: asks}, toolcall.Scope{ID: "s"}
	plan, err := runner.Plan(context.Background(), session, []tool.Call{{ID: "1", Name: "double", Args: json.RawMessage(`{"n":21}`)}})
	if err != nil {
		panic(err)
	}
	var grants []toolcall.Grant
	for _, p := range plan {
		fmt.Println(p.Verdict.Decision, p.Call.Name, string(p.Call.Args))
		grants = append(grants, p.Grant(&guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}))
	}

	stored, err := json.Marshal(grants)
	if err != nil {
		panic(err)
	}
	grants = nil
	if err := json.Unmarshal(stored, &grants); err != nil { // in another process
		panic(err)
	}
	results, err := runner.Execute(context.Background(), session, grants)
	if err != nil {
		panic(err)
	}
	fmt.Println(results[0].Text)
	// Output:
	// ask double {"n":21}
	// 42
}
