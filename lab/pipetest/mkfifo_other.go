//go:build !unix

package pipetest

func mkfifo(string) error { return errNone }
