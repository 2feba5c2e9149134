package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"rein/guard"
	"rein/guard/effect"
	"rein/internal/plainfile"
	"rein/kit/guards"
	"rein/kit/network"
	"rein/kit/places"
	"rein/kit/sandbox"
	"rein/kit/shell"
	"rein/kit/tools"
)

// opens is a guard: it denies, before anybody is asked, a command whose effect the sandbox would prevent although it was approved. For
// others it says what an approval opens.
func (g *guarded) opens(ctx context.Context, c guard.Case) guard.Verdict {
	if address := unheard(c); address != "" {
		return guard.Verdict{Decision: guard.Deny, Severity: guard.Low, Guard: "effects", Rules: []string{"sandbox.no-effect"}, Reason: "nothing listens at " + address + " of this machine",
			Hint: "A server that a command started is one of the sandbox: reach it with a command, such as curl, or with the tools of the browser."}
	}
	opened, ports, err := g.opening(ctx, g.guards.Programs, c)
	if err != nil {
		return guard.Verdict{Decision: guard.Deny, Severity: guard.Low, Guard: "effects", Rules: []string{"sandbox.no-effect"}, Reason: err.Error(),
			Hint: "It was not run, because an approval would not change that. Do it in the workspace, or tell the user which command to run outside of rein."}
	}
	v := guard.Verdict{Guard: "effects"}
	for _, dir := range opened.Write {
		v.Effects = append(v.Effects, "opens "+dir+" for writing, until the command ends")
	}
	for _, path := range opened.Read {
		v.Effects = append(v.Effects, "opens "+path+" for reading, until the command ends")
	}
	for _, port := range ports {
		v.Effects = append(v.Effects, fmt.Sprintf("opens port %d of this machine, until the command ends", port))
	}
	if c.Mode != guard.Full {
		return v
	}
	if contacts, _ := g.guards.Programs.Contacts(c); len(contacts) > 0 && g.guards.Rules.Covers(c, guard.Low) != nil {
		v.Decision, v.Severity, v.Rules = guard.Ask, guard.Low, []string{"shell.network"} // the rule approves it, and what it approves is opened
		v.Reason = c.Call.Name + ": contacts " + contacts[0].String()
	}
	return v
}

// unheard is an address of this machine that a call would contact outside of the sandbox, and at which nothing listens; "" where there is none.
func unheard(c guard.Case) string {
	if c.Intent.Command != "" || c.Mode == guard.Full || c.Isolation != guard.FullIsolation || !ownsLoopback || isBrowserTool(c.Call.Name) {
		return ""
	}
	at := slices.IndexFunc(c.Intent.Hosts, func(host string) bool {
		port := localPort(effect.ContactOf(host))
		return port != 0 && !isListening(port)
	})
	if at < 0 {
		return ""
	}
	return c.Intent.Hosts[at]
}

// opening returns what an approval of a command opens: of its effects those that the sandbox would prevent. The error is for a model and
// says that an approval would have no effect.
func (c *confined) opening(ctx context.Context, p guards.Programs, a guard.Case) (o sandbox.Opened, ports []uint16, err error) {
	typed := a.Call.Name == "job_input"
	if a.Intent.Command == "" || !typed && a.Call.Name != "bash" || a.Mode <= guard.Plan || a.Isolation == guard.NoIsolation {
		return o, nil, nil
	}
	report := p.Read(a)
	if !needsApproval(report, a) {
		return o, nil, nil
	}
	if why := prevented(report, c.access.options.Proxied()); why != "" {
		return o, nil, errors.New(why)
	}
	contacts, _ := p.Contacts(a)
	for _, x := range contacts {
		if why := c.unreached(x.Contact); why != "" {
			return o, nil, fmt.Errorf("%s: %s", x, why)
		}
	}
	if path := c.hidden(report, a, p.Here.Places(a)); path != "" {
		return o, nil, fmt.Errorf("programs have a /tmp of their own, so they do not see %s of this machine; request_access opens it to them", path)
	}
	if o, err = c.box.Needs(ctx, beyond(report, a, p.Here.Places(a)), c.access.mayOpenPlace); err != nil {
		return o, nil, err
	}
	if typed && !o.IsZero() {
		return o, nil, fmt.Errorf("a job that runs cannot be given %s: what it may use is settled when it starts", strings.Join(slices.Concat(o.Write, o.Read), ", "))
	}
	for _, contact := range contacts {
		if port := localPort(contact.Contact); port != 0 && !slices.Contains(ports, port) && isListening(port) {
			ports = append(ports, port)
		}
	}
	return o, ports, nil
}

