/* The environment that the public RISC-V tests (riscv-tests) are built with here: programs of user mode, without control
   registers, which end by environment call 93. Its names are those that the tests use. */
#ifndef OUTBOARD_RISCV_TEST_H
#define OUTBOARD_RISCV_TEST_H

#define TESTNUM gp

#define RVTEST_RV64U
#define RVTEST_CODE_BEGIN .text; .globl _start; _start: li TESTNUM, 0
#define RVTEST_CODE_END

/* 0 if all is well, else twice the number of the case that failed, and 1. */
#define RVTEST_PASS li a0, 0; li a7, 93; ecall
#define RVTEST_FAIL slli a0, TESTNUM, 1; ori a0, a0, 1; li a7, 93; ecall

#define EXTRA_DATA
#define RVTEST_DATA_BEGIN .balign 16; .globl begin_signature; begin_signature:
#define RVTEST_DATA_END .balign 16; .globl end_signature; end_signature:

#endif
