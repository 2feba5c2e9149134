package edit_test

import (
	"errors"
	"fmt"

	"rein/kit/edit"
)

// The model wrote spaces where the file has tabs. Apply finds the place and writes only what the model changed: the
// file keeps its indentation.
func Example() {
	file := "func main() {\n\tif ok {\n\t\trun()\n\t}\n}\n"
	result, err := edit.Apply(file, []edit.Edit{{
		Old: "    if ok {\n        run()\n    }",
		New: "    if ok {\n        run()\n        stop()\n    }",
	}}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Print(result.Text)
	fmt.Println(result.Classes, "added", result.Added, "removed", result.Removed)
	// Output:
	// func main() {
	// 	if ok {
	// 		run()
	// 		stop()
	// 	}
	// }
	// [indentation] added 1 removed 0
}

// An edit that could mean two places is refused. The message is for the model.
func ExampleApply_refused() {
	_, err := edit.Apply("x = 1\ny = 2\nx = 1\n", []edit.Edit{{Old: "x = 1", New: "x = 3"}}, nil)
	var refusal *edit.Refusal
	if errors.As(err, &refusal) {
		fmt.Println(refusal.Reason)
	}
	fmt.Println(err)
	// Output:
	// ambiguous
	// old_text matches several places, beginning at lines 1, 3.
	// Add the lines before or after it to old_text and new_text, so that it matches only one place; or set replace_all.
}

// Two changes of one text are joined line by line.
func ExampleMerge() {
	base := "one\ntwo\nthree\nfour\n"
	result, conflicts := edit.Merge(base, "ONE\ntwo\nthree\nfour\n", "one\ntwo\nthree\nFOUR\n")
	fmt.Print(result.Text)
	fmt.Println("conflicts:", len(conflicts))
	// Output:
	// ONE
	// two
	// three
	// FOUR
	// conflicts: 0
}

func ExampleDiff() {
	fmt.Print(edit.Diff("one\ntwo\n", "one\n2\n"))
	// Output:
	// @@ -1,2 +1,2 @@
	//  one
	// -two
	// +2
}
