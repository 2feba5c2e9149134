package sandbox

import (
	"os"

	"rein/internal/box"
)

// Main must be the first call of main in a program that uses the walls: the sandbox starts the program's own binary
// again as the helper that makes the walls from inside. It returns at once in every other case.
func Main() {
	if len(os.Args) != 1 {
		return
	}
	switch os.Args[0] {
	case box.Name:
		box.Main()
	case box.WardenName:
		box.Warden()
	}
}
