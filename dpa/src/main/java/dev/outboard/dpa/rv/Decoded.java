package dev.outboard.dpa.rv;

/// A decoded instruction, packed into 64 bits: its operation, the registers, its length and its
/// immediate. A short instruction is the long one of the same effect, but for its length.
final class Decoded {
    /// The bit of an instruction of 4 bytes.
    static final long LONG = 1L << 24;

    /// Where results go that nobody wants: beyond the 32 registers.
    static final int NOWHERE = 32;

    private static final int RD = 8;
    private static final int RS1 = 14;
    private static final int RS2 = 19;
    private static final int IMMEDIATE = 32;

    private Decoded() {}

    /// The instruction of these bits; of a short one the upper bits do not matter.
    static long of(int bits) {
        boolean isLong = isLong(bits);
        int own = isLong ? bits : bits & 0xffff;
        Encoding encoding = Encoding.of(own);
        return encoding.operation | encoding.form.operands(own) | (isLong ? LONG : 0);
    }

    /// Whether an instruction that begins with these bits has 4 bytes.
    static boolean isLong(int bits) {
        return (bits & 3) == 3;
    }

    static long operands(int rd, int rs1, int rs2, int immediate) {
        int result = rd == 0 ? NOWHERE : rd;
        return ((long) result << RD)
                | ((long) rs1 << RS1)
                | ((long) rs2 << RS2)
                | ((long) immediate << IMMEDIATE);
    }

    /// Whether it is an operation of the thread that others may see.
    static boolean isOperation(long instruction) {
        int operation = operation(instruction);
        return (Operation.LB <= operation && operation <= Operation.SD)
                || (Operation.FENCE <= operation && operation <= Operation.ECALL)
                || (Operation.LR_W <= operation && operation <= Operation.CSRRCI)
                || operation >= Operation.DPA_HEAP_FENCE;
    }

    /// One of [Operation].
    static int operation(long instruction) {
        return (int) instruction & 0xff;
    }

    /// The register of the result, or [#NOWHERE].
    static int rd(long instruction) {
        return (int) (instruction >>> RD) & 63;
    }

    static int rs1(long instruction) {
        return (int) (instruction >>> RS1) & 31;
    }

    static int rs2(long instruction) {
        return (int) (instruction >>> RS2) & 31;
    }

    static int immediate(long instruction) {
        return (int) (instruction >> IMMEDIATE);
    }

    static int lengthBytes(long instruction) {
        return (instruction & LONG) == 0 ? Short.BYTES : Integer.BYTES;
    }
}
