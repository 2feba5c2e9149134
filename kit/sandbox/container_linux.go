package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"rein/kit/sandbox/internal/box"
)

// containers is the backend with containers of Docker or Podman: one for a session, in which all of its programs run. Process 1 of the
// container is our supervisor. It starts the programs as it does on this machine, so a start costs no command of the engine, signals
// and the end reach the whole tree, and the proxy is reached by a listener that the supervisor makes in a network with nothing else.
//
// The mounts of a container cannot be changed. Programs that need other ones (places that were opened, a protected file that was not
// there before) run in a container of their own; one that no program uses any more is ended.
type containers struct {
	policy backendPolicy
	engine string
	view   view
	base   []string       // the environment of all programs
	ways   *proxyListener // to the proxy; nil if there is none

	mu   sync.Mutex
	open map[string]*container // by their mounts
}

// container is one container that runs.
type container struct {
	name       string
	supervisor *supervisor
	network    namespaces // for ports that are opened
	users      int        // programs that run in it
}

// Sees returns what programs see. The system's own directories are those of the image.
func (c *containers) Sees() *view { return &c.view }

// openContainer tries the backend by making the session's container.
func openContainer(ctx context.Context, p backendPolicy) (programStarter, func() error, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	engine, err := findEngine(p)
	if err != nil {
		return nil, nil, err
	}
	if p.Elsewhere.Image == "" {
		return nil, nil, errors.New("no image is named: the key sandboxBackend.image of your settings does")
	}
	c := &containers{policy: p, engine: engine, open: map[string]*container{}}
	image, err := c.imageEnv(ctx)
	if err != nil {
		return nil, nil, err
	}
	if c.view, err = newView(p); err != nil {
		return nil, nil, err
	}
	c.view = c.view.elsewhere()
	c.base = c.env(image)
	var proxy sync.WaitGroup
	if p.Proxy != nil && !p.HostNetwork {
		c.ways = newProxyListener()
		proxy.Go(func() { p.Proxy(c.ways) })
	}
	closer := func() error {
		err := c.close()
		if c.ways != nil {
			c.ways.Close()
		}
		proxy.Wait()
		return err
	}
	first, err := c.take(ctx, Spec{})
	if err != nil {
		return nil, nil, errors.Join(err, closer())
	}
	c.release(first)
	return c, closer, nil
}

// findEngine finds the program that runs containers. One that lies where programs may write could be theirs.
func findEngine(p backendPolicy) (string, error) {
	names := []string{"podman", "docker"}
	if p.Elsewhere.Engine != "" {
		names = []string{p.Elsewhere.Engine}
	}
	for _, name := range names {
		path, err := lookPath([]string{name}, childEnv(p.Parent, nil), p.Workspace)
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err != nil || p.Theirs(real) || p.Theirs(path) {
			return "", fmt.Errorf("%s is not used: programs may write where it lies", path)
		}
		return path, nil
	}
	return "", fmt.Errorf("%s is not installed", strings.Join(names, " or "))
}

// command is a command of the engine, as the user would call it: it may need DOCKER_HOST.
func (c *containers) command(args ...string) Spec {
	env := c.policy.Parent
	if env == nil {
		env = os.Environ()
	}
	return Spec{Argv: append([]string{c.engine}, args...), Dir: "/", Env: env}
}

// imageEnv is the environment that the image sets. It fails where the image is not on this machine: none is fetched.
func (c *containers) imageEnv(ctx context.Context) ([]string, error) {
	out, err := RunToEnd(ctx, None{}, c.command("image", "inspect", "--format", "{{json .Config.Env}}", c.policy.Elsewhere.Image), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.engine, err)
	}
	if out.Code != 0 {
		return nil, fmt.Errorf("%s finds no image %s on this machine (%s): %s pull gets one", c.engine, c.policy.Elsewhere.Image, lastLine(out.Stderr), filepath.Base(c.engine))
	}
	var env []string
	if err := json.Unmarshal([]byte(out.Stdout), &env); err != nil {
		return nil, fmt.Errorf("what %s says of the image %s cannot be read: %w", c.engine, c.policy.Elsewhere.Image, err)
	}
	return env, nil
}

