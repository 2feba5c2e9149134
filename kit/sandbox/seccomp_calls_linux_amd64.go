package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch    = unix.AUDIT_ARCH_X86_64
	foreignCalls = 0x40000000 // the numbers of the x32 interface start here
)

// archRefusedCalls exist on this architecture only.
func archRefusedCalls() []uint32 {
	return []uint32{
		unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_USTAT, unix.SYS_SYSFS, unix.SYS__SYSCTL,
		unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL,
	}
}

// archMetadataCalls change metadata of files and exist on this architecture only.
func archMetadataCalls() []uint32 {
	return []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
}

// archModeCalls, archOwnerCalls and archOpenCalls are modeCalls, ownerCalls and openCalls that exist on this architecture only.
func archModeCalls() map[uint32]uint32 {
	return map[uint32]uint32{unix.SYS_CHMOD: dataArg1, unix.SYS_CREAT: dataArg1, unix.SYS_MKNOD: dataArg1}
}

func archOwnerCalls() map[uint32]uint32 {
	return map[uint32]uint32{unix.SYS_CHOWN: dataArg1, unix.SYS_LCHOWN: dataArg1}
}

func archOpenCalls() map[uint32]uint32 { return map[uint32]uint32{unix.SYS_OPEN: dataArg1} }
