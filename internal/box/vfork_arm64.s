//go:build linux

#include "textflag.h"

// The child returns first and uses the stack; our way back is in a register, as it always is here.

// func vfork(flags uintptr, pidFile *int32) uintptr
TEXT ·vfork(SB),NOSPLIT,$0-24
	MOVD	flags+0(FP), R0
	MOVD	$0, R1
	MOVD	pidFile+8(FP), R2
	MOVD	$0, R3
	MOVD	$0, R4
	MOVD	$0, R5
	MOVD	$220, R8 // clone
	SVC
	MOVD	R0, ret+16(FP)
	RET
