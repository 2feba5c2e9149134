package undo

// The files disk_… read directories and files through handles, without following links, and ask the system what it
// knows about them.

import (
	"cmp"
	"io/fs"
	"time"
)

// fileStat is what the system reports about something, to notice that it changed.
type fileStat struct {
	Mode         fs.FileMode
	Size         int64
	Mtime, Ctime int64 // nanoseconds since 1970; Ctime is 0 where the system has none
	Inode, Dev   uint64
	Links        uint64
}

// at is when it changed last, as far as the system tells.
func (a fileStat) at() time.Time { return time.Unix(0, cmp.Or(a.Ctime, a.Mtime)) }

// fileID names a file or directory for as long as it exists: device and inode.
type fileID [2]uint64

// fileID returns the name.
func (a fileStat) ID() fileID { return fileID{a.Dev, a.Inode} }

// Unchanged reports whether two stats are those of the same file in the same state. The number of links is no part of it.
func (a fileStat) Unchanged(b fileStat) bool {
	return a.Mode == b.Mode && a.Size == b.Size && a.Mtime == b.Mtime && a.Ctime == b.Ctime && a.Inode == b.Inode && a.Dev == b.Dev
}
