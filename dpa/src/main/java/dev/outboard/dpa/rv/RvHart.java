package dev.outboard.dpa.rv;

import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.machine.run.FueledThread;
import org.jspecify.annotations.Nullable;

/// DPA-HW-6: runs C device code: 32 registers, and for everything that others can see the
/// [DpaThread] that it runs for. One thread at a time uses it, that of the kernel.
///
/// ```java
/// RvHart hart = new RvHart(code, calls);
/// hart.register(RvHart.STACK_POINTER, stackTop);
/// hart.register(RvHart.FIRST_ARGUMENT, argument);
/// hart.run(thread, address);
/// long result = hart.register(RvHart.FIRST_ARGUMENT);
/// ```
///
/// What the machine forbids leaves it as the error of the machine, which then names the instruction
/// and the registers. Once it runs, it allocates nothing.
public final class RvHart {
    /// Where a function returns to that [#run] has called.
    public static final long RETURN_ADDRESS = -4096;

    /// ra.
    public static final int LINK = 1;

    /// sp.
    public static final int STACK_POINTER = 2;

    /// tp.
    public static final int THREAD_POINTER = 4;

    /// a0; the others follow.
    public static final int FIRST_ARGUMENT = 10;

    /// a7.
    private static final int CALL_NUMBER = 17;

    private static final int REGISTERS = 32;
    private static final int REGISTERS_A_LINE = 4;
    private static final int CYCLE = 0xc00;
    private static final int TIME = 0xc01;
    private static final int RETIRED = 0xc02;

    // Who a fence orders, four bits before it and four bits after it.
    private static final int READS = 0b1010;
    private static final int WRITES = 0b0101;
    private static final int OF_MEMORY = 0b0011;
    private static final int OF_MMIO = 0b1100;
    private static final int FENCED_BITS = 4;

    private static final AtomicOrder[] ORDERS = {
        AtomicOrder.RELAXED, AtomicOrder.RELEASE, AtomicOrder.ACQUIRE, AtomicOrder.ACQUIRE_RELEASE
    };
    private static final Op[] OPS = {Op.R, Op.R, Op.W, Op.RW};

    private final RvCode code;
    private final Ecalls calls;

    /// The one beyond the 32 takes what is written to x0.
    private final long[] registers = new long[REGISTERS + 1];

    private boolean stopped;
    private @Nullable Probe probe;

    /// Where it has faulted.
    private long faultedAt;

    /// All registers are 0.
    public RvHart(RvCode code, Ecalls calls) {
        this.code = code;
        this.calls = calls;
    }

    /// What a register holds.
    ///
    /// @param number 0 to 31
    public long register(int number) {
        return registers[number];
    }

    /// Sets a register.
    ///
    /// @param number 1 to 31
    public void register(int number, long value) {
        if (number < 1 || number >= REGISTERS) {
            throw new IllegalArgumentException("The registers to set are 1 to 31, not " + number);
        }
        registers[number] = value;
    }

    /// An argument of the environment call that goes on.
    ///
    /// @param index 0 to 6
    public long argument(int index) {
        return registers[FIRST_ARGUMENT + index];
    }

    /// Ends the program after the environment call that goes on.
    public void stop() {
        stopped = true;
    }

    /// Where it has faulted, if it has.
    public long faultedAt() {
        return faultedAt;
    }

    /// Lets somebody follow the program, instruction by instruction, from its next run on.
    public void follow(Probe probe) {
        this.probe = probe;
    }

    /// DPA-ERR-5: what an environment call does whose number nobody knows: it faults.
    ///
    /// @return never
    public static long unknownCall(long number) {
        throw new FaultSignal(
                Fault.UNKNOWN_CALL, "no environment call has the number %d".formatted(number));
    }

    /// Runs the function at an address until it returns, or until a call [stops][#stop] it.
    ///
    /// @param thread any thread of the machine
    /// @throws Error if it does what the machine forbids
    public void run(DpaThread thread, long address) {
        registers[LINK] = RETURN_ADDRESS;
        stopped = false;
        try {
            interpret(thread, (FueledThread) thread, address);
        } finally {
            if (probe != null) {
                probe.ended(thread);
            }
        }
    }

