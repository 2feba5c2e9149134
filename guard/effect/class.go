// Package effect holds what the shell guard knows about a command: its words and data as far as they are known, where their
// text comes from, and its effects with their classes.
package effect

// classWhy describes in general what an effect is.
var classWhy = [classes]string{
	Env: "prints the environment", Own: "controls its own processes", Build: "runs the project's own code",
	Write: "changes files of the workspace", Commit: "changes the local history", Delete: "removes files or history of the workspace",
	Network: "contacts the network", Install: "downloads and runs other people's packages", OutsideRead: "reads outside the workspace",
	Unknown: "does something that the guard cannot predict", Container: "uses the container daemon", Configured: "runs a program that the repository's settings name", Signal: "signals processes that may not be its own",
	Fill: "may fill the disk", Publish: "publishes work", Unparsed: "is not understood", Dynamic: "runs code that is not known before it runs",
	Exec: "runs another program by an option", OutsideWrite: "changes things outside the workspace", Config: "changes files that later programs trust",
	Wipe: "removes an unknown number of files", Admin: "administers the machine", Private: "may show credentials",
	Upload: "sends local data away", RemoteChange: "changes or destroys shared things", RemoteShell: "opens a channel to another machine",
	RemoteCode: "runs code from the network", Nested: "starts another agent", Foreign: "is a destructive command of another system",
	Exhaust: "stops or exhausts the machine", SecretRead: "reads credentials", Exfil: "sends secrets away",
	Obfuscated: "hides what it does", Privilege: "takes the rights of another user", Backdoor: "opens a shell to the network",
	Tamper: "changes or stops the harness", Destroy: "destroys what belongs to the machine",
}

// Why describes the effect in general.
func (c Class) Why() string { return classWhy[c] }

// Class is the kind of an effect, in the order of severity: a command has the class of its most severe effect. What a
// mode does with a class is decided in package kit/guards.
type Class int

// The classes of effects. The first group is what ordinary work does all day.
const (
	// Read looks at what may be looked at.
	Read Class = iota
	// Env prints the (scrubbed) environment.
	Env
	// Own steers processes that this command line started itself.
	Own
	// Build runs the project's own code: its tests, builds and scripts.
	Build
	// Write writes ordinary files of the workspace or of the scratch space.
	Write
	// Commit changes the local history in a way that can be undone.
	Commit

	// Delete removes files of the workspace, or history that is only here.
	Delete
	// Network reaches another machine.
	Network
	// Install fetches and runs other people's packages.
	Install
	// OutsideRead reads what does not belong to the work.
	OutsideRead
	// Unknown runs a program that the table does not know, or leaves one running.
	Unknown
	// Container uses the container daemon.
	Container
	// Configured runs a program that the repository's own settings name.
	Configured
	// Signal touches processes of others.
	Signal
	// Fill may fill the disk.
	Fill
	// Publish sends work to where others see it.
	Publish
	// Unparsed is a text that is not understood: not bash, too long, too deep.
	Unparsed

	// Dynamic runs code that is not known before it runs.
	Dynamic
	// Exec runs a program through an option or language of a harmless one.
	Exec
	// OutsideWrite writes outside the workspace.
	OutsideWrite
	// Config writes files that make later programs run.
	Config
	// Wipe removes an unknown number of files.
	Wipe
	// Admin administers the machine.
	Admin
	// Private reads files of the workspace that may hold credentials.
	Private
	// Upload sends local data to another machine.
	Upload
	// RemoteChange changes or destroys shared things elsewhere.
	RemoteChange
	// RemoteShell opens a channel to another machine.
	RemoteShell
	// RemoteCode runs code from the network.
	RemoteCode
	// Nested starts another agent.
	Nested

	// Foreign destroys on another kind of system.
	Foreign
	// Exhaust stops the machine or fills it with processes.
	Exhaust
	// SecretRead reads a store of credentials.
	SecretRead
	// Exfil sends secrets or private data away.
	Exfil
	// Obfuscated hides what it does.
	Obfuscated
	// Privilege becomes somebody else.
	Privilege
	// Backdoor opens a shell to the network.
	Backdoor
	// Tamper changes or stops the harness itself.
	Tamper
	// Destroy destroys the machine or the home directory.
	Destroy

	classes
)

var classNames = [classes]string{
	"read", "env", "own", "build", "write", "commit",
	"delete", "network", "install", "outside-read", "unknown", "container", "configured", "signal", "fill", "publish", "unparsed",
	"dynamic", "exec", "outside-write", "config", "wipe", "admin", "private", "upload", "remote-change", "remote-shell",
	"remote-code", "nested",
	"foreign", "exhaust", "secret-read", "exfil", "obfuscated", "privilege", "backdoor", "tamper", "destroy",
}

// String names the class as rules and tables write it.
func (c Class) String() string {
	if c < 0 || c >= classes {
		return "none"
	}
	return classNames[c]
}

// Classes lists all classes from the least to the most severe.
func Classes() []Class {
	all := make([]Class, classes)
	for i := range all {
		all[i] = Class(i)
	}
	return all
}

// ClassNamed finds a class by its name.
func ClassNamed(name string) (Class, bool) {
	for i, n := range classNames {
		if n == name {
			return Class(i), true
		}
	}
	return 0, false
}
