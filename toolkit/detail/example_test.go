package detail_test

import (
	"encoding/json"
	"fmt"

	"rein/toolkit/detail"
)

// A face decodes the Detail of a tool.Result and shows what is set.
func ExampleParse() {
	d := detail.Parse(json.RawMessage(`{"command":{"exit_code":1,"duration_ns":1500000000,"cwd":"/src"}}`))
	if c := d.Command; c != nil {
		fmt.Println("failed:", c.Failed(), "exit code:", c.ExitCode, "after", c.Duration)
	}
	// Output: failed: true exit code: 1 after 1.5s
}
