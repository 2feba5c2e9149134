package undo

import "golang.org/x/sys/windows"

// freeSpace returns the bytes of the file system of a directory, and those that are free for us.
func freeSpace(dir string) (free, total int64, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	var mine, all uint64
	if err := windows.GetDiskFreeSpaceEx(name, &mine, &all, nil); err != nil {
		return 0, 0, err
	}
	return int64(mine), int64(all), nil
}
