package dev.outboard.ccip.rtl;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.outboard.ccip.rtl.RtlException.Reason;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/// The functions of `shim.cpp` in one loaded library, for one AFU in it. Belongs to the
/// [VerilatedAfu] that closes it; one thread at a time. No function may be called and no wire used
/// after [#close]: nothing here checks that.
///
/// A library stays loaded until the JVM ends. In an arena of its own each call would lock that
/// arena for every address it takes, which costs more than a small design takes for a cycle.
///
/// The wires are two structures in native memory, little-endian like the machines that Verilator
/// runs on:
///
/// ```c
/// struct RxWires { uint64_t c0_data[8]; uint32_t c0_hdr, c1_hdr, wires, unused; };
/// struct TxWires { uint64_t c1_data[8], c0_hdr_low, c1_hdr_low, c2_data;
///                  uint32_t c0_hdr_high, c1_hdr_high, c2_tid, valid, findings, unused; };
/// ```
///
/// CCIP-RTL-2: one native side for every AFU.
@SuppressWarnings("restricted")
final class Shim implements AutoCloseable {
    static final long RX_C0_DATA = 0;
    static final long RX_C0_HDR = 64;
    static final long RX_C1_HDR = 68;
    static final long RX_WIRES = 72;
    static final long RX_BYTES = 80;

    static final long TX_C1_DATA = 0;
    static final long TX_C0_HDR_LOW = 64;
    static final long TX_C1_HDR_LOW = 72;
    static final long TX_C2_DATA = 80;
    static final long TX_C0_HDR_HIGH = 88;
    static final long TX_C1_HDR_HIGH = 92;
    static final long TX_C2_TID = 96;
    static final long TX_VALID = 100;
    static final long TX_FINDINGS = 104;
    static final long TX_BYTES = 112;

    /// What a function returns when the design has ended its simulation.
    static final int ENDED = -2;

    private static final int LONGEST_TEXT = 4096;

