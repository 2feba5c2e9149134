package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"rein/tool"
)

// The tool computes without rounding errors. A runner calls it like any other; here it is called directly.
func Example_calculate() {
	calc := Calculate(func() *time.Location { return time.UTC })
	reply := tool.NewReply(tool.ReplyOptions{})
	if err := calc.Run(context.Background(), json.RawMessage(`{"expression":"0.1 + 0.2"}`), reply); err != nil {
		panic(err)
	}
	text, _, _, _ := reply.Close()
	fmt.Print(text)
	// Output: 0.3 (exact)
}
