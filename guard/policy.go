package guard

import "rein/guard/shell"

// policy is the one table of what each mode does with each class of effect under full isolation. Each line has a class and
// its severity. Read-only and plan share a column, because they differ only in the plan file.
//
//	class                read-only   supervised   full    severity
var policy = [...]struct {
	class                     shell.Class
	readOnly, supervised, run Decision
	severity                  Severity
}{
	{shell.Read, Allow, Allow, Allow, None},
	{shell.Env, Allow, Allow, Allow, None},
	{shell.Own, Deny, Allow, Allow, None},
	{shell.Build, Deny, Allow, Allow, None},
	{shell.Write, Deny, Allow, Allow, None},
	{shell.Commit, Deny, Allow, Allow, None},

	{shell.Delete, Deny, Ask, Allow, Low},
	{shell.Network, Deny, Ask, Allow, Low},
	{shell.Install, Deny, Ask, Allow, Low},
	{shell.OutsideRead, Deny, Ask, Allow, Low},
	{shell.Unknown, Deny, Ask, Allow, Low},
	{shell.Container, Deny, Ask, Allow, Low},
	{shell.Configured, Deny, Ask, Allow, Low},
	{shell.Signal, Deny, Ask, Allow, Low},
	{shell.Fill, Deny, Ask, Allow, Low},
	{shell.Publish, Deny, Ask, Ask, Low},
	{shell.Unparsed, Deny, Ask, Ask, Low},

	{shell.Dynamic, Deny, Ask, Ask, High},
	{shell.Exec, Deny, Ask, Ask, High},
	{shell.OutsideWrite, Deny, Ask, Ask, High},
	{shell.Config, Deny, Ask, Ask, High},
	{shell.Wipe, Deny, Ask, Ask, High},
	{shell.Admin, Deny, Ask, Ask, High},
	{shell.Private, Deny, Ask, Ask, High},
	{shell.Upload, Deny, Ask, Ask, High},
	{shell.RemoteChange, Deny, Ask, Ask, High},
	{shell.RemoteShell, Deny, Ask, Ask, High},
	{shell.RemoteCode, Deny, Ask, Ask, High},
	{shell.Nested, Deny, Ask, Ask, High},

	{shell.Foreign, Deny, Deny, Deny, Critical},
	{shell.Exhaust, Deny, Deny, Deny, Critical},
	{shell.SecretRead, Deny, Deny, Deny, Critical},
	{shell.Exfil, Deny, Deny, Deny, Critical},
	{shell.Obfuscated, Deny, Deny, Deny, Critical},
	{shell.Privilege, Deny, Deny, Deny, Critical},
	{shell.Backdoor, Deny, Deny, Deny, Critical},
	{shell.Tamper, Deny, Deny, Deny, Critical},
	{shell.Destroy, Deny, Deny, Deny, Critical},
}

// needs returns which isolation a class needs to run without an approval in supervised mode. With less it asks: without
// isolation of files, only reads run; without isolation of the network, code of the project could send what it reads.
func needs(c shell.Class) Isolation {
	switch c {
	case shell.Read, shell.Env:
		return NoIsolation
	case shell.Build, shell.Own:
		return FullIsolation
	}
	return FileIsolation
}

// Decide returns what a mode does with a class under an isolation.
func Decide(c shell.Class, m Mode, w Isolation) (Decision, Severity) {
	row := policy[c]
	switch m {
	case Full:
		return row.run, row.severity
	case Supervised, Auto:
		if row.supervised == Allow && w < needs(c) {
			return Ask, Low
		}
		return row.supervised, row.severity
	}
	return row.readOnly, row.severity
}
