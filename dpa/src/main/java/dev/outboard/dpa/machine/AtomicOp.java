package dev.outboard.dpa.machine;

/// The read-modify-write operations of RV64A.
public enum AtomicOp {
    /// The operand.
    SWAP,
    /// The sum.
    ADD,
    /// Bitwise and.
    AND,
    /// Bitwise or.
    OR,
    /// Bitwise exclusive or.
    XOR,
    /// The smaller one, signed.
    MIN,
    /// The greater one, signed.
    MAX,
    /// The smaller one, unsigned.
    MINU,
    /// The greater one, unsigned.
    MAXU;

    /// The new value of a word of 4 or 8 bytes, without sign.
    public long apply(long old, long operand, int lengthBytes) {
        return lengthBytes == Integer.BYTES
                ? Integer.toUnsignedLong(apply((int) old, (int) operand))
                : apply(old, operand);
    }

    /// The new value of a word of 8 bytes.
    public long apply(long old, long operand) {
        return switch (this) {
            case SWAP -> operand;
            case ADD -> old + operand;
            case AND -> old & operand;
            case OR -> old | operand;
            case XOR -> old ^ operand;
            case MIN -> Math.min(old, operand);
            case MAX -> Math.max(old, operand);
            case MINU -> Long.compareUnsigned(old, operand) <= 0 ? old : operand;
            case MAXU -> Long.compareUnsigned(old, operand) >= 0 ? old : operand;
        };
    }

    /// The new value of a word of 4 bytes.
    public int apply(int old, int operand) {
        return switch (this) {
            case MINU -> Integer.compareUnsigned(old, operand) <= 0 ? old : operand;
            case MAXU -> Integer.compareUnsigned(old, operand) >= 0 ? old : operand;
            default -> (int) apply((long) old, (long) operand);
        };
    }
}
