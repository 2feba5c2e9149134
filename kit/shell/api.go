package shell

import (
	"rein/guard/effect"
	"rein/kit/places"
)

// What a report is made of lives in package fact, below all that fills it. These are the names that users of the guard need.
type (
	// Report is what a command line would do.
	Report = effect.Report
	// Finding is one effect and why it has its class.
	Finding = effect.Finding
	// Part is one simple command of a line.
	Part = effect.Part
	// Discard is what git would throw away.
	Discard = effect.Discard
	// Contact is a network address that a command contacts.
	Contact = effect.Contact
	// Class is the kind of an effect, in the order of severity.
	Class = effect.Class
	// Context describes where a command would run.
	Context = JudgeContext
)

// What is not committed: see package fact.
const (
	Changes   = effect.Changes
	Untracked = effect.Untracked
)

// The classes of effects, from the least to the most severe: see package fact.
const (
	Read         = effect.Read
	Env          = effect.Env
	Own          = effect.Own
	Build        = effect.Build
	Write        = effect.Write
	Commit       = effect.Commit
	Delete       = effect.Delete
	Network      = effect.Network
	Install      = effect.Install
	OutsideRead  = effect.OutsideRead
	Unknown      = effect.Unknown
	Container    = effect.Container
	Configured   = effect.Configured
	Signal       = effect.Signal
	Fill         = effect.Fill
	Publish      = effect.Publish
	Unparsed     = effect.Unparsed
	Dynamic      = effect.Dynamic
	Exec         = effect.Exec
	OutsideWrite = effect.OutsideWrite
	Config       = effect.Config
	Wipe         = effect.Wipe
	Admin        = effect.Admin
	Private      = effect.Private
	Upload       = effect.Upload
	RemoteChange = effect.RemoteChange
	RemoteShell  = effect.RemoteShell
	RemoteCode   = effect.RemoteCode
	Nested       = effect.Nested
	Foreign      = effect.Foreign
	Exhaust      = effect.Exhaust
	SecretRead   = effect.SecretRead
	Exfil        = effect.Exfil
	Obfuscated   = effect.Obfuscated
	Privilege    = effect.Privilege
	Backdoor     = effect.Backdoor
	Tamper       = effect.Tamper
	Destroy      = effect.Destroy
)

// Classes lists all classes from the least to the most severe.
func Classes() []Class { return effect.Classes() }

// ClassNamed finds a class by its name.
func ClassNamed(name string) (Class, bool) { return effect.ClassNamed(name) }

// ReadClass is the class of reading a place.
func ReadClass(p places.Class) Class { return readClass(p) }

// WriteClass is the class of writing a place, or of removing it.
func WriteClass(p places.Class) Class { return writeClass(p) }

// ContactOf reads a URL, a host, or a host with a port. Without a port it has that of the scheme, or 0 without a scheme.
func ContactOf(address string) Contact { return effect.ContactOf(address) }

// IsMetadata reports whether a host, with or without a port, is where a cloud keeps the machine's credentials.
func IsMetadata(host string) bool { return isMetadata(host) }

// GitRuns reports whether a setting of a repository, by its name in lower case, makes git run a program while it looks at or
// changes files. Settings whose program is known to be harmless are false. What the harness disarms in the environment of
// its programs is not among them: pagers, editors, prompts.
func GitRuns(key, value string) bool { return gitRuns(key, value) }

// Runs reports whether a program with these first words runs whatever its further arguments contain: interpreters,
// launchers, builders with rules of their own. No prefix of such a command shows what it does.
func Runs(words []string) bool { return tableRuns(words) }

// Prefix returns the words of a command that say what kind of thing it does: the program and its sub-command, as far as
// the table knows it to have one. more is true where other words follow that the kind does not depend on.
func Prefix(words []string) (prefix []string, more bool) { return tablePrefix(words) }

// SubCommand returns the words of a command without the program and without its options in front of the sub-command:
// "log -p" of "git -C dir log -p".
func SubCommand(words []string) []string { return subCommand(words) }

// Hidden describes what is wrong with a rune that looks like another one or like nothing, "" for a harmless one.
func Hidden(c, before rune) string { return effect.Hidden(c, before) }
