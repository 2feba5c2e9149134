//go:build !unix

package testkit

func mkfifo(string) error { return errNone }
