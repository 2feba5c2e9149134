package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch    = unix.AUDIT_ARCH_AARCH64
	foreignCalls = 0
)

// archRefusedCalls exist on this architecture only.
func archRefusedCalls() []uint32 {
	return []uint32{unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL}
}

// archMetadataCalls change metadata of files and exist on this architecture only.
func archMetadataCalls() []uint32 {
	return nil
}

// archModeCalls, archOwnerCalls and archOpenCalls are modeCalls, ownerCalls and openCalls that exist on this architecture only.
func archModeCalls() map[uint32]uint32 { return nil }

func archOwnerCalls() map[uint32]uint32 { return nil }

func archOpenCalls() map[uint32]uint32 { return nil }
