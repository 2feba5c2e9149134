package sandbox

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
)

// HideSockets masks the unix sockets of this machine's servers that the view would show: a read-only mount does not
// keep a program from connecting. Sockets below a writable place are the workspace's own.
func (v *view) HideSockets() {
	f, err := os.Open("/proc/net/unix")
	if err != nil {
		return
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		_, path, ok := strings.Cut(lines.Text(), " /")
		path = "/" + path
		if !ok || !v.Visible(path) || v.Writable(path) {
			continue
		}
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&os.ModeSocket == 0 {
			continue
		}
		if path, err = filepath.EvalSymlinks(path); err == nil && v.Visible(path) && !v.Writable(path) { // servers name /run as /var/run
			v.Masked = append(v.Masked, viewBind{Target: path})
		}
	}
}
