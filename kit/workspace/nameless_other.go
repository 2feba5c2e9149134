//go:build !linux

package workspace

import (
	"errors"
	"os"
)

func nameless(*os.Root) (*os.File, error) { return nil, errors.ErrUnsupported }

func link(*os.File, *os.Root, string) error { return errors.ErrUnsupported }
