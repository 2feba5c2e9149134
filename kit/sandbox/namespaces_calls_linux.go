package sandbox

import (
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"rein/kit/sandbox/internal/box"
)

// calls makes the system calls that turn a copy of the host's mounts into the view. They run in new mount namespaces:
// what is the same for all programs on the zygote thread of the supervisor, the rest in process 1 of each program. The host does not see their effects.
type calls struct {
	*box.Program
	view   view
	limits Limits
	pid    int    // of the process that is limited; 0: the one that makes the calls
	empty  string // host directory that holds the closed file and directory laid over what is masked
}

const (
	readOnlyTmpfs = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_RDONLY | unix.MS_REMOUNT
	here          = unix.AT_FDCWD
	attrSize      = 32 // of struct mount_attr
)

// mounts adds the calls that make the view as it is for every program. Sources are opened before anything is covered: they may be below.
func (c *calls) mounts() {
	c.Do("make the mounts private", unix.SYS_MOUNT, "none", "/", 0, unix.MS_REC|unix.MS_PRIVATE, 0)
	shown, layers := make([]box.Reg, len(c.view.Shown)), make([]box.Reg, len(c.view.Shown))
	for i, b := range c.view.Shown {
		shown[i] = c.take(b)
		if b.Layer != "" {
			layers[i] = c.layer(b)
		}
	}
	closed := c.take(viewBind{Source: c.empty})
	devices := c.devices()
	c.Do("make everything read-only", unix.SYS_MOUNT_SETATTR, here, "/", unix.AT_RECURSIVE, c.readOnly(), attrSize)
	c.covers()
	for i, b := range c.view.Shown {
		c.put(shown[i], b.Target)
		if b.Layer != "" {
			c.Try("lay over "+b.Target, unix.SYS_MOVE_MOUNT, layers[i], "", here, b.Target, unix.MOVE_MOUNT_F_EMPTY_PATH)
			c.Try("close a file", unix.SYS_CLOSE, layers[i])
		}
	}
	for _, dir := range c.view.Covers {
		if c.holds(dir) {
			c.Do("close "+dir, unix.SYS_MOUNT, "none", dir, 0, readOnlyTmpfs, "size=64k,mode=755")
		}
	}
	c.dev(devices, closed)
	c.masks(c.view.Masked)
}

// closedPlace is where the closed file and directory can be found until the masks are made of them and the shared memory
// is mounted over it. Unmounting it would cost half a millisecond: the kernel waits until nobody can be looking.
const closedPlace = "/dev/shm"

// take opens a place of the host for showing it.
func (c *calls) take(b viewBind) box.Reg {
	tree := c.clone(b.Source)
	if !b.Write {
		c.Do("make "+b.Source+" read-only", unix.SYS_MOUNT_SETATTR, tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, c.readOnly(), attrSize)
	}
	return tree
}

