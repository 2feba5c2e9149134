package extend_test

import (
	"context"
	"fmt"

	"rein/app/extend"
)

func ExampleTemplate() {
	t := extend.Template{Text: "Explain $1 to $2:\n!`wc -l $1`"}
	text, _ := t.Expand(context.Background(), `main.go "a beginner"`, func(_ context.Context, tool string, args any) (string, error) {
		return "42 main.go", nil // Session.Call in a program
	})
	fmt.Println(text)
	// Output:
	// Explain main.go to a beginner:
	// 42 main.go
}
