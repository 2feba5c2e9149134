package sandbox

import (
	"strings"
	"testing"
)

const wantProfile = `(version 1)
(allow default)
(deny file-write*)
(deny file-read* (subpath "/Users"))
(deny file-read* (subpath "/Users/me/Library/rein"))
(allow file-read-metadata (literal "/Users/me"))
(allow file-read-metadata (literal "/Users"))
(allow file-read-metadata (literal "/Users/me/Library/rein"))
(allow file-read-metadata (literal "/Users/me/Library"))
(allow file-read* (subpath "/Users/me/.gitconfig"))
(deny file-write* (subpath "/Users/me/.gitconfig"))
(allow file-read* (subpath "/Users/me/Library/rein/tmp"))
(allow file-write* (subpath "/Users/me/Library/rein/tmp"))
(allow file-read* (subpath "/Users/me/a \"b\\c"))
(allow file-write* (subpath "/Users/me/a \"b\\c"))
(allow file-write* (literal "/dev/null"))
(allow file-write* (literal "/dev/zero"))
(allow file-write* (literal "/dev/tty"))
(allow file-write* (literal "/dev/ptmx"))
(allow file-write* (literal "/dev/dtracehelper"))
(allow file-write* (regex #"^/dev/ttys[0-9]+$"))
(allow file-write* (subpath "/Users/me/a \"b\\c/.git"))
(deny file-write-unlink (literal "/Users/me/a \"b\\c/.git"))
(deny file-write* (subpath "/Users/me/a \"b\\c/.git/hooks"))
(deny file-read* file-write* (subpath "/Users/me/a \"b\\c/.env"))
`

const wantNetwork = `(deny network*)
(allow network* (subpath "/Users/me/Library/rein/tmp"))
(allow network* (subpath "/Users/me/a \"b\\c"))
`

func TestSeatbeltProfileSaysWhatTheViewSays(t *testing.T) {
	const ws = `/Users/me/a "b\c`
	v := view{
		Covers: []string{"/Users"},
		Shown: []viewBind{
			{Source: "/Users/me/.gitconfig", Target: "/Users/me/.gitconfig"},
			{Source: "/Users/me/Library/rein/tmp", Target: "/tmp", Write: true, Dir: true},
			{Source: ws, Target: ws, Write: true, Dir: true},
		},
		Locked: []viewBind{{Target: ws + "/.git", Write: true, Dir: true}, {Target: ws + "/.git/hooks", Dir: true}},
		Masked: []viewBind{{Target: ws + "/.env"}},
	}
	const private = "/Users/me/Library/rein"
	if got := seatbeltProfile(v, private, false); got != wantProfile+wantNetwork {
		t.Errorf("got\n%s", got)
	}
	if got := seatbeltProfile(v, private, true); got != wantProfile {
		t.Errorf("with the host's network: got\n%s", got)
	}
}

func TestMacKeepsItsSystem(t *testing.T) {
	v := view{Covers: []string{"/System", "/Users", "/Library", "/private", "/Volumes", "/opt/me"}}
	if got := strings.Join(onMac(v, "/opt/me").Covers, " "); got != "/Users /Volumes /opt/me /private/tmp /private/var/tmp" {
		t.Errorf("covered: %s", got)
	}
}