    /// All in one loop, and so one method of the compiler: a call of a method for each instruction
    /// would cost more than the instruction. It counts those that are no operations of the thread,
    /// which count themselves.
    private void interpret(DpaThread thread, FueledThread fuel, long address) {
        long[] x = registers;
        long[] instructions = code.instructions();
        long base = code.base();
        long length = code.lengthBytes();
        int done = 0;
        int most = probe == null ? fuel.spendInstructions(0) : 0;
        long pc = address;
        try {
            if (Long.compareUnsigned(pc - base, length) >= 0 || (pc & 1) != 0) {
                throw badFetch(pc);
            }
            int index = (int) ((pc - base) >> 1);
            while (true) {
                pc = base + 2L * index;
                if (done >= most) {
                    int told = done;
                    done = 0;
                    most = fuel.spendInstructions(told);
                    if (probe != null) {
                        most = 0;
                        index = (int) ((probe.before(this, thread, pc) - base) >> 1);
                        pc = base + 2L * index;
                    }
                }
                if (Integer.compareUnsigned(index, instructions.length) >= 0) {
                    throw badFetch(pc);
                }
                long instruction = instructions[index];
                int rd = Decoded.rd(instruction);
                long a = x[Decoded.rs1(instruction)];
                long b = x[Decoded.rs2(instruction)];
                int immediate = Decoded.immediate(instruction);
                int next = index + (Decoded.lengthBytes(instruction) >> 1);
                done++;
                switch (Decoded.operation(instruction)) {
                    case Operation.LUI -> x[rd] = immediate;
                    case Operation.AUIPC -> x[rd] = pc + immediate;
                    case Operation.JAL -> {
                        x[rd] = base + 2L * next;
                        next = index + (immediate >> 1);
                    }
                    case Operation.JALR -> {
                        long target = (a + immediate) & ~1L;
                        x[rd] = base + 2L * next;
                        if (Long.compareUnsigned(target - base, length) >= 0) {
                            if (target == RETURN_ADDRESS) {
                                fuel.spendInstructions(done);
                                return;
                            }
                            pc = target;
                            throw badFetch(pc);
                        }
                        next = (int) ((target - base) >> 1);
                    }
                    case Operation.BEQ -> {
                        if (a == b) {
                            next = index + (immediate >> 1);
                        }
                    }
                    case Operation.BNE -> {
                        if (a != b) {
                            next = index + (immediate >> 1);
                        }
                    }
                    case Operation.BLT -> {
                        if (a < b) {
                            next = index + (immediate >> 1);
                        }
                    }
                    case Operation.BGE -> {
                        if (a >= b) {
                            next = index + (immediate >> 1);
                        }
                    }
                    case Operation.BLTU -> {
                        if (Long.compareUnsigned(a, b) < 0) {
                            next = index + (immediate >> 1);
                        }
                    }
                    case Operation.BGEU -> {
                        if (Long.compareUnsigned(a, b) >= 0) {
                            next = index + (immediate >> 1);
                        }
                    }
                    case Operation.LB -> {
                        done--;
                        x[rd] = thread.load8(a + immediate);
                    }
                    case Operation.LH -> {
                        done--;
                        x[rd] = thread.load16(a + immediate);
                    }
                    case Operation.LW -> {
                        done--;
                        x[rd] = thread.load32(a + immediate);
                    }
                    case Operation.LD -> {
                        done--;
                        x[rd] = thread.load64(a + immediate);
                    }
                    case Operation.LBU -> {
                        done--;
                        x[rd] = thread.load8(a + immediate) & 0xff;
                    }
                    case Operation.LHU -> {
                        done--;
                        x[rd] = thread.load16(a + immediate) & 0xffff;
                    }
                    case Operation.LWU -> {
                        done--;
                        x[rd] = Arithmetic.unsigned(thread.load32(a + immediate));
                    }
                    case Operation.SB -> {
                        done--;
                        thread.store8(a + immediate, (int) b);
                    }
                    case Operation.SH -> {
                        done--;
                        thread.store16(a + immediate, (int) b);
                    }
                    case Operation.SW -> {
                        done--;
                        thread.store32(a + immediate, (int) b);
                    }
                    case Operation.SD -> {
                        done--;
                        thread.store64(a + immediate, b);
                    }
                    case Operation.ADDI -> x[rd] = a + immediate;
                    case Operation.SLTI -> x[rd] = Arithmetic.bit(a < immediate);
                    case Operation.SLTIU ->
                            x[rd] = Arithmetic.bit(Long.compareUnsigned(a, immediate) < 0);
                    case Operation.XORI -> x[rd] = a ^ immediate;
                    case Operation.ORI -> x[rd] = a | immediate;
                    case Operation.ANDI -> x[rd] = a & immediate;
                    case Operation.SLLI -> x[rd] = a << immediate;
                    case Operation.SRLI -> x[rd] = a >>> immediate;
                    case Operation.SRAI -> x[rd] = a >> immediate;
                    case Operation.ADD -> x[rd] = a + b;
                    case Operation.SUB -> x[rd] = a - b;
                    case Operation.SLL -> x[rd] = a << b;
                    case Operation.SLT -> x[rd] = Arithmetic.bit(a < b);
                    case Operation.SLTU -> x[rd] = Arithmetic.bit(Long.compareUnsigned(a, b) < 0);
                    case Operation.XOR -> x[rd] = a ^ b;
                    case Operation.SRL -> x[rd] = a >>> b;
                    case Operation.SRA -> x[rd] = a >> b;
                    case Operation.OR -> x[rd] = a | b;
                    case Operation.AND -> x[rd] = a & b;
                    case Operation.ADDIW -> x[rd] = (int) (a + immediate);
                    case Operation.SLLIW -> x[rd] = (int) (a << immediate);
                    case Operation.SRLIW -> x[rd] = (int) (Arithmetic.unsigned(a) >>> immediate);
                    case Operation.SRAIW -> x[rd] = (int) a >> immediate;
                    case Operation.ADDW -> x[rd] = (int) (a + b);
                    case Operation.SUBW -> x[rd] = (int) (a - b);
                    case Operation.SLLW -> x[rd] = (int) (a << (b & 31));
                    case Operation.SRLW -> x[rd] = (int) (Arithmetic.unsigned(a) >>> (b & 31));
                    case Operation.SRAW -> x[rd] = (int) a >> (int) b;
                    case Operation.MUL -> x[rd] = a * b;
                    case Operation.MULH -> x[rd] = Math.multiplyHigh(a, b);
                    case Operation.MULHSU -> x[rd] = Arithmetic.multiplyHighSignedUnsigned(a, b);
                    case Operation.MULHU -> x[rd] = Math.unsignedMultiplyHigh(a, b);
                    case Operation.DIV -> x[rd] = Arithmetic.divide(a, b);
                    case Operation.DIVU -> x[rd] = Arithmetic.divideUnsigned(a, b);
                    case Operation.REM -> x[rd] = Arithmetic.remainder(a, b);
                    case Operation.REMU -> x[rd] = Arithmetic.remainderUnsigned(a, b);
                    case Operation.MULW -> x[rd] = (int) (a * b);
                    case Operation.DIVW -> x[rd] = Arithmetic.divide((int) a, (int) b);
                    case Operation.DIVUW -> x[rd] = Arithmetic.divideUnsigned((int) a, (int) b);
                    case Operation.REMW -> x[rd] = Arithmetic.remainder((int) a, (int) b);
                    case Operation.REMUW -> x[rd] = Arithmetic.remainderUnsigned((int) a, (int) b);
                    case Operation.ADD_UW -> x[rd] = Arithmetic.unsigned(a) + b;
                    case Operation.SH1ADD -> x[rd] = (a << 1) + b;
                    case Operation.SH2ADD -> x[rd] = (a << 2) + b;
                    case Operation.SH3ADD -> x[rd] = (a << 3) + b;
                    case Operation.SH1ADD_UW -> x[rd] = (Arithmetic.unsigned(a) << 1) + b;
                    case Operation.SH2ADD_UW -> x[rd] = (Arithmetic.unsigned(a) << 2) + b;
                    case Operation.SH3ADD_UW -> x[rd] = (Arithmetic.unsigned(a) << 3) + b;
                    case Operation.SLLI_UW -> x[rd] = Arithmetic.unsigned(a) << immediate;
                    case Operation.ZEXT_H -> x[rd] = a & 0xffff;
                    case Operation.ANDN -> x[rd] = a & ~b;
                    case Operation.ORN -> x[rd] = a | ~b;
                    case Operation.XNOR -> x[rd] = ~(a ^ b);
                    case Operation.CLZ -> x[rd] = Long.numberOfLeadingZeros(a);
                    case Operation.CTZ -> x[rd] = Long.numberOfTrailingZeros(a);
                    case Operation.CPOP -> x[rd] = Long.bitCount(a);
                    case Operation.SEXT_B -> x[rd] = (byte) a;
                    case Operation.SEXT_H -> x[rd] = (short) a;
                    case Operation.CLZW -> x[rd] = Integer.numberOfLeadingZeros((int) a);
                    case Operation.CTZW -> x[rd] = Integer.numberOfTrailingZeros((int) a);
                    case Operation.CPOPW -> x[rd] = Integer.bitCount((int) a);
                    case Operation.MAX -> x[rd] = Math.max(a, b);
                    case Operation.MAXU -> x[rd] = Arithmetic.maxUnsigned(a, b);
                    case Operation.MIN -> x[rd] = Math.min(a, b);
                    case Operation.MINU -> x[rd] = Arithmetic.minUnsigned(a, b);
                    case Operation.ROL -> x[rd] = Long.rotateLeft(a, (int) b);
                    case Operation.ROR -> x[rd] = Long.rotateRight(a, (int) b);
                    case Operation.RORI -> x[rd] = Long.rotateRight(a, immediate);
                    case Operation.ROLW -> x[rd] = Integer.rotateLeft((int) a, (int) b);
                    case Operation.RORW -> x[rd] = Integer.rotateRight((int) a, (int) b);
                    case Operation.RORIW -> x[rd] = Integer.rotateRight((int) a, immediate);
                    case Operation.ORC_B -> x[rd] = Arithmetic.orBytes(a);
                    case Operation.REV8 -> x[rd] = Long.reverseBytes(a);
                    case Operation.BCLR -> x[rd] = a & ~(1L << b);
                    case Operation.BCLRI -> x[rd] = a & ~(1L << immediate);
                    case Operation.BEXT -> x[rd] = (a >>> b) & 1;
                    case Operation.BEXTI -> x[rd] = (a >>> immediate) & 1;
                    case Operation.BINV -> x[rd] = a ^ (1L << b);
                    case Operation.BINVI -> x[rd] = a ^ (1L << immediate);
                    case Operation.BSET -> x[rd] = a | (1L << b);
                    case Operation.BSETI -> x[rd] = a | (1L << immediate);
                    case Operation.AMOSWAP_W,
                            Operation.AMOADD_W,
                            Operation.AMOXOR_W,
                            Operation.AMOAND_W,
                            Operation.AMOOR_W,
                            Operation.AMOMIN_W,
                            Operation.AMOMAX_W,
                            Operation.AMOMINU_W,
                            Operation.AMOMAXU_W -> {
                        done--;
                        x[rd] = thread.atomic32(atomic(instruction), a, (int) b, ORDERS[immediate]);
                    }
                    case Operation.LR_W -> {
                        done--;
                        x[rd] = thread.loadReserved32(a, ORDERS[immediate]);
                    }
                    case Operation.SC_W -> {
                        done--;
                        x[rd] =
                                Arithmetic.bit(
                                        !thread.storeConditional32(a, (int) b, ORDERS[immediate]));
                    }
                    case Operation.AMOSWAP_D,
                            Operation.AMOADD_D,
                            Operation.AMOXOR_D,
                            Operation.AMOAND_D,
                            Operation.AMOOR_D,
                            Operation.AMOMIN_D,
                            Operation.AMOMAX_D,
                            Operation.AMOMINU_D,
                            Operation.AMOMAXU_D -> {
                        done--;
                        x[rd] = thread.atomic64(atomic(instruction), a, b, ORDERS[immediate]);
                    }
                    case Operation.LR_D -> {
                        done--;
                        x[rd] = thread.loadReserved64(a, ORDERS[immediate]);
                    }
                    case Operation.SC_D -> {
                        done--;
                        x[rd] = Arithmetic.bit(!thread.storeConditional64(a, b, ORDERS[immediate]));
                    }
                    case Operation.FENCE -> {
                        if (fence(thread, immediate)) {
                            done--;
                        }
                    }
                    case Operation.FENCE_I -> {
                        /* Nothing writes code. */
                    }
                    case Operation.CSRRS, Operation.CSRRC, Operation.CSRRSI, Operation.CSRRCI -> {
                        if (Decoded.rs1(instruction) != 0) {
                            throw illegal();
                        }
                        fuel.spendInstructions(done - 1);
                        done = 0;
                        x[rd] = counter(thread, immediate);
                    }
                    case Operation.ECALL -> {
                        fuel.spendInstructions(done);
                        done = 0;
                        x[FIRST_ARGUMENT] = calls.call(this, thread, x[CALL_NUMBER]);
                        if (stopped) {
                            return;
                        }
                    }
                    case Operation.DPA_HEAP_FENCE -> {
                        done--;
                        thread.fence(Space.HEAP, OPS[immediate >> 2], OPS[immediate & 3]);
                    }
                    case Operation.DPA_MEMORY_WRITEBACK -> {
                        done--;
                        thread.memoryWriteback();
                    }
                    case Operation.DPA_WINDOW_WRITEBACK -> {
                        done--;
                        thread.windowWriteback();
                    }
                    case Operation.DPA_WINDOW_READ_INV -> {
                        done--;
                        thread.windowReadInv();
                    }
                    case Operation.DPA_FXP_LOG2 -> {
                        done--;
                        x[rd] = thread.fxpLog2((int) a);
                    }
                    case Operation.DPA_FXP_RCP -> {
                        done--;
                        x[rd] = thread.fxpRcp((int) a);
                    }
                    case Operation.DPA_FXP_POW2 -> {
                        done--;
                        x[rd] = thread.fxpPow2((int) a);
                    }
                    case Operation.TRUNCATED -> {
                        throw badFetch(pc);
                    }
                    default -> throw illegal();
                }
                index = next;
            }
        } catch (FaultSignal fault) {
            faultedAt = pc;
            if (probe != null) {
                probe.faulted(this, thread, pc, fault.fault());
            }
            throw located(fault, pc);
        }
    }

