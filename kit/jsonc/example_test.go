package jsonc_test

import (
	"encoding/json"
	"fmt"

	"rein/kit/jsonc"
)

func Example() {
	text, err := jsonc.Standard([]byte("{\n\t// how many at once\n\t\"parallel\": \"four\",\n}"))
	if err != nil {
		fmt.Println(err)
		return
	}
	var settings struct{ Parallel int }
	fmt.Println(jsonc.WrongKind(json.Unmarshal(text, &settings)))
	// Output: Parallel: expected a whole number, not string
}
