//go:build !linux

// Command termload measures the chat on a terminal. It reads /proc, so it runs on Linux.
package main

import "fmt"

func main() { fmt.Println("termload runs on Linux") }
