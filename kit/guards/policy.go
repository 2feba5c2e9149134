package guards

import (
	"rein/guard"
	"rein/guard/effect"
)

// policy is the one table of what each mode does with each class of effect under full isolation. Each line has a class and
// its severity. Read-only and plan share a column, because they differ only in the plan file.
//
//	class                read-only   supervised   full    severity
var policy = [...]struct {
	class                     effect.Class
	readOnly, supervised, run guard.Decision
	severity                  guard.Severity
}{
	{effect.Read, guard.Allow, guard.Allow, guard.Allow, guard.None},
	{effect.Env, guard.Allow, guard.Allow, guard.Allow, guard.None},
	{effect.Own, guard.Deny, guard.Allow, guard.Allow, guard.None},
	{effect.Build, guard.Deny, guard.Allow, guard.Allow, guard.None},
	{effect.Write, guard.Deny, guard.Allow, guard.Allow, guard.None},
	{effect.Commit, guard.Deny, guard.Allow, guard.Allow, guard.None},

	{effect.Delete, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{effect.Network, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{effect.Install, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{effect.OutsideRead, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{effect.Unknown, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{effect.Container, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{effect.Configured, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{effect.Signal, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{effect.Fill, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{effect.Publish, guard.Deny, guard.Ask, guard.Ask, guard.Low},
	{effect.Unparsed, guard.Deny, guard.Ask, guard.Ask, guard.Low},

	{effect.Dynamic, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{effect.Exec, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{effect.OutsideWrite, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{effect.Config, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{effect.Wipe, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{effect.Admin, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{effect.Private, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{effect.Upload, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{effect.RemoteChange, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{effect.RemoteShell, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{effect.RemoteCode, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{effect.Nested, guard.Deny, guard.Ask, guard.Ask, guard.High},

	{effect.Foreign, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
	{effect.Exhaust, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
	{effect.SecretRead, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
	{effect.Exfil, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
	{effect.Obfuscated, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
	{effect.Privilege, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
	{effect.Backdoor, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
	{effect.Tamper, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
	{effect.Destroy, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
}

// needs returns which isolation a class needs to run without an approval in supervised mode. With less it asks: without
// isolation of files, only reads run; without isolation of the network, code of the project could send what it reads.
func needs(c effect.Class) guard.Isolation {
	switch c {
	case effect.Read, effect.Env:
		return guard.NoIsolation
	case effect.Build, effect.Own:
		return guard.FullIsolation
	}
	return guard.FileIsolation
}

// Decide returns what a mode does with a class under an isolation.
func Decide(c effect.Class, m guard.Mode, w guard.Isolation) (guard.Decision, guard.Severity) {
	row := policy[c]
	switch m {
	case guard.Full:
		return row.run, row.severity
	case guard.Asking:
		if d, s := Decide(c, guard.Supervised, w); d != guard.Allow || row.readOnly == guard.Allow {
			return d, s
		}
		return guard.Ask, guard.Low
	case guard.Supervised, guard.Auto:
		if row.supervised == guard.Allow && w < needs(c) {
			return guard.Ask, guard.Low
		}
		return row.supervised, row.severity
	}
	return row.readOnly, row.severity
}