// env is what all programs have in their environment: what the image sets, and ours.
func (c *containers) env(image []string) []string {
	image = slices.DeleteFunc(image, func(pair string) bool { name, _, _ := strings.Cut(pair, "="); return SecretName(name) })
	base := mergeEnv([]string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, image...)
	base = mergeEnv(base, elsewhereEnv(c.policy.Parent)...)
	base = mergeEnv(base, "HOME="+c.policy.Home, "TMPDIR=/tmp")
	if !c.view.HasCache(c.policy.Home) {
		base = mergeEnv(base, "XDG_CACHE_HOME=/tmp/.cache", "GOCACHE=/tmp/.cache/go-build", "npm_config_cache=/tmp/.npm")
	}
	if c.policy.Proxy != nil && !c.policy.HostNetwork {
		base = mergeEnv(base, proxyEnv()...)
	}
	return base
}

// mounts are the options of the engine that make the view.
func (c *containers) mounts(v view) []string {
	var args []string
	add := func(source, target string, write bool) {
		if _, err := os.Lstat(source); err == nil { // it may be gone by now
			args = append(args, "--mount", mountOption(source, target, write))
		}
	}
	for _, b := range slices.Concat(v.Shown, v.Locked) {
		if v.mounted(b.Target) {
			add(b.Source, b.Target, b.Write)
		}
	}
	for _, m := range v.Masked {
		if _, err := os.Lstat(m.Target); err == nil && v.mounted(m.Target) {
			name := "file"
			if m.Dir {
				name = "dir"
			}
			add(filepath.Join(c.policy.Own.Closed(), name), m.Target, false)
		}
	}
	return args
}

// mountOption is a mount in the words of both engines: fields with commas between them, in quotes where that is needed.
func mountOption(source, target string, write bool) string {
	fields := []string{"type=bind", "source=" + source, "target=" + target}
	if !write {
		fields = append(fields, "readonly")
	}
	for i, f := range fields {
		if strings.ContainsAny(f, ",\"\n") {
			fields[i] = `"` + strings.ReplaceAll(f, `"`, `""`) + `"`
		}
	}
	return strings.Join(fields, ",")
}

// take gives the container in which a program can run, and makes one where there is none. It is for release.
func (c *containers) take(ctx context.Context, spec Spec) (*container, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, other, err := c.policy.For(spec)
	if err != nil {
		return nil, err
	}
	v := c.view
	if other {
		if v, err = newView(p); err != nil {
			return nil, err
		}
		defer v.Close()
		v = v.elsewhere()
	}
	c.view.Refresh()
	v = v.Protect(p.EnvFiles)
	v.HideSockets()
	mounts := c.mounts(v)
	key := strings.Join(mounts, "\x00")
	one := c.open[key]
	if one != nil && one.gone() {
		delete(c.open, key)
		one = nil
	}
	if one == nil {
		if one, err = c.run(ctx, mounts); err != nil {
			return nil, err
		}
		for other, idle := range c.open {
			if idle.users == 0 {
				delete(c.open, other)
				go func() { _ = c.end(idle) }()
			}
		}
		c.open[key] = one
	}
	one.users++
	return one, nil
}

func (o *container) gone() bool {
	select {
	case <-o.supervisor.ended:
		return true
	default:
		return false
	}
}

// release notes that a program does not need its container any more.
func (c *containers) release(one *container) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one.users--
}

