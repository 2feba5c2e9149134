package dialect

// The tests of reading need texts to read. The functions come from write_test.go, which is in the
// package of the external tests.
var (
	writeCalls  func(d *Dialect, calls []Call, tools []Tool, first int) string
	writeResult func(d *Dialect, name, text string) string
)

// SetWriter gives the tests the functions that write.
func SetWriter(calls func(*Dialect, []Call, []Tool, int) string, result func(d *Dialect, name, text string) string) bool {
	writeCalls, writeResult = calls, result
	return true
}
