//go:build !linux

package sandbox

// Main must be the first call of main in a program that uses the walls. On this system it does nothing.
func Main() {}
