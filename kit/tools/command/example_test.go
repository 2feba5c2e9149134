//go:build unix

package command_test

import (
	"context"
	"encoding/json"
	"fmt"

	"rein/kit/tools/command"
	"rein/tool"
)

// A command that fails is not a failed call: the data of the result has the exit code.
func Example() {
	r := tool.NewReply(tool.ReplyOptions{})
	err := command.Shell{}.Bash().Run(context.Background(), json.RawMessage(`{"command":"echo no such test; exit 3"}`), r)
	_, _, _, data := r.Close()
	c := tool.ParseDetail(data).Command
	fmt.Println(err, c.ExitCode, c.Failed())
	// Output:
	// <nil> 3 true
}
