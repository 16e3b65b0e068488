#include "textflag.h"

// func triad(a, b, c *float64, lines int, s float64)
TEXT ·triad(SB), NOSPLIT, $0-40
	MOVQ     a+0(FP), DI
	MOVQ     b+8(FP), SI
	MOVQ     c+16(FP), DX
	MOVQ     lines+24(FP), CX
	MOVSD    s+32(FP), X0
	UNPCKLPD X0, X0

loop:
	MOVAPD  (DX), X1
	MOVAPD  16(DX), X2
	MOVAPD  32(DX), X3
	MOVAPD  48(DX), X4
	MULPD   X0, X1
	MULPD   X0, X2
	MULPD   X0, X3
	MULPD   X0, X4
	ADDPD   (SI), X1
	ADDPD   16(SI), X2
	ADDPD   32(SI), X3
	ADDPD   48(SI), X4
	MOVNTPD X1, (DI)
	MOVNTPD X2, 16(DI)
	MOVNTPD X3, 32(DI)
	MOVNTPD X4, 48(DI)
	ADDQ    $64, DI
	ADDQ    $64, SI
	ADDQ    $64, DX
	DECQ    CX
	JNZ     loop

	// Stores that go past the caches are weakly ordered.
	SFENCE
	RET
