package jsontext

import (
	"regexp"
	"sync"
)

// lazily compiles an expression at its first use: most programs never meet broken JSON, and all of them start.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