// needsApproval reports whether a person is asked because of an effect of a command.
func needsApproval(report *effect.Report, c guard.Case) bool {
	return c.Intent.Surroundings != nil && len(c.Intent.Surroundings.Links) > 0 || slices.ContainsFunc(report.Findings, func(f effect.Finding) bool {
		d, _ := guards.Decide(f.Class, c.Mode, c.Isolation)
		return d == guard.Ask
	})
}

// prevented says why the sandbox prevents what a command would do, whatever is opened; "" where it does not.
func prevented(report *effect.Report, proxied bool) string {
	for _, f := range report.Findings {
		switch {
		case f.Class == effect.Admin && len(report.Contacts) == 0 && len(report.Writes)+len(report.Removes) == 0:
			return f.Program + ": programs in the sandbox cannot administer the machine"
		case f.Class == effect.Container:
			return f.Program + ": programs in the sandbox do not reach the container daemon"
		case f.Class == effect.Signal && !slices.ContainsFunc(report.Programs, func(p string) bool { return !slices.Contains(findsProcesses, filepath.Base(p)) }):
			return f.Program + ": programs in the sandbox see only the processes of their own command; job_kill ends a job of this session"
		case f.Class == effect.Network && slices.Contains(asksNoServer, f.Program):
			return f.Program + ": programs in the sandbox reach other machines by TCP connections to known hosts only, and look up no names"
		case !proxied && (f.Class == effect.Network || f.Class == effect.Install || f.Class == effect.Publish):
			return f.Program + ": programs have no network with the sandbox of this machine; web_fetch and http_request have it"
		}
	}
	return ""
}

// unreached says why programs do not reach what they contact, whatever is opened; "" where they may.
func (c *confined) unreached(x effect.Contact) string {
	switch {
	case localPort(x) != 0:
		return ""
	case x.Port == effect.SSHPort:
		return "programs in the sandbox see no SSH keys"
	case x.Port == 21:
		return "programs in the sandbox cannot use FTP, which opens connections at other ports"
	case slices.Contains(otherProtocols, x.Port) && (!c.access.options.Forwards() || len(serversAt(addressText(x))) == 0):
		return "programs in the sandbox reach this server over HTTP only"
	}
	return ""
}

// hidden is a file or directory of this machine that a command would remove by its name and that programs do not see: the command would succeed,
// and nothing would have happened.
func (c *confined) hidden(report *effect.Report, a guard.Case, at places.Context) string {
	if a.Isolation != guard.FullIsolation {
		return ""
	}
	for _, path := range report.Removes {
		if places.Classify(path, at) == places.Temp && !strings.ContainsAny(path, "…*?[") && c.box.Unseen(path) &&
			!slices.ContainsFunc(report.Writes, func(made string) bool { return plainfile.IsWithin(path, made) }) {
			return path
		}
	}
	return ""
}

// otherProtocols are ports of databases and of others that speak no HTTP: a program does not reach them by a proxy.
var otherProtocols = []int{23, 389, 636, 873, 1883, 3306, 3690, 5432, 5672, 6379, 9042, 9418, 27017}

// asksNoServer are programs that speak to other machines without a connection of TCP, or to servers that no argument names.
var asksNoServer = []string{"ping", "ping6", "fping", "arping", "traceroute", "traceroute6", "tracepath", "mtr", "dig", "nslookup", "host", "drill", "kdig", "delv", "whois", "ntpq", "snmpwalk", "snmpget"}

