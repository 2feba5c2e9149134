package dialect_test

import (
	"rein/kit/dialect"
)

var _ = dialect.SetWriter(dialect.WriteCalls, func(d *dialect.Dialect, name, text string) string {
	return dialect.WriteResults(d, []dialect.CallResult{{Name: name, Text: text}})
})