// layer makes the mount of a place with the layer that programs write to. Where the kernel or the file system cannot, the place stays read-only.
func (c *calls) layer(b viewBind) box.Reg {
	fs := c.Try("make a layer", unix.SYS_FSOPEN, "overlay", unix.FSOPEN_CLOEXEC)
	for _, option := range [][2]string{{"lowerdir", b.Source}, {"upperdir", filepath.Join(b.Layer, layerUpper)}, {"workdir", filepath.Join(b.Layer, layerWork)}} {
		c.Try("set up a layer", unix.SYS_FSCONFIG, fs, unix.FSCONFIG_SET_STRING, option[0], option[1], 0)
	}
	c.Try("set up a layer", unix.SYS_FSCONFIG, fs, unix.FSCONFIG_SET_FLAG, "userxattr", 0, 0)
	c.Try("set up a layer", unix.SYS_FSCONFIG, fs, unix.FSCONFIG_CMD_CREATE, 0, 0, 0)
	mount := c.Try("mount a layer", unix.SYS_FSMOUNT, fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	c.Try("close a file", unix.SYS_CLOSE, fs)
	return mount
}

func (c *calls) clone(path string) box.Reg {
	return c.Do("open "+path, unix.SYS_OPEN_TREE, here, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
}

func (c *calls) put(tree box.Reg, target string) {
	c.Do("show "+target, unix.SYS_MOVE_MOUNT, tree, "", here, target, unix.MOVE_MOUNT_F_EMPTY_PATH)
	c.Do("close a file", unix.SYS_CLOSE, tree)
}

// readOnly is a struct mount_attr that sets the mounts read-only and deaf to set-user-id bits.
func (c *calls) readOnly() box.Ptr {
	attr := binary.NativeEndian.AppendUint64(nil, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID)
	return c.Data(append(attr, make([]byte, attrSize-8)...)) // nothing cleared, nothing else changed
}

// covers lays empty directories over what is hidden and makes in them the places where something is shown.
func (c *calls) covers() {
	for _, dir := range c.view.Covers {
		flags := unix.MS_NOSUID | unix.MS_NODEV
		if !c.holds(dir) {
			flags |= unix.MS_RDONLY
		}
		c.Do("cover "+dir, unix.SYS_MOUNT, "none", dir, "tmpfs", flags, "size=64k,mode=755")
	}
	made := map[string]bool{}
	for _, b := range c.view.Shown {
		cover := c.coverOf(b.Target)
		if cover == "" {
			continue
		}
		names := strings.Split(strings.TrimPrefix(b.Target, cover+"/"), "/")
		for i := range names {
			path := filepath.Join(cover, filepath.Join(names[:i+1]...))
			last := i == len(names)-1
			if made[path] {
				continue
			}
			made[path] = true
			if last && !b.Dir {
				fd := c.Do("make "+path, unix.SYS_OPENAT, here, path, unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o644)
				c.Do("close a file", unix.SYS_CLOSE, fd)
			} else {
				c.Try("make "+path, unix.SYS_MKDIRAT, here, path, 0o755)
			}
		}
	}
}

// holds reports whether a place has to be made in a cover.
func (c *calls) holds(cover string) bool {
	return slices.ContainsFunc(c.view.Shown, func(b viewBind) bool { return c.coverOf(b.Target) == cover })
}

// coverOf returns the cover that a place is shown in, or "" when it is shown in another place or on the machine.
func (c *calls) coverOf(target string) string {
	if place, _ := c.view.Innermost(filepath.Dir(target)); place >= 0 {
		return ""
	}
	longest := ""
	for _, dir := range c.view.Covers {
		if dir != target && isAbove(dir, target) && len(dir) > len(longest) {
			longest = dir
		}
	}
	return longest
}

// locks makes the protected files of the workspace read-only. All are opened before the first one is put in its place: what can
// be written in a directory that is made read-only is taken from what it was.
func (c *calls) locks() {
	trees := make([]box.Reg, len(c.view.Locked))
	for i, b := range c.view.Locked {
		trees[i] = c.Find("open "+b.Source, unix.SYS_OPEN_TREE, here, b.Source, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if !b.Write {
			c.Find("protect "+b.Target, unix.SYS_MOUNT_SETATTR, trees[i], "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, c.readOnly(), attrSize)
		}
	}
	for i, b := range c.view.Locked {
		c.Find("show "+b.Target, unix.SYS_MOVE_MOUNT, trees[i], "", here, b.Target, unix.MOVE_MOUNT_F_EMPTY_PATH)
		c.Try("close a file", unix.SYS_CLOSE, trees[i])
	}
}

// masks lays a closed file or directory over what nobody may open.
func (c *calls) masks(masked []viewBind) {
	for _, b := range masked {
		closed := closedPlace + "/file"
		if b.Dir {
			closed = closedPlace + "/dir"
		}
		c.Find("mask "+b.Target, unix.SYS_MOUNT, closed, b.Target, 0, unix.MS_BIND, 0)
	}
}
