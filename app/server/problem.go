package server

import (
	"errors"
	"net/http"
	"slices"

	"rein/app/harness"
	"rein/app/inbox"
	"rein/app/settings"
	"rein/tool"
)

var errClosed = errors.New("the session was closed a moment ago: try again")

// problemOf gives the problem of an error.
func problemOf(err error) *errorModel {
	if p, ok := errors.AsType[*errorModel](err); ok {
		return p
	}
	if _, ok := errors.AsType[settings.Error](err); ok {
		return problem(http.StatusConflict, "settings", err.Error())
	}
	switch {
	case errors.Is(err, errNoSession), harness.NoSession(err):
		return problem(http.StatusNotFound, "no_session", "no such session")
	case harness.HeldElsewhere(err):
		return problem(http.StatusConflict, "held", "another program has this session open")
	case errors.Is(err, ErrElsewhere):
		return problem(http.StatusUnprocessableEntity, "elsewhere", err.Error())
	case errors.Is(err, errClosed):
		return problem(http.StatusConflict, "closed", err.Error())
	case errors.Is(err, inbox.ErrNotPending):
		return problem(http.StatusNotFound, "not_pending", err.Error())
	case errors.Is(err, inbox.ErrChanged):
		return problem(http.StatusConflict, "changed", err.Error())
	case errors.Is(err, inbox.ErrNotFitting):
		return problem(http.StatusUnprocessableEntity, "answer", err.Error())
	}
	if e, ok := errors.AsType[harness.Error](err); ok {
		switch e.Kind {
		case harness.Usage, harness.Input:
			return problem(http.StatusUnprocessableEntity, "input", err.Error())
		case harness.Auth:
			return problem(http.StatusConflict, "no_model", err.Error())
		}
	}
	if e, ok := errors.AsType[*tool.Error](err); ok && slices.Contains([]tool.Kind{tool.BadArguments, tool.TooLarge, tool.Denied}, e.Kind) {
		return problem(http.StatusUnprocessableEntity, "input", err.Error())
	}
	return problem(http.StatusInternalServerError, "internal", err.Error())
}