// arguments are those of the engine for a container.
func (c *containers) arguments(name, control, self string, mounts []string) []string {
	l, network := c.policy.LimitsOf(Spec{}), "none"
	if c.policy.HostNetwork {
		network = "host"
	}
	args := []string{"run", "--rm", "--name", name, "--hostname", "rein", "--network", network, "--read-only", "--cap-drop", "ALL",
		"--security-opt", "no-new-privileges", "--security-opt", "label=disable", "--user", fmt.Sprintf("%d:%d", os.Geteuid(), os.Getegid()),
		"--entrypoint", "/.rein/helper", "--env", box.Role + "=" + box.RoleContainer, "--workdir", "/", "--log-driver", "none", "--pull", "never"}
	if os.Geteuid() != 0 && strings.Contains(filepath.Base(c.engine), "podman") {
		args = append(args, "--userns", "keep-id")
	}
	if l.Processes > 0 {
		args = append(args, "--pids-limit", strconv.FormatInt(l.Processes+1, 10)) // the supervisor is one
	}
	if l.Memory > 0 {
		args = append(args, "--memory", fmt.Sprintf("%db", l.Memory))
	}
	args = append(args, ulimits(l)...)
	args = append(args, mounts...)
	return append(args, "--mount", mountOption(self, "/.rein/helper", false), "--mount", mountOption(control, filepath.Dir(box.ContainerControl), false),
		c.policy.Elsewhere.Image)
}

// run makes a container, and waits until our supervisor in it has said hello.
func (c *containers) run(ctx context.Context, mounts []string) (*container, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return nil, fmt.Errorf("find the program that runs in the container: %w", err)
	}
	control, err := os.MkdirTemp(c.policy.Own.Session(), "control-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(control) // one connection is all that is wanted
	listener, err := listenIn(control, "unixpacket", filepath.Base(box.ContainerControl))
	if err != nil {
		return nil, fmt.Errorf("make the control socket: %w", err)
	}
	defer listener.Close()
	one := &container{name: "rein-" + filepath.Base(c.policy.Own.Session()) + "-" + strings.TrimPrefix(filepath.Base(control), "control-")}
	cmd, err := bareStarter{}.Command(ctx, c.command(c.arguments(one.name, control, self, mounts)...))
	if err != nil {
		return nil, err
	}
	complaint := &tail{}
	cmd.Stderr, cmd.SysProcAttr = complaint, &unix.SysProcAttr{Setsid: true}
	if err := startHardened(cmd.Start); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.engine, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait(); listener.Close() }()
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(startTime)
	}
	_ = listener.SetDeadline(deadline)
	socket, err := acceptControl(listener)
	if err != nil {
		c.remove(one.name)
		<-ended
		return nil, fmt.Errorf("%s made no container of %s with rein in it (%s): rein must be linked statically (CGO_ENABLED=0), or the image must have its libraries",
			c.engine, c.policy.Elsewhere.Image, strings.TrimSpace(complaint.String()))
	}
	one.supervisor = supervisorAt(nil, socket)
	one.network = namespaces{policy: c.policy, supervisor: one.supervisor, doors: &sessionDoors{names: &hostNames{}, open: map[Server]*sessionDoor{}}}
	if c.ways != nil {
		way, err := one.network.listenFor(ctx, Server{Port: proxyPort})
		if err != nil {
			return nil, errors.Join(fmt.Errorf("make the way to the proxy: %w", err), c.end(one))
		}
		go c.ways.pass(way)
		go func() { <-one.supervisor.ended; way.Close() }()
	}
	return one, nil
}

// acceptControl takes the connection of the supervisor as a file that the runtime's poller watches.
func acceptControl(l *net.UnixListener) (*os.File, error) {
	conn, err := l.AcceptUnix()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	_ = conn.SetWriteBuffer(2 * box.LargestRequest)
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	var file *os.File
	failed := raw.Control(func(fd uintptr) {
		var own int
		if own, err = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 3); err == nil {
			file = os.NewFile(uintptr(own), "control") // it stays non-blocking
		}
	})
	return file, errors.Join(err, failed)
}

// end ends a container and everything in it.
func (c *containers) end(one *container) error {
	if !one.supervisor.hangUp() {
		c.remove(one.name)
	}
	return one.supervisor.control.Close()
}

// remove removes a container that does not end by itself.
func (c *containers) remove(name string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, _ = RunToEnd(ctx, None{}, c.command("rm", "--force", name), nil)
}

// close ends all containers.
func (c *containers) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, one := range c.open {
		errs = append(errs, c.end(one))
	}
	c.open = map[string]*container{}
	c.view.Close()
	return errors.Join(errs...)
}
