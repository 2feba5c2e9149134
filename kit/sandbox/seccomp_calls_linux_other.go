//go:build linux && !amd64 && !arm64

package sandbox

// On other architectures no filter is known to be right: the architecture check kills every program, the probe sees
// it, and no backend with a filter is used.
const (
	auditArch    = 0
	foreignCalls = 0
)

func archRefusedCalls() []uint32 { return nil }

// archMetadataCalls change metadata of files and exist on this architecture only.
func archMetadataCalls() []uint32 {
	return nil
}

// archModeCalls, archOwnerCalls and archOpenCalls are modeCalls, ownerCalls and openCalls that exist on this architecture only.
func archModeCalls() map[uint32]uint32 { return nil }

func archOwnerCalls() map[uint32]uint32 { return nil }

func archOpenCalls() map[uint32]uint32 { return nil }
