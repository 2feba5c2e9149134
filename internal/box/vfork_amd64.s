//go:build linux

#include "textflag.h"

// The child returns first and uses the stack; our way back is kept in a register.

// func vfork(flags uintptr, pidFile *int32) uintptr
TEXT ·vfork(SB),NOSPLIT|NOFRAME,$0-24
	MOVQ	flags+0(FP), DI
	MOVQ	$0, SI
	MOVQ	pidFile+8(FP), DX
	MOVQ	$0, R10
	MOVQ	$0, R8
	MOVQ	$0, R9
	MOVQ	$56, AX // clone
	POPQ	R12
	SYSCALL
	PUSHQ	R12
	MOVQ	AX, ret+16(FP)
	RET
