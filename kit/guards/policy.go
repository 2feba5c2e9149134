package guards

import (
	"rein/guard"
	"rein/kit/shell"
)

// policy is the one table of what each mode does with each class of effect under full isolation. Each line has a class and
// its severity. Read-only and plan share a column, because they differ only in the plan file.
//
//	class                read-only   supervised   full    severity
var policy = [...]struct {
	class                     shell.Class
	readOnly, supervised, run guard.Decision
	severity                  guard.Severity
}{
	{shell.Read, guard.Allow, guard.Allow, guard.Allow, guard.None},
	{shell.Env, guard.Allow, guard.Allow, guard.Allow, guard.None},
	{shell.Own, guard.Deny, guard.Allow, guard.Allow, guard.None},
	{shell.Build, guard.Deny, guard.Allow, guard.Allow, guard.None},
	{shell.Write, guard.Deny, guard.Allow, guard.Allow, guard.None},
	{shell.Commit, guard.Deny, guard.Allow, guard.Allow, guard.None},

	{shell.Delete, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{shell.Network, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{shell.Install, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{shell.OutsideRead, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{shell.Unknown, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{shell.Container, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{shell.Configured, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{shell.Signal, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{shell.Fill, guard.Deny, guard.Ask, guard.Allow, guard.Low},
	{shell.Publish, guard.Deny, guard.Ask, guard.Ask, guard.Low},
	{shell.Unparsed, guard.Deny, guard.Ask, guard.Ask, guard.Low},

	{shell.Dynamic, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{shell.Exec, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{shell.OutsideWrite, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{shell.Config, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{shell.Wipe, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{shell.Admin, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{shell.Private, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{shell.Upload, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{shell.RemoteChange, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{shell.RemoteShell, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{shell.RemoteCode, guard.Deny, guard.Ask, guard.Ask, guard.High},
	{shell.Nested, guard.Deny, guard.Ask, guard.Ask, guard.High},

	{shell.Foreign, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
	{shell.Exhaust, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
	{shell.SecretRead, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
	{shell.Exfil, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
	{shell.Obfuscated, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
	{shell.Privilege, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
	{shell.Backdoor, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
	{shell.Tamper, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
	{shell.Destroy, guard.Deny, guard.Deny, guard.Deny, guard.Critical},
}

// needs returns which isolation a class needs to run without an approval in supervised mode. With less it asks: without
// isolation of files, only reads run; without isolation of the network, code of the project could send what it reads.
func needs(c shell.Class) guard.Isolation {
	switch c {
	case shell.Read, shell.Env:
		return guard.NoIsolation
	case shell.Build, shell.Own:
		return guard.FullIsolation
	}
	return guard.FileIsolation
}

// Decide returns what a mode does with a class under an isolation.
func Decide(c shell.Class, m guard.Mode, w guard.Isolation) (guard.Decision, guard.Severity) {
	row := policy[c]
	switch m {
	case guard.Full:
		return row.run, row.severity
	case guard.Supervised, guard.Auto:
		if row.supervised == guard.Allow && w < needs(c) {
			return guard.Ask, guard.Low
		}
		return row.supervised, row.severity
	}
	return row.readOnly, row.severity
}
