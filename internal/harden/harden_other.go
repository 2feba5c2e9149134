//go:build !linux

package harden

func process() error { return nil }

func dumpable() bool { return true }

func setDumpable(bool) error { return nil }
