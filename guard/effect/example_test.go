package effect_test

import (
	"fmt"

	"rein/guard/effect"
)

func ExampleClassNamed() {
	class, ok := effect.ClassNamed("upload")
	fmt.Println(ok, class > effect.Read, class.Why())
	fmt.Println(effect.ContactOf("https://example.com/x"))
	// Output:
	// true true sends local data away
	// example.com:443/x
}
