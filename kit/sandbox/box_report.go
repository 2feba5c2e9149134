package sandbox

import (
	"context"
	"runtime"
	"strconv"
)

// Report is what is and is not enforced here, for the doctor and for sessions' records.
type Report struct {
	Backend Backend
	// Tried are the backends in the order in which they were tried; the last one is the one that works.
	Tried []Attempt
	// Guarantees are what the backend enforces, line by line.
	Guarantees []Guarantee
}

// Guarantee is one thing that a sandbox may enforce.
type Guarantee struct {
	What     string
	Enforced bool
	How      string // by what, or why not
}

// Report describes what is enforced. The error is that of Prepare: nothing can be started.
func (b *Box) Report(ctx context.Context) (Report, error) {
	err := b.Prepare(ctx)
	return Report{Backend: b.backend, Tried: b.tried, Guarantees: guarantees(b.backend, b.inner)}, err
}

// guarantees is the table of what each backend enforces.
func guarantees(r Backend, p backendPolicy) []Guarantee {
	full := r == BackendNamespaces || r == BackendBubblewrap || r == BackendContainer
	some := full || r == BackendLandlock || r == BackendSeatbelt
	if r == BackendExternal {
		return []Guarantee{
			{"environment without secrets", true, "only the language, the terminal and what a call sets"},
			{"files, network, processes", false, "for the program that runs commands to hold: rein cannot try it"},
			{"limit of output of a command", true, bytesOrNone(p.LimitsOf(Spec{}).Output)},
		}
	}
	contained := r == BackendContainer
	tracing := p.Debuggers && full
	landlock, seatbelt := r == BackendLandlock, r == BackendSeatbelt
	how := func(enforced bool, by, without string) string {
		if enforced {
			return by
		}
		return without
	}
	table := []Guarantee{
		{"environment without secrets", true, "only names on an allow-list"},
		{"writes outside the workspace", some, how(some, how(seatbelt, "the generated profile", how(contained, "the container has nothing else", "read-only mounts, Landlock")), "programs can write wherever the user can")},
		{"home directory hidden", some, how(full, "hidden; the tools' caches are shown", how(some, "not readable; names and metadata show", "readable"))},
		{"protected files of the workspace", full || seatbelt, how(full || seatbelt, how(full, "read-only mounts", "the generated profile"), "they can be written")},
		{".env files", (full || seatbelt) && !p.EnvFiles, how((full || seatbelt) && !p.EnvFiles, "hidden", how(p.EnvFiles, "allowed by the settings", "they can be read"))},
		{"network", some && !p.HostNetwork, how(some && !p.HostNetwork, how(full, "a network namespace of its own with a loopback", "no sockets but unix sockets"), how(p.HostNetwork, "allowed by the settings", "open"))},
		{"other processes and sessions", full, how(full, "a process namespace, /tmp and shared memory of their own", "visible; signals "+how(landlock, "refused", "allowed"))},
		{"dangerous system calls", some && !seatbelt && !contained, how(some && !seatbelt, how(contained, "as the engine filters them", how(tracing, "seccomp, which lets programs trace each other as the settings say", "seccomp: no ptrace, io_uring, keys, bpf, mounts, namespaces, vsock")), "open")},
		{"capabilities and set-user-id", some && r != BackendSeatbelt, how(some && r != BackendSeatbelt, "all dropped, no new privileges", "as the user's")},
		{"processes end with their command", full || r == BackendLandlock || r == BackendNone, how(full && !contained, "process namespace", how(runtime.GOOS == "windows", "a job object", "a supervisor that adopts and ends what is left"))},
	}
	return append(table, bounds(r, p)...)
}

// bounds are the lines of the table about limits. Every backend of Linux has them all, also none.
func bounds(r Backend, p backendPolicy) []Guarantee {
	l, linux := p.LimitsOf(Spec{}), runtime.GOOS == "linux"
	by, whole := p.Groups.How()
	memory := "none is set; it would count the memory " + by
	if l.Memory > 0 {
		memory = bytesOrNone(l.Memory) + " " + by
	}
	processes := "counted by the kernel"
	if !countsProcesses(p.Groups, r) {
		processes = "counted by rein, twenty times a second: a fork bomb may be faster"
	}
	cpu := "none"
	if l.CPU > 0 {
		cpu = l.CPU.String()
	}
	return []Guarantee{
		{"limits of each process", linux, "CPU time: " + cpu + "; size of a file: " + bytesOrNone(l.FileSize) + "; open files: " + amount(l.OpenFiles)},
		{"limit of processes", linux, amount(l.Processes) + " at once, " + processes},
		{"limit of memory of a command", linux && whole, memory},
		{"limit of output of a command", true, bytesOrNone(l.Output)},
	}
}

// amount writes a limit.
func amount(n int64) string {
	if n < 0 {
		return "none"
	}
	return strconv.FormatInt(n, 10)
}

// bytesOrNone writes a limit in bytes as settings do: "8GiB".
func bytesOrNone(n int64) string {
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		if one := int64(1) << (30 - 10*i); n >= one && n%one == 0 {
			return strconv.FormatInt(n/one, 10) + unit
		}
	}
	return amount(n)
}

// Gaps lists what a backend does not keep programs from, in words for the user. A test runs the attacks on each
// backend and compares this list with what it finds.
func Gaps(r Backend) []string {
	switch r {
	case BackendNamespaces:
		return nil
	case BackendBubblewrap:
		return []string{"servers of one command are not reached by the next"}
	case BackendContainer:
		return []string{
			"the processes of other commands of the session are seen and can be signalled",
			"protected files that appear while a command runs are protected from the next one only",
			"system calls are filtered as the engine does",
		}
	case BackendExternal:
		return []string{"nothing is known of what the program enforces"}
	case BackendLandlock:
		return []string{
			"metadata of files outside (stat, chmod, chown, times, attributes of the user's own files)",
			"unix sockets that lie in readable directories",
			"seeing other processes",
			"protected and .env files of the workspace",
			"servers on the loopback do not work",
		}
	case BackendSeatbelt:
		return []string{
			"limits on time, files, processes and memory",
			"seeing and signalling other processes",
			"the system's own services",
			"programs that leave their group outlive the command",
			"servers on the loopback do not work",
		}
	}
	return []string{"files", "network", "other processes", "system calls"}
}