    private static AtomicOp atomic(long instruction) {
        return switch (Decoded.operation(instruction)) {
            case Operation.AMOSWAP_W, Operation.AMOSWAP_D -> AtomicOp.SWAP;
            case Operation.AMOADD_W, Operation.AMOADD_D -> AtomicOp.ADD;
            case Operation.AMOXOR_W, Operation.AMOXOR_D -> AtomicOp.XOR;
            case Operation.AMOAND_W, Operation.AMOAND_D -> AtomicOp.AND;
            case Operation.AMOOR_W, Operation.AMOOR_D -> AtomicOp.OR;
            case Operation.AMOMIN_W, Operation.AMOMIN_D -> AtomicOp.MIN;
            case Operation.AMOMAX_W, Operation.AMOMAX_D -> AtomicOp.MAX;
            case Operation.AMOMINU_W, Operation.AMOMINU_D -> AtomicOp.MINU;
            default -> AtomicOp.MAXU;
        };
    }

    /// DPA-FEN-9: the bits r and w of a fence mean MEMORY, i and o MMIO; a fence that has some of
    /// both orders SYSTEM, since no smaller space contains both.
    ///
    /// @return whether it orders anything
    private static boolean fence(DpaThread thread, int immediate) {
        int before = immediate >> FENCED_BITS;
        int all = before | immediate;
        if ((before & 0xf) == 0 || (immediate & 0xf) == 0) {
            return false;
        }
        Space space =
                (all & OF_MMIO) == 0
                        ? Space.MEMORY
                        : (all & OF_MEMORY) == 0 ? Space.MMIO : Space.SYSTEM;
        thread.fence(space, op(before), op(immediate));
        return true;
    }

