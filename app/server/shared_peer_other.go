//go:build !linux && !darwin && !freebsd

package server

import (
	"errors"
	"net"
)

const knowsPeers = false

func peerUser(*net.UnixConn) (int, error) { return 0, errors.ErrUnsupported }
