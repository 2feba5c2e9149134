package clock_test

import (
	"fmt"
	"os"
	"path/filepath"

	"rein/toolkit/clock"
)

// The time zone that a user chose is kept in a file.
func Example() {
	dir, err := os.MkdirTemp("", "clock-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	zone := clock.ZoneFile(filepath.Join(dir, "zone"))
	for _, t := range []string{clock.CurrentTime(zone).Name, clock.SetTimezone(zone).Name} {
		fmt.Println(t)
	}
	// Output:
	// current_time
	// set_timezone
}
