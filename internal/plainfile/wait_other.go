//go:build !unix

package plainfile

const noWait = 0