    private static Op op(int fenced) {
        int reads = (fenced & READS) == 0 ? 0 : 1;
        int writes = (fenced & WRITES) == 0 ? 0 : 2;
        return OPS[reads | writes];
    }

    /// DPA-INT-6: the counters of the thread.
    private static long counter(DpaThread thread, int number) {
        return switch (number) {
            case CYCLE -> thread.cycles();
            case TIME -> thread.time();
            case RETIRED -> thread.instRet();
            default -> throw illegal();
        };
    }

    private static FaultSignal illegal() {
        return new FaultSignal(Fault.ILLEGAL_INSTRUCTION, "");
    }

    /// DPA-ERR-2, DPA-ERR-4: code is only what was loaded as such.
    private static FaultSignal badFetch(long pc) {
        return new FaultSignal(Fault.BAD_FETCH, pc, Short.BYTES, "");
    }

    /// The fault with where it happened, and with what the registers hold.
    private FaultSignal located(FaultSignal fault, long pc) {
        StringBuilder text = new StringBuilder(fault.detail());
        text.append(text.isEmpty() ? "" : "; ").append("pc 0x%x".formatted(pc));
        if (code.contains(pc)) {
            text.append(": ").append(code.text(pc));
        }
        for (int i = 1; i < REGISTERS; i++) {
            text.append(i % REGISTERS_A_LINE == 1 ? "\n  " : "  ");
            text.append("x%d 0x%x".formatted(i, registers[i]));
        }
        FaultSignal located =
                new FaultSignal(
                        fault.fault(), fault.address(), fault.lengthBytes(), text.toString());
        located.setStackTrace(fault.getStackTrace());
        return located;
    }
}
