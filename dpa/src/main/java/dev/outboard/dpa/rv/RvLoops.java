package dev.outboard.dpa.rv;

/// The loops of code: from the target of a branch that goes back up to that branch. Instructions
/// are named by their index in [RvCode#instructions].
final class RvLoops {
    /// How many instructions a loop has at most, from the one that is asked for to its end.
    private static final int LONGEST = 64;

    private final long[] instructions;

    RvLoops(long[] instructions) {
        this.instructions = instructions;
    }

    /// Whether the load there is what a poll loop waits for: the innermost loop around it stores
    /// nothing, counts nothing and calls nobody.
    boolean isPoll(int load) {
        int end = end(load);
        return end >= 0
                && Operation.LB <= operation(load)
                && operation(load) <= Operation.LWU
                && isPoll(target(end), end);
    }

    private boolean isPoll(int begin, int end) {
        long readFirst = 0;
        long written = 0;
        for (int i = begin; i <= end; i = next(i)) {
            long instruction = instructions[i];
            if (!isHarmless(instruction)) {
                return false;
            }
            long read = 1L << Decoded.rs1(instruction) | 1L << Decoded.rs2(instruction);
            readFirst |= read & ~written;
            written |= 1L << Decoded.rd(instruction);
        }
        return (readFirst & written) == 0;
    }

    /// Whether the branch there, which goes back, does so for ever: what runs from its target up to
    /// it goes forward only, touches nothing but registers, and none that a branch on the way asks
    /// for. In code that is entered in the middle of instructions, too: only what runs counts.
    ///
    /// @param x what the registers hold
    boolean isEndless(int branch, long[] x) {
        long asked = 0;
        long written = 0;
        int index = target(branch);
        while (index >= 0 && index <= branch) {
            long instruction = instructions[index];
            boolean isBranch = isBranch(instruction);
            if (!isBranch && !onlyComputes(instruction)) {
                return false;
            }
            if (isBranch) {
                asked |= 1L << Decoded.rs1(instruction) | 1L << Decoded.rs2(instruction);
            }
            written |= 1L << Decoded.rd(instruction);
            boolean isTaken = isBranch && isTaken(instruction, x);
            if (index == branch) {
                return isTaken && (asked & written) == 0;
            }
            int next = isTaken ? target(index) : next(index);
            if (next <= index) {
                return false;
            }
            index = next;
        }
        return false;
    }

    private static boolean onlyComputes(long instruction) {
        return !Decoded.isOperation(instruction)
                && isHarmless(instruction)
                && Decoded.operation(instruction) != Operation.JALR;
    }

    private static boolean isTaken(long branch, long[] x) {
        long a = x[Decoded.rs1(branch)];
        long b = x[Decoded.rs2(branch)];
        return switch (Decoded.operation(branch)) {
            case Operation.BEQ -> a == b;
            case Operation.BNE -> a != b;
            case Operation.BLT -> a < b;
            case Operation.BGE -> a >= b;
            case Operation.BLTU -> Long.compareUnsigned(a, b) < 0;
            case Operation.BGEU -> Long.compareUnsigned(a, b) >= 0;
            default -> true;
        };
    }

    /// The branch that ends the innermost loop around an instruction, or -1.
    private int end(int inside) {
        int innermost = -1;
        int index = inside;
        for (int i = 0; i < LONGEST && index < instructions.length; i++) {
            if (isBranch(instructions[index])
                    && target(index) <= inside
                    && target(index) >= 0
                    && (innermost < 0 || target(index) > target(innermost))) {
                innermost = index;
            }
            index = next(index);
        }
        return innermost;
    }

    private int operation(int index) {
        return Decoded.operation(instructions[index]);
    }

    private int next(int index) {
        return index + Decoded.lengthBytes(instructions[index]) / Short.BYTES;
    }

    private int target(int branch) {
        return branch + Decoded.immediate(instructions[branch]) / Short.BYTES;
    }

    private static boolean isBranch(long instruction) {
        int operation = Decoded.operation(instruction);
        return operation == Operation.JAL
                ? Decoded.rd(instruction) == Decoded.NOWHERE
                : Operation.BEQ <= operation && operation <= Operation.BGEU;
    }

    /// Whether an instruction stores nothing and calls nobody.
    private static boolean isHarmless(long instruction) {
        int operation = Decoded.operation(instruction);
        return switch (operation) {
            case Operation.JAL, Operation.JALR -> Decoded.rd(instruction) == Decoded.NOWHERE;
            case Operation.ECALL, Operation.ILLEGAL, Operation.TRUNCATED -> false;
            default ->
                    !(Operation.SB <= operation && operation <= Operation.SD)
                            && !(Operation.LR_W <= operation && operation <= Operation.AMOMAXU_D);
        };
    }
}