// findsProcesses are programs that find, show and end processes, and start none that could be ended.
var findsProcesses = []string{"kill", "pkill", "killall", "fuser", "pgrep", "pidof", "ps", "lsof", "ss", "xargs", "echo", "true", "cat", "grep", "awk", "head", "tail", "cut", "sort"}

// beyond are the effects of a command on places that are neither the work's nor everybody's. Paths that are not known are left out; of those
// with wildcards the directory is known in which they are looked for.
func beyond(report *effect.Report, a guard.Case, at places.Context) sandbox.FileEffects {
	pick := func(paths []string, harmless func(places.Class) bool) (all []string) {
		for _, path := range a.Intent.Surroundings.Reached(paths) {
			if strings.Contains(path, "…") {
				continue
			}
			if i := strings.IndexAny(path, "*?["); i >= 0 {
				path = path[:strings.LastIndexByte(path[:i], '/')+1] + "."
			}
			if path = at.Abs(path); !harmless(places.Classify(path, at)) && !slices.Contains(all, path) {
				all = append(all, path)
			}
		}
		return all
	}
	reads := func(c places.Class) bool { return shell.ReadClass(c) == effect.Read }
	read := slices.DeleteFunc(pick(report.Reads, reads), func(path string) bool { return isWay(path, at) })
	writes := func(c places.Class) bool { return shell.WriteClass(c) <= effect.Write }
	return sandbox.FileEffects{Reads: read, Writes: append(pick(report.Writes, writes), changedSettings(report)...), Removes: pick(report.Removes, writes)}
}

// isWay reports whether a path is above the workspace: a program sees of it what leads to the workspace.
func isWay(path string, at places.Context) bool {
	return len(at.Workspaces) > 0 && path != at.Workspaces[0] && plainfile.IsWithin(path, at.Workspaces[0])
}

// changedSettings are the settings of the repositories in which a command makes git change them.
func changedSettings(report *effect.Report) (all []string) {
	if !slices.ContainsFunc(report.Findings, func(f effect.Finding) bool { return f.Class == effect.Config && f.Program == "git" }) {
		return nil
	}
	for _, dir := range report.Git {
		for at := dir; filepath.IsAbs(at) && at != "/"; at = filepath.Dir(at) {
			if pathExists(filepath.Join(at, ".git")) {
				all = append(all, filepath.Join(cmp.Or(sandbox.Repository(at), filepath.Join(at, ".git")), "config"))
				break
			}
		}
	}
	return all
}

// mayOpenPlace fails where no person may open a place outside of the workspace to a program.
func (g *accessGrants) mayOpenPlace(path string, write bool) error {
	x := tools.AccessRequest{Read: path}
	if write {
		x = tools.AccessRequest{Write: path}
	}
	if g.options.Denied(x.Intent()) {
		return errors.New("it belongs to the machine, is a home directory, or holds much more than what the command needs")
	}
	_, _, err := g.Check(x)
	return err
}

// localPort is the port of a contact with this machine, or 0.
func localPort(c effect.Contact) uint16 {
	if c.Port <= 0 || c.Port >= 1<<16 || c.Host == network.HostName {
		return 0
	}
	t, err := network.ParseTarget(c.Host, "1")
	if err == nil && (t.Host == "localhost" || strings.HasSuffix(t.Host, ".localhost") || t.Addr.IsLoopback() || t.Addr.IsUnspecified()) {
		return uint16(c.Port)
	}
	return 0
}

// opensPlaces reports whether an approval opens the places of a command: that of a person for this command, and that of a rule with exactly its
// words. A rule with wildcards, a hook and a reviewer approve what a command does inside the sandbox.
func opensPlaces(a guard.Answer, parts int) bool {
	rule, ok := a.By.Rule()
	return a.ByPerson() || parts <= 1 && ok && !strings.Contains(rule, "*")
}
