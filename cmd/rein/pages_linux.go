//go:build linux && !cgo

package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// givePagesBack lets go of the code and the tables of the program's file that this process has mapped: the start needs 22 MB of them,
// and a session that waits for its model 4. What is needed again is mapped again, 64 KB at once. Nothing is done where the linker of C
// or the loader may have written to such pages: these would be lost.
func givePagesBack() {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer f.Close()
	first := make([]byte, 512) // the lowest addresses are those of the program
	n, _ := f.Read(first)
	for line := range strings.Lines(string(first[:n])) {
		var from, to uintptr
		var access string
		if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &access); err != nil || access != "r-xp" && access != "r--p" || uint64(to) >= 1<<32 {
			return
		}
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED)
	}
}
