package sandbox

import "context"

// Report is what is and is not enforced here, for the doctor and for sessions' records.
type Report struct {
	Rung Rung
	// Tried are the rungs in the order in which they were tried; the last one is that which works.
	Tried []Try
	// Walls is what the rung does, line by line.
	Walls []Wall
}

// Wall is one thing that a sandbox may enforce.
type Wall struct {
	What     string
	Enforced bool
	How      string // by what, or why not
}

// Report finds the rung and tells about it. The error is that of Warm: nothing can be started.
func (b *Box) Report(ctx context.Context) (Report, error) {
	err := b.Warm(ctx)
	return Report{Rung: b.rung, Tried: b.tried, Walls: walls(b.rung, b.policy)}, err
}

// walls is the table of what each rung enforces.
func walls(r Rung, p Policy) []Wall {
	full := r == RungNamespaces || r == RungBubblewrap
	some := full || r == RungLandlock || r == RungSeatbelt
	landlock, seatbelt := r == RungLandlock, r == RungSeatbelt
	how := func(enforced bool, by, without string) string {
		if enforced {
			return by
		}
		return without
	}
	return []Wall{
		{"environment without secrets", true, "an allow-list of names"},
		{"writes outside the workspace", some, how(some, how(seatbelt, "the generated profile", "read-only mounts, Landlock"), "programs write wherever the user may")},
		{"home directory out of sight", some, how(full, "covered, tools' caches shown", how(some, "not readable; names and metadata show", "readable"))},
		{"protected files of the workspace", full || seatbelt, how(full || seatbelt, how(full, "read-only mounts", "the generated profile"), "they can be written")},
		{".env files", (full || seatbelt) && !p.EnvFiles, how((full || seatbelt) && !p.EnvFiles, "covered", how(p.EnvFiles, "allowed by the settings", "they can be read"))},
		{"network", some && !p.HostNetwork, how(some && !p.HostNetwork, how(full, "an empty network of its own, loopback works", "no sockets but unix sockets"), how(p.HostNetwork, "allowed by the settings", "open"))},
		{"other processes and sessions", full, how(full, "own process numbers, /tmp and shared memory", "visible; signals "+how(landlock, "refused", "allowed"))},
		{"kernel doors", some && r != RungSeatbelt, how(some && r != RungSeatbelt, "seccomp: no ptrace, io_uring, keys, bpf, mounts, namespaces, vsock", "open")},
		{"capabilities and set-user-id", some && r != RungSeatbelt, how(some && r != RungSeatbelt, "all dropped, no new privileges", "as the user's")},
		{"limits", some && r != RungSeatbelt, how(some && r != RungSeatbelt, "file size, open files, processes; CPU time and memory of each process where set; not the memory of all", "none")},
		{"nothing survives", full || r == RungLandlock || r == RungNone, how(full, "process namespace", "a supervisor that adopts and ends what is left")},
	}
}