    // Handles that take the function's address are constants to the JIT compiler, whichever library
    // they are called for. The calls of a cycle are short and never wait: critical.
    private static final MethodHandle CREATE =
            handle(FunctionDescriptor.of(ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT));
    private static final MethodHandle DESTROY = handle(FunctionDescriptor.ofVoid(ADDRESS));
    private static final MethodHandle POINTER = handle(FunctionDescriptor.of(ADDRESS, ADDRESS));
    private static final MethodHandle FLAG = handle(FunctionDescriptor.of(JAVA_INT));
    private static final MethodHandle COUNT = handle(FunctionDescriptor.of(JAVA_LONG, ADDRESS));
    private static final MethodHandle STEP =
            handle(FunctionDescriptor.of(JAVA_INT, ADDRESS), Linker.Option.critical(false));
    private static final MethodHandle CLOCKS =
            handle(
                    FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG),
                    Linker.Option.critical(false));
    private static final MethodHandle BEGIN_TRACE =
            handle(FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle END_TRACE = handle(FunctionDescriptor.of(JAVA_INT, ADDRESS));
    private static final MethodHandle ERROR_TEXT =
            handle(FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT));
    private static final MethodHandle IDLE =
            handle(FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_LONG));

    private final MemorySegment step;
    private final MemorySegment clocks;
    private final MemorySegment idle;
    private final MemorySegment combinationalPath;
    private final MemorySegment reason;
    private final MemorySegment takeFinding;
    private final MemorySegment finding;
    private final MemorySegment evaluations;
    private final MemorySegment beginTrace;
    private final MemorySegment endTrace;
    private final MemorySegment errorText;
    private final MemorySegment destroy;
    private final MemorySegment afu;

    /// The wires to the AFU, read when it is clocked.
    final MemorySegment rx;

    /// The wires from the AFU, written when it is clocked.
    final MemorySegment tx;

    /// Whether the design has logic on a user clock.
    final boolean userClocks;

    /// @param values what registers and memories hold at first
    /// @param prints whether what the design displays goes to standard error
    Shim(Path library, InitialValues values, boolean prints) {
        if (!Shim.class.getModule().isNativeAccessEnabled()) {
            throw new RtlException(
                    Reason.LOAD,
                    "this JVM may not load "
                            + library
                            + ": start it with --enable-native-access="
                            + (Shim.class.getModule().isNamed()
                                    ? Shim.class.getModule().getName()
                                    : "ALL-UNNAMED"));
        }
        try {
            SymbolLookup functions = SymbolLookup.libraryLookup(library, Arena.global());
            step = functions.findOrThrow("afu_step");
            clocks = functions.findOrThrow("afu_clocks");
            idle = functions.findOrThrow("afu_idle");
            combinationalPath = functions.findOrThrow("afu_combinational_path");
            reason = functions.findOrThrow("afu_reason");
            takeFinding = functions.findOrThrow("afu_take_finding");
            finding = functions.findOrThrow("afu_finding");
            evaluations = functions.findOrThrow("afu_evaluations");
            beginTrace = functions.findOrThrow("afu_begin_trace");
            endTrace = functions.findOrThrow("afu_end_trace");
            errorText = functions.findOrThrow("afu_error_text");
            destroy = functions.findOrThrow("afu_destroy");
            MemorySegment create = functions.findOrThrow("afu_create");
            afu =
                    (MemorySegment)
                            CREATE.invokeExact(
                                    create, values.seed(), values.zero() ? 1 : 0, prints ? 1 : 0);
            String ended = reason();
            if (!ended.isEmpty()) {
                close();
                throw new RtlException(Reason.ENDED, ended + " (before the first edge of pClk)");
            }
            rx = pointer(functions.findOrThrow("afu_rx")).reinterpret(RX_BYTES);
            tx = pointer(functions.findOrThrow("afu_tx")).reinterpret(TX_BYTES);
            userClocks = (int) FLAG.invokeExact(functions.findOrThrow("afu_has_user_clocks")) != 0;
        } catch (RtlException e) {
            throw e;
        } catch (Throwable e) {
            throw new RtlException(
                    Reason.LOAD,
                    library + " cannot be loaded: " + e.getMessage() + ". Delete it to build anew.",
                    e);
        }
    }

    private static MethodHandle handle(FunctionDescriptor function, Linker.Option... options) {
        return Linker.nativeLinker().downcallHandle(function, options);
    }

    private MemorySegment pointer(MemorySegment function) {
        try {
            return (MemorySegment) POINTER.invokeExact(function, afu);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /// One edge of pClk: the valid wires of Tx, c0 first, or [#ENDED].
    int step() {
        try {
            return (int) STEP.invokeExact(step, afu);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /// Up to `most` edges at which Rx stays as it is; how many passed until one drove something, or
    /// [#ENDED].
    long idle(long most) {
        try {
            return (long) IDLE.invokeExact(idle, afu, most);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /// Other levels of the clocks from a time on, as in [dev.outboard.ccip.platform.Clocks]: the
    /// valid wires after a rising edge of pClk, else 0, or [#ENDED].
    int clocks(int levels, long picoseconds) {
        try {
            return (int) CLOCKS.invokeExact(clocks, afu, levels, picoseconds);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /// Writes the signals inside the design to a file from the beginning of this cycle on: 0, -1 if
    /// they are not compiled in, the errno of what is wrong with the file, or [#ENDED].
    int beginTrace(Path file, long cycle, long megahertz) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(file.toString());
            return (int) BEGIN_TRACE.invokeExact(beginTrace, afu, name, cycle, megahertz);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /// Completes the file: 0, or the errno of what went wrong with it.
    int endTrace() {
        try {
            return (int) END_TRACE.invokeExact(endTrace, afu);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /// The operating system's text of an errno.
    String errorText(int errno) {
        try {
            MemorySegment text = (MemorySegment) ERROR_TEXT.invokeExact(errorText, afu, errno);
            return text.reinterpret(LONGEST_TEXT).getString(0);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /// The first bit of `t_if_ccip_Tx` that follows Rx without a clock edge, -1 for none, or
    /// [#ENDED].
    int combinationalPath() {
        try {
            return (int) STEP.invokeExact(combinationalPath, afu);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /// The kind of the oldest finding, which is taken and whose text [#finding] has; -1 for none.
    int takeFinding() {
        try {
            return (int) STEP.invokeExact(takeFinding, afu);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /// The text of the finding that was taken last.
    String finding() {
        return text(finding);
    }

    /// How often the model was evaluated.
    long evaluations() {
        try {
            return (long) COUNT.invokeExact(evaluations, afu);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /// Why the design has ended its simulation.
    String reason() {
        return text(reason);
    }

    private String text(MemorySegment function) {
        return pointer(function).reinterpret(LONGEST_TEXT).getString(0);
    }

    /// Ends the model. Not to be called twice.
    @Override
    public void close() {
        try {
            DESTROY.invokeExact(destroy, afu);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /// Method handles declare Throwable; these functions throw nothing.
    private static IllegalStateException failed(Throwable e) {
        return new IllegalStateException(e);
    }
}
