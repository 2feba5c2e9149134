package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"rein/kit/sandbox"
)

// A sandbox for one workspace, with the best backend that works on this machine. On a machine with namespaces the program
// cannot see the home directory, and there is no network.
func Example() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	box, err := sandbox.New(sandbox.Policy{Workspace: dir, Mode: sandbox.Auto})
	if err != nil {
		panic(err)
	}
	defer box.Close()
	spec := sandbox.Spec{Argv: []string{"sh", "-c", "echo written > file; cat file; exit 3"}}
	result, err := sandbox.Run(context.Background(), box, spec, os.Stdout, time.Minute)
	if err != nil {
		panic(err)
	}
	fmt.Println("exit code", result.Code)
	// Output:
	// written
	// exit code 3
}

// Limits end what runs away; the result names the limit.
func ExampleRun() {
	ctx := context.Background()
	spec := sandbox.Spec{Argv: []string{"sh", "-c", "while :; do echo flood; done"}, Limits: sandbox.Limits{Output: 1 << 20}}
	result, err := sandbox.Run(ctx, sandbox.None{}, spec, discard{}, time.Minute)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Limit)
	// Output:
	// output of a command
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// A report shows what the backend enforces. It depends on the machine.
func ExampleBox_Report() {
	box, err := sandbox.New(sandbox.Policy{Workspace: os.TempDir()})
	if err != nil {
		panic(err)
	}
	defer box.Close()
	report, err := box.Report(context.Background())
	if err != nil {
		fmt.Println("nothing can be started:", err)
		return
	}
	fmt.Println("backend:", report.Backend)
	for _, g := range report.Guarantees {
		fmt.Println(g.What, g.Enforced, g.How)
	}
}
