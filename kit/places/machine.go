package places

// machineRoots are the top directories that belong to the machine rather than to a person.
var machineRoots = map[string]bool{
	"bin": true, "boot": true, "dev": true, "etc": true, "lib": true, "lib32": true, "lib64": true, "libx32": true,
	"lost+found": true, "opt": true, "proc": true, "root": true, "run": true, "sbin": true, "snap": true, "srv": true,
	"sys": true, "usr": true, "var": true, "nix": true, "gnu": true, "system": true, "library": true,
	"applications": true, "private": true, "cores": true, "volumes": true, "windows": true, "home": true, "users": true,
}

// machinePlaces are absolute paths, without the leading slash. The first line that fits counts.
var machinePlaces = []place{
	{"tmp", Temp, false}, {"var/tmp", Temp, false}, {"dev/shm", Temp, false}, {"private/tmp", Temp, false},

	{"dev/null", Sink, false}, {"dev/zero", Sink, false}, {"dev/full", Sink, false}, {"dev/random", Sink, false},
	{"dev/urandom", Sink, false}, {"dev/stdin", Sink, false}, {"dev/stdout", Sink, false}, {"dev/stderr", Sink, false},
	{"dev/tty", Sink, false}, {"dev/fd", Sink, false}, {"proc/self/fd/[0-2]", Sink, false}, {"dev/pts", Sink, false},
	{"dev/ptmx", Sink, false}, {"dev", Device, false},

	{"var/run/docker.sock", Socket, false}, {"run/docker.sock", Socket, false}, {"run/containerd", Socket, false},
	{"var/run/containerd", Socket, false}, {"run/podman", Socket, false}, {"run/crio", Socket, false},
	{"run/user/*/podman", Socket, false}, {"run/user/*/docker.sock", Socket, false}, {"run/dbus", Socket, false},
	{"run/systemd/private", Socket, false}, {"var/lib/docker", Secret, false},
	{"run/user/*/keyring", Secret, false}, {"run/user/*/gnupg", Secret, false},

	{"etc/shadow*", Secret, true}, {"etc/gshadow*", Secret, true}, {"etc/sudoers", Secret, true}, {"etc/sudoers.d", Secret, true},
	{"etc/master.passwd", Secret, true}, {"etc/security/opasswd", Secret, true}, {"etc/ssh/ssh_host_*_key", Secret, false},
	{"etc/ssl/private", Secret, true}, {"etc/pki/tls/private", Secret, true}, {"etc/kubernetes", Secret, true},
	{"etc/rancher", Secret, true}, {"etc/krb5.keytab", Secret, true}, {"etc/wireguard", Secret, true}, {"etc/openvpn", Secret, true},
	{"etc/ipsec.secrets", Secret, true}, {"etc/letsencrypt", Secret, true}, {"etc/networkmanager/system-connections", Secret, true},
	{"etc/wpa_supplicant", Secret, true}, {"etc/ppp", Secret, true}, {"etc/cni", Secret, true}, {"etc/docker/key.json", Secret, true},
	{"etc/mysql/debian.cnf", Secret, true}, {"etc/exim4/passwd.client", Secret, true}, {"etc/postfix/sasl_passwd", Secret, true},
	{"run/secrets", Secret, true}, {"var/run/secrets", Secret, true}, {"run/credentials", Secret, true},
	{"var/lib/kubelet", Secret, true}, {"var/lib/sss", Secret, true}, {"var/spool/cron", Secret, true}, {"var/mail", Secret, true},
	{"var/spool/mail", Secret, true}, {"var/lib/cloud", Secret, true}, {"var/backups", Secret, true},
	{"var/db/shadow", Secret, true}, {"library/keychains", Secret, true},

	{"proc/self/fd", System, false}, {"proc/self/status", System, false}, {"proc/self/stat", System, false}, {"proc/self/limits", System, false}, {"proc/self/cgroup", System, false},
	{"proc/self/mounts", System, false}, {"proc/self/mountinfo", System, false}, {"proc/self/io", System, false}, {"proc/self/net", System, false},
	{"proc/*/environ", Secret, false}, {"proc/*/mem", Secret, false}, {"proc/*/maps", Secret, false}, {"proc/*/smaps", Secret, false},
	{"proc/*/fd", Secret, false}, {"proc/*/root", Secret, false}, {"proc/*/cwd", Secret, false}, {"proc/*/auxv", Secret, false},
	{"proc/*/stack", Secret, false}, {"proc/*/syscall", Secret, false}, {"proc/*/pagemap", Secret, false},
	{"proc/*/task/*/environ", Secret, false}, {"proc/*/task/*/mem", Secret, false}, {"proc/*/task/*/root", Secret, false},
	{"proc/*/map_files", Secret, false}, {"proc/kcore", Secret, false}, {"proc/kallsyms", Secret, false},
	{"proc/sysrq-trigger", Device, false}, {"proc/sys", System, false}, {"proc/kmsg", Secret, false},
	{"proc/[1-9]*", Machine, false}, {"proc/self", System, false}, {"proc/thread-self", System, false}, {"proc", System, false},
	{"sys/firmware", Machine, false}, {"sys/kernel/debug", Secret, false}, {"sys", System, false},

	{"etc/os-release", System, false}, {"etc/*-release", System, false}, {"etc/*_version", System, false}, {"etc/issue*", System, false},
	{"etc/timezone", System, false}, {"etc/localtime", System, false}, {"etc/shells", System, false}, {"etc/services", System, false},
	{"etc/protocols", System, false}, {"etc/mime.types", System, false}, {"etc/ssl/certs", System, false}, {"etc/ssl/cert.pem", System, false},
	{"etc/ssl/openssl.cnf", System, false}, {"etc/ca-certificates*", System, false}, {"etc/pki/ca-trust", System, false},
	{"etc/ld.so.*", System, false}, {"etc/alternatives", System, false}, {"etc/hosts", System, false}, {"etc/resolv.conf", System, false},
	{"etc/nsswitch.conf", System, false}, {"etc/host.conf", System, false}, {"etc/hostname", System, false}, {"etc/locale*", System, false},
	{"etc/manpath.config", System, false}, {"etc/magic*", System, false}, {"etc/terminfo", System, false}, {"etc/inputrc", System, false},
	{"etc/fonts", System, false}, {"etc/xdg", System, false}, {"etc/gitconfig", System, false}, {"etc/apt/sources.list*", System, false},
	{"etc/environment", Machine, false},

	{"usr", System, false}, {"bin", System, false}, {"sbin", System, false}, {"lib", System, false}, {"lib32", System, false},
	{"lib64", System, false}, {"libx32", System, false}, {"nix/store", System, false}, {"gnu/store", System, false},
	{"opt", System, false}, {"snap", System, false}, {"system/library", System, false}, {"applications", System, false},
	{"library/developer", System, false}, {"var/lib/dpkg", System, false}, {"var/lib/rpm", System, false},
}
