package tool_test

import (
	"context"
	"encoding/json"
	"fmt"

	"rein/tool"
)

type greetArgs struct {
	Name  string `json:"name" jsonschema:"who is greeted"`
	Times int    `json:"times,omitempty" minimum:"1" maximum:"3"`
}

// A tool is a value with a name, a schema made from a struct, what it can do at most, and a function.
func ExampleNew() {
	greet := tool.New("greet", "Greet somebody.", 0, func(_ context.Context, in greetArgs, r *tool.Reply) error {
		for range max(in.Times, 1) {
			fmt.Fprintln(r, "Hello,", in.Name)
		}
		return nil
	})
	fmt.Println(string(greet.Input.Raw()))
	r := tool.NewReply(tool.ReplyOptions{})
	if err := greet.Run(context.Background(), json.RawMessage(`{"name":"Ada"}`), r); err != nil {
		panic(err)
	}
	text, _, _, _ := r.Close()
	fmt.Print(text)
	// Output:
	// {"type":"object","properties":{"name":{"type":"string","description":"who is greeted"},"times":{"type":"integer","minimum":1,"maximum":3}},"required":["name"],"additionalProperties":false}
	// Hello, Ada
}

// A result may have images, documents and links beside its text.
func ExampleReply_Attach() {
	r := tool.NewReply(tool.ReplyOptions{Parts: 1})
	chart := tool.Part{Kind: tool.ImagePart, MediaType: "image/png", Data: []byte("\x89PNG…")}
	fmt.Println(r.Attach(chart))
	fmt.Println(r.Attach(chart))
	// Output:
	// <nil>
	// A result may have at most 1 attachments: images, documents, links.
	// Ask for fewer in one call.
}

// A front end decodes the Detail of a Result and shows what is set; it needs to parse no text.
func ExampleParseDetail() {
	d := tool.ParseDetail(json.RawMessage(`{"command":{"exit_code":1,"duration_ns":1500000000,"cwd":"/src"}}`))
	if c := d.Command; c != nil {
		fmt.Println("failed:", c.Failed(), "exit code:", c.ExitCode, "after", c.Duration)
	}
	// Output: failed: true exit code: 1 after 1.5s
}
