package dev.outboard.dpa.rv;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.MemoryAccess;
import dev.outboard.dpa.machine.fast.FastThread;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.machine.run.CodeSites;
import dev.outboard.dpa.machine.run.FueledThread;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.machine.run.SitedThread;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
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

    /// After so many unspent instructions the thread is told.
    static final int MOST_UNSPENT = 1024;

    /// Of the operations in [#count].
    static final int OPERATIONS_SHIFT = 32;

    private final RvCode code;
    private final Ecalls calls;

    /// The one beyond the 32 takes what is written to x0.
    final long[] registers = new long[REGISTERS + 1];

    private boolean stopped;
    private @Nullable Probe probe;

    /// Where it has faulted.
    private long faultedAt;

    /// The thread it has run for last.
    private @Nullable DpaThread bound;

    // The same under FAST, its memory, and what is compiled in its process.

    private @Nullable FastThread fast;
    private @Nullable DirectAccess direct;
    private @Nullable RvRegions regions;

    // What compiled code uses.

    /// Instructions that the thread was not told of: in the upper half the operations of the thread
    /// among them, in the lower half all.
    long count;

    /// Where compiled code was when something was thrown.
    long thrownAt;

    /// The lowest address of the stack of the thread.
    long stackLow;

    /// Where that is in the memory of the process.
    long stackAt;

    /// How many bytes of it are there; 0 if it is somewhere else.
    long stackBytes;

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

    /// All registers are 0 again.
    public void reset() {
        Arrays.fill(registers, 0);
    }

    /// Whether it runs that code.
    public boolean runs(RvCode other) {
        return code.equals(other);
    }

    /// Runs the function at an address until it returns, or until a call [stops][#stop] it.
    ///
    /// @param thread any thread of the machine
    /// @throws Error if it does what the machine forbids
    public void run(DpaThread thread, long address) {
        registers[LINK] = RETURN_ADDRESS;
        stopped = false;
        count = 0;
        bind(thread);
        long pc = address;
        try {
            do {
                CompiledRegion region = regions == null ? null : regions.jumpTo(pc, registers);
                pc =
                        region == null
                                ? interpret(thread, (FueledThread) thread, pc)
                                : runRegion(region);
            } while (pc != RETURN_ADDRESS);
            count = spend(count);
        } finally {
            if (probe != null) {
                probe.ended(thread);
            }
        }
    }

    /// What direct accesses and compiled code need to know of the thread.
    private void bind(DpaThread thread) {
        if (thread.equals(bound)) {
            return;
        }
        bound = thread;
        fast = null;
        direct = null;
        regions = null;
        if (probe == null && thread instanceof FastThread made) {
            ProcessState process = made.port().process();
            stackLow = AddressMap.stack(made.number());
            stackAt = process.memory().stackAt(made.number());
            stackBytes = stackAt < 0 ? 0 : process.memory().stackBytes();
            fast = made;
            direct = new DirectAccess(this, made, RvMemory.of(process));
            regions = code.regions(process);
        }
    }

    /// The memory of a thread, for whoever prepares a run.
    public MemoryAccess memory(DpaThread thread) {
        bind(thread);
        return direct == null ? thread : direct;
    }

    private long runRegion(CompiledRegion region) {
        try {
            thrownAt = region.run(this, 0);
            if ((int) count >= MOST_UNSPENT) {
                count = spend(count);
            }
            return thrownAt;
        } catch (FaultSignal fault) {
            faultedAt = thrownAt;
            throw located(fault, thrownAt);
        }
    }

    /// All in one loop, and so one method of the compiler: a call of a method for each instruction
    /// would cost more than the instruction. It counts those that are no operations of the thread,
    /// which count themselves.
    ///
    /// @return where compiled code goes on, or [#RETURN_ADDRESS] if that is the end
    private long interpret(DpaThread owner, FueledThread fuel, long address) {
        MemoryAccess thread = direct == null ? owner : direct;
        long[] x = registers;
        RvRegions compiled = regions;
        long[] instructions = code.instructions();
        long base = code.base();
        long length = code.lengthBytes();
        SitedThread sited = owner instanceof SitedThread told ? told : null;
        CodeSites sites = sited == null ? null : sited.wantedSites().orElse(null);
        int done = 0;
        int most = probe == null ? fuel.spendInstructions(0) : 0;
        long pc = address;
        try {
            count = spend(count);
            if (Long.compareUnsigned(pc - base, length) >= 0 || (pc & 1) != 0) {
                throw badFetch(pc);
            }
            int index = (int) ((pc - base) >> 1);
            while (true) {
                pc = base + 2L * index;
                if (done >= most) {
                    int told = done;
                    done = 0;
                    most = tell(fuel, told);
                    if (probe != null) {
                        most = 0;
                        index = (int) ((probe.before(this, owner, pc) - base) >> 1);
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
                if (sites != null && sited != null && Decoded.isOperation(instruction)) {
                    sited.within(sites.ofInstruction(index, code.places()));
                }
                switch (Decoded.operation(instruction)) {
                    case Operation.LUI -> x[rd] = immediate;
                    case Operation.AUIPC -> x[rd] = pc + immediate;
                    case Operation.JAL -> {
                        x[rd] = base + 2L * next;
                        next = index + (immediate >> 1);
                        index = Integer.MAX_VALUE;
                    }
                    case Operation.JALR -> {
                        long target = (a + immediate) & ~1L;
                        x[rd] = base + 2L * next;
                        if (Long.compareUnsigned(target - base, length) >= 0) {
                            if (target == RETURN_ADDRESS) {
                                tell(fuel, done);
                                return RETURN_ADDRESS;
                            }
                            pc = target;
                            throw badFetch(pc);
                        }
                        next = (int) ((target - base) >> 1);
                        index = Integer.MAX_VALUE;
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
                    case Operation.FENCE_I -> {
                        /* Nothing writes code. */
                    }
                    case Operation.CSRRS, Operation.CSRRC, Operation.CSRRSI, Operation.CSRRCI -> {
                        if (Decoded.rs1(instruction) != 0
                                || !ThreadOperations.isCounter(instruction)) {
                            throw illegal();
                        }
                        tell(fuel, done - 1);
                        done = 0;
                        x[rd] = ThreadOperations.counter(owner, immediate);
                    }
                    case Operation.ECALL -> {
                        tell(fuel, done);
                        done = 0;
                        x[FIRST_ARGUMENT] = calls.call(this, owner, x[CALL_NUMBER]);
                        if (stopped) {
                            return RETURN_ADDRESS;
                        }
                    }
                    case Operation.TRUNCATED -> {
                        throw badFetch(pc);
                    }
                    default -> {
                        if (Decoded.operation(instruction) == Operation.FENCE
                                && !ThreadOperations.contains(instruction)) {
                            break;
                        }
                        if (!ThreadOperations.contains(instruction)) {
                            throw illegal();
                        }
                        done--;
                        x[rd] = operate(owner, instruction, a, b);
                    }
                }
                if (next <= index) {
                    if (sited != null) {
                        checkEndless(sited, sites, pc);
                    }
                    // Jumps and branches backwards may lead to what is compiled.
                    if (compiled != null && compiled.isCompiled(next, x)) {
                        count += done;
                        return base + 2L * next;
                    }
                }
                index = next;
            }
        } catch (FaultSignal fault) {
            faultedAt = pc;
            if (probe != null) {
                probe.faulted(this, owner, pc, fault.fault());
            }
            throw located(fault, pc);
        }
    }

    /// Whoever goes round a loop for ever that looks at nothing but registers is ended at once: in
    /// virtual time the watchdog takes as many instructions as it has cycles.
    private void checkEndless(SitedThread thread, @Nullable CodeSites sites, long pc) {
        int index = (int) ((pc - code.base()) >> 1);
        if (code.isEndless(index, registers)) {
            if (sites != null) {
                thread.within(sites.ofInstruction(index, code.places()));
            }
            throw thread.endless();
        }
    }

    /// So many instructions were retired that are no operations of the thread, and those of
    /// [#count].
    ///
    /// @return after how many more of them it has to be told again
    private int tell(FueledThread fuel, int instructions) {
        count = spend(count);
        return fuel.spendInstructions(instructions);
    }

    /// Executes an operation of the thread, after all its stores.
    private static long operate(DpaThread thread, long instruction, long a, long b) {
        VarHandle.fullFence();
        return ThreadOperations.execute(thread, instruction, a, b);
    }

    // What compiled code calls

    /// The thread has retired so many instructions.
    ///
    /// @param unspent as [#count]
    /// @return how many are left: none
    long spend(long unspent) {
        if (unspent != 0 && fast != null) {
            int operations = (int) (unspent >>> OPERATIONS_SHIFT);
            fast.spendInstructions((int) unspent - operations);
            fast.spend(operations);
        }
        return 0;
    }

    /// Loads what is not simply memory.
    long load(long address, int lengthBytes) {
        return thread().loadElsewhere(address, lengthBytes);
    }

    /// Stores what is not simply to memory.
    void store(long address, int lengthBytes, long value) {
        thread().noteStore(address, lengthBytes);
        thread().storeElsewhere(address, lengthBytes, value);
    }

    private FastThread thread() {
        if (fast == null) {
            throw new IllegalStateException("Compiled code runs for threads under FAST only");
        }
        return fast;
    }

    /// Executes an operation of the thread, after all its stores.
    long operate(long instruction, long a, long b) {
        return operate(thread(), instruction, a, b);
    }

    /// Reads a counter.
    long counter(int number) {
        return ThreadOperations.counter(thread(), number);
    }

    /// Serves an environment call.
    ///
    /// @return whether that is the end
    boolean callEnvironment() {
        registers[FIRST_ARGUMENT] = calls.call(this, thread(), registers[CALL_NUMBER]);
        return stopped;
    }

    /// The region that begins at an address, if one is compiled.
    @Nullable CompiledRegion regionAt(long address) {
        return regions == null ? null : regions.at(address);
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
        located.setStackTrace(trace(fault.getStackTrace(), place(pc)));
        return located;
    }

    private CodePlace place(long pc) {
        return code.contains(pc)
                ? code.places().place((int) ((pc - code.base()) >> 1))
                : CodePlace.NONE;
    }

    /// DPA-CC-17: with the line of the source as the innermost frame.
    private static StackTraceElement[] trace(StackTraceElement[] machine, CodePlace place) {
        if (place.equals(CodePlace.NONE)) {
            return machine;
        }
        StackTraceElement[] frames = new StackTraceElement[machine.length + 1];
        frames[0] = new StackTraceElement("", place.function(), place.file(), place.line());
        System.arraycopy(machine, 0, frames, 1, machine.length);
        return frames;
    }
}
