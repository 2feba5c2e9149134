package sandbox

import (
	"bufio"
	"os"
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
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
			v.Masked = append(v.Masked, viewBind{Target: path})
		}
	}
}
