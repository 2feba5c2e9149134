package plainfile

import (
	"fmt"
	"io/fs"
)

// Stamp identifies the state of a file: its number, size and time. It is another one after each change.
func Stamp(info fs.FileInfo) string {
	return fmt.Sprint(ID(info), info.Size(), info.ModTime().UnixNano())
}
