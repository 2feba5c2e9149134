package eval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// check puts the hidden files into the workspace and makes all checks.
func (t *trial) check(ctx context.Context) error {
	after, err := sums(t.files.Dir())
	if err != nil {
		return err
	}
	changed := changes(t.before, after)
	if err := writeAll(t.files, t.c.Hidden); err != nil {
		return err
	}
	t.a.Status = Passed
	for i := range t.c.Checks {
		fault, err := t.one(ctx, &t.c.Checks[i], changed)
		if err != nil {
			return err
		}
		if fault != "" {
			t.a.Status = Failed
		}
		t.a.Checks = append(t.a.Checks, CheckDone{t.c.Checks[i].String(), t.h.Mask().String(fault)})
	}
	return nil
}

// one makes a check and returns what does not hold; changed are the files that the attempt changed.
func (t *trial) one(ctx context.Context, c *Check, changed []string) (fault string, err error) {
	switch {
	case c.File != nil:
		return t.file(c.File), nil
	case c.Command != nil:
		output, code, err := t.shell(ctx, c.Command.Run)
		if err != nil || code != c.Command.Exit {
			return fmt.Sprintf("exit code %d, not %d: %s", code, c.Command.Exit, short(output)), err
		}
		return c.Command.TextCheck.check("the output", output), nil
	case c.Answer != nil:
		return t.answer(c.Answer), nil
	case c.Call != nil:
		return c.Call.count(t.calls.list), nil
	case c.Order != nil:
		return inOrder(c.Order, t.calls.list), nil
	case c.Forbid != nil:
		for _, k := range t.calls.list {
			if c.Forbid.matches(k) {
				return fmt.Sprintf("it was called: %s %s", k.tool, short(string(k.args))), nil
			}
		}
	case c.Changed != nil:
		for _, name := range changed {
			if !matchesAny(c.Changed, name) {
				return name + " was changed", nil
			}
		}
	case c.Unchanged != nil:
		for _, name := range changed {
			if matchesAny(c.Unchanged, name) {
				return name + " was changed", nil
			}
		}
	case c.Sent != nil:
		return c.Sent.check("what the model read", t.model.sent()), nil
	case c.Stop != "":
		if string(t.a.Stop) != c.Stop {
			return fmt.Sprintf("the turn ended with %s", t.a.Stop), nil
		}
	case c.Limits != nil:
		return c.Limits.check(t.a), nil
	case c.Judge != nil:
		return t.judge(ctx, c.Judge, changed)
	default:
		return t.group(ctx, c, changed)
	}
	return "", nil
}

// group makes the checks of all and any.
func (t *trial) group(ctx context.Context, c *Check, changed []string) (string, error) {
	var faults []string
	inner := append(append([]Check(nil), c.All...), c.Any...)
	for i := range inner {
		fault, err := t.one(ctx, &inner[i], changed)
		if err != nil {
			return "", err
		}
		if fault != "" {
			faults = append(faults, inner[i].String()+": "+fault)
		}
	}
	if c.Any != nil && len(faults) < len(inner) {
		return "", nil
	}
	return strings.Join(faults, "; "), nil
}

func (t *trial) file(c *FileCheck) string {
	data, err := t.files.ReadFile(c.Path)
	wanted := c.Exists == nil || *c.Exists
	switch {
	case errors.Is(err, fs.ErrNotExist) && wanted:
		return "there is no such file"
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case !wanted:
		return "the file is there"
	case err != nil:
		return err.Error()
	case c.Equals != nil && string(data) != *c.Equals:
		return fmt.Sprintf("the file is %q, not %q", short(string(data)), short(*c.Equals))
	case c.Bytes != nil && string(data) != string(*c.Bytes):
		return fmt.Sprintf("the file is %q, not %q", short(string(data)), short(string(*c.Bytes)))
	}
	return c.TextCheck.check("the file", string(data))
}

func (t *trial) answer(c *AnswerCheck) string {
	if !c.Any {
		return c.check(t.a.Answer)
	}
	fault := "there is no answer"
	for _, answer := range t.answers {
		if fault = c.check(answer); fault == "" {
			break
		}
	}
	return fault
}
