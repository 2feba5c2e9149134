package shell

import (
	"strings"

	"rein/places"
)

// containerRun reads docker run and similar commands: what of this machine goes into the container.
func containerRun(r *reader, sc *scope, c *call) (data, bool) {
	for _, o := range c.got.options {
		v := o.value
		switch o.name {
		case "-v", "--volume":
			r.mount(sc, v)
		case "--mount":
			for _, part := range strings.Split(v.text, ",") {
				if _, src, ok := v.with(part).cut("="); ok && (strings.HasPrefix(part, "source=") || strings.HasPrefix(part, "src=")) {
					r.mount(sc, src)
				}
			}
		case "--privileged":
			if !o.takes || v.text != "false" {
				r.found(Privilege, "starts a container with all privileges")
			}
		case "--pid", "--ipc", "--uts", "--userns", "--cgroupns", "--net", "--network":
			if v.text == "host" && o.name != "--net" && o.name != "--network" {
				r.found(Privilege, "starts a container in a namespace of the host")
			} else if v.text == "host" {
				r.found(Exec, "starts a container in the host's network")
			}
		case "--cap-add", "--security-opt":
			if !strings.Contains(v.text, "no-new-privileges") {
				r.found(Privilege, "starts a container with more privileges: %s", v.shown())
			}
		case "--device":
			r.found(Privilege, "starts a container with the host's devices")
		case "--env-file":
			r.reads(sc, v)
		case "-e", "--env":
			r.sends(v.taint&(fromSecret|fromPrivate|fromEnv), "into a container")
		case "-H", "--host":
			r.found(Exec, "connects to another daemon")
		}
	}
	r.effect(Container)
	if entry, ok := c.got.value("--entrypoint"); ok && len(c.got.operands) > 0 {
		r.contained(func() { r.exec(sc, append([]value{entry}, c.got.operands[1:]...), c.in) })
	} else if len(c.got.operands) > 1 {
		r.contained(func() { r.exec(sc, c.got.operands[1:], c.in) })
	}
	return data{taint: fromDaemon}, true
}

func (r *reader) mount(sc *scope, v value) {
	src, _, _ := v.cut(":")
	if !strings.HasPrefix(src.text, "/") && !strings.HasPrefix(src.text, ".") && !strings.HasPrefix(src.text, string(hole)) {
		return // a named volume
	}
	s := r.locate(sc, src)
	note(&r.report.Reads, s.abs)
	switch {
	case s.free:
		r.found(Exec, "gives a container access to a path that is not known: %s", src.shown())
	case s.class == places.Workspace || s.class == places.Protected || s.class == places.Temp || s.class == places.Tools:
	case s.class == places.Private:
		r.effect(Private)
	case s.class == places.Secret:
		r.found(SecretRead, "gives a container access to %s", src.shown())
	case s.class == places.Outside && !places.IsRoot(s.abs, r.ctx.Context), s.class == places.Startup:
		r.found(OutsideWrite, "gives a container access to %s", src.shown())
	default:
		r.found(Privilege, "gives a container access to %s of the host", src.shown())
	}
}

// containerLook reads docker inspect and similar commands: the environment of a container holds credentials.
func containerLook(r *reader, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	for _, a := range c.argv {
		if strings.Contains(a.text, "Env") || a.text == "--environment" {
			r.effect(Private)
		}
	}
	return data{taint: fromDaemon}, true
}

// containerExec reads docker exec, kubectl exec and similar commands: a container, and a command in it.
func containerExec(r *reader, sc *scope, c *call) (data, bool) {
	for _, o := range c.got.options {
		switch {
		case o.name == "--privileged":
			r.found(Privilege, "starts a container with all privileges")
		case o.name == "--env-file" && o.takes:
			r.reads(sc, o.value)
		}
	}
	if ops := c.got.operands; len(ops) > 1 {
		r.contained(func() { r.exec(sc, ops[1:], c.in) })
	}
	return data{taint: fromDaemon}, true
}
