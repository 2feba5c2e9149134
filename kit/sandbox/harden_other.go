//go:build !linux

package sandbox

func hardenProcess() error { return nil }

func dumpable() bool { return true }

func setDumpable(bool) error { return nil }
