package tools

import (
	"fmt"
	"os"
	"path/filepath"
)

// The time zone that a user chose is kept in a file.
func Example() {
	dir, err := os.MkdirTemp("", "clock-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	zone := ZoneFile(filepath.Join(dir, "zone"))
	for _, t := range []string{CurrentTime(zone).Name, SetTimezone(zone).Name} {
		fmt.Println(t)
	}
	// Output:
	// current_time
	// set_timezone
}
