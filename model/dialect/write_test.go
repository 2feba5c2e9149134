package dialect_test

import (
	"rein/model/dialect"
	"rein/model/dialect/write"
)

var _ = dialect.SetWriter(write.Calls, func(d *dialect.Dialect, name, text string) string {
	return write.Results(d, []write.Result{{Name: name, Text: text}})
})
