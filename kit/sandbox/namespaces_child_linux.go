package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"rein/kit/sandbox/internal/box"
)

// child is a program with a process namespace of its own, seen from outside: process 1 and the socket to it.
type child struct {
	*programRun
	control *os.File
	probed  []box.Report
	handed  []*os.File // open files that the helper sent before the program ran
	masks   *remask    // closes what becomes a file of secrets while it runs; nil: nothing does
	over    func()     // is called when the program has ended; nil: nobody wants to know
}

// errInitGone means that process 1 ended before it reported anything.
var errInitGone = errors.New("the sandbox's helper ended without a report")

// begin sends process 1 its message and waits until the program runs. Without streams the program has those of process 1.
func (c *child) begin(steps *box.Program, order box.Order, streams ...*os.File) error {
	message := steps.Framed(order)
	if len(message) > box.MostMessage {
		return fmt.Errorf("start %s: %w", order.Path, syscall.E2BIG)
	}
	fds, done, err := descriptors(streams)
	if err != nil {
		return err
	}
	err = sendStream(c.control, message, fds)
	done()
	if err != nil {
		return fmt.Errorf("enter the sandbox: %w (%w)", errInitGone, err)
	}
	for silent := true; ; silent = false {
		report, file, err := receive(c.control)
		switch {
		case err != nil && silent:
			return fmt.Errorf("enter the sandbox: %w (%w)", errInitGone, err)
		case err != nil:
			return fmt.Errorf("enter the sandbox: the helper ended too early: %w", err)
		}
		switch report.Kind {
		case box.Started, box.Probed:
			return nil
		case box.Attempted:
			c.probed = append(c.probed, report)
		case box.File:
			c.handed = append(c.handed, file)
		case box.Failed:
			return failure(steps, report, order)
		}
	}
}

// beginWithin is begin that ends with the context.
func (c *child) beginWithin(ctx context.Context, begin func() error) error {
	stop := context.AfterFunc(ctx, func() { c.control.Close() }) // without us process 1 ends
	err := begin()
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		c.control.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
	}
	return err
}

// failure makes an error of a helper's report.
func failure(steps *box.Program, report box.Report, order box.Order) error {
	errno := syscall.Errno(report.Errno)
	if report.Index >= 0 {
		return fmt.Errorf("enter the sandbox: %s: %w", steps.Name(int(report.Index)), errno)
	}
	_, missing := os.Stat(order.Path)
	if _, err := os.Stat(order.Dir); missing == nil && err == nil && errors.Is(errno, os.ErrNotExist) { // it is there, but not within
		return fmt.Errorf("start %s in %s: %w (the sandbox may hide what lies outside the workspace)", order.Path, order.Dir, errno)
	}
	return fmt.Errorf("start %s in %s: %w", order.Path, order.Dir, errno)
}

// Wait returns when the program has ended and everything that it left behind has been killed.
func (c *child) Wait() (Exit, error) {
	defer c.control.Close()
	defer c.masks.end()
	if c.over != nil {
		defer c.over()
	}
	report, _, err := receive(c.control)
	if err == nil && report.Kind == box.Ended {
		exit := exitOf(syscall.WaitStatus(report.Status), time.Duration(report.CPU))
		exit.Left = int(report.Left)
		return exit, nil
	}
	_, err = c.programRun.Wait() // process 1 was killed, and the program with it
	return Exit{Code: -1, Signal: syscall.SIGKILL}, err
}

// Signal sends a signal to everything in the process namespace; SIGKILL ends it.
func (c *child) Signal(sig syscall.Signal) error {
	if sig == syscall.SIGKILL {
		return c.programRun.Signal(sig)
	}
	_, err := c.control.Write([]byte{byte(sig)})
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
