package dev.outboard.dpa.cc;

import dev.outboard.dpa.elf.AddressRange;
import dev.outboard.dpa.elf.DebugFunction;
import dev.outboard.dpa.elf.DeviceElf;
import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MemoryAccess;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.run.AccessPort;
import dev.outboard.dpa.machine.run.FueledThread;
import dev.outboard.dpa.rv.Ecalls;
import dev.outboard.dpa.rv.Probe;
import dev.outboard.dpa.rv.RvCode;
import dev.outboard.dpa.rv.RvHart;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaFunction;
import dev.outboard.dpacc.DpaImage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// A device program in C: its marked functions are run by the machine as those of Java programs
/// are, instruction by instruction.
///
/// ```java
/// byte[] elf = DeviceCompiler.onThisMachine().compile(DeviceSources.of(Path.of("kernel.c")));
/// DpaApp<DpaThread> app = CProgram.app("kernel", elf);
/// ```
public final class CProgram {
    /// DPA-RV-3: version, outbox and window; where outbox and windows are; no more. The last word
    /// has flags in its upper half.
    private static final long[] CONTEXT = {1, AddressMap.OUTBOX, AddressMap.WINDOW, 0, 0};

    /// DPA-FXO-11: of the flags: calls that ring doorbells write back before.
    private static final long FENCED = 1L << Integer.SIZE;

    /// Then the errno of the thread, and flags in the upper half.
    private static final int ERRNO = 40;

    private static final int CONTEXT_BYTES = 48;

    private static final int STACK_ALIGNMENT = 16;

    private final String name;
    private final DeviceElf elf;
    private final RvCode code;
    private final Ecalls calls;

    private final Consumer<RvHart> prepared;

    private CProgram(
            String name, byte[] bytes, int threshold, Ecalls others, Consumer<RvHart> prepared) {
        this.name = name;
        this.prepared = prepared;
        calls = new DeviceCalls(others);
        elf = DeviceElf.parse(bytes);
        code = code(elf, threshold);
    }

    static RvCode code(DeviceElf elf, int threshold) {
        AddressRange range = elf.program().code().getFirst();
        int from = (int) (range.from() - AddressMap.CODE);
        byte[] all = elf.image().code();
        return new RvCode(
                range.from(),
                Arrays.copyOfRange(all, from, from + (int) range.sizeBytes()),
                pc -> ofProgram(elf.debug().places(pc)),
                threshold);
    }

    /// DPA-CC-17: what stands in our headers is no line of the program, but the call of it is.
    private static CodePlace ofProgram(List<CodePlace> places) {
        return places.stream()
                .filter(place -> !place.file().startsWith(DeviceCompiler.OWN))
                .findFirst()
                .orElse(places.getFirst());
    }

    /// The app of an executable.
    ///
    /// @param name unique among the apps of a host
    /// @param elf as [DeviceCompiler] makes it
    /// @throws dev.outboard.dpa.elf.ElfException if it is none
    /// @throws CompileException if a marked function cannot be called
    public static DpaApp<DpaThread> app(String name, byte[] elf) {
        return app(name, elf, Ecalls.NONE);
    }

    /// The same, with environment calls of its own, from number 0x1000 on.
    ///
    /// @param others serves them, and refuses those that it does not know
    /// @throws dev.outboard.dpa.elf.ElfException as the other
    /// @throws CompileException as the other
    public static DpaApp<DpaThread> app(String name, byte[] elf, Ecalls others) {
        return new CProgram(name, elf, RvCode.THRESHOLD, others, _ -> {}).app();
    }

    /// The same, but nothing of it is ever compiled to Java.
    ///
    /// @throws dev.outboard.dpa.elf.ElfException as the other
    /// @throws CompileException as the other
    public static DpaApp<DpaThread> interpreted(String name, byte[] elf) {
        return new CProgram(name, elf, RvCode.NEVER_COMPILED, Ecalls.NONE, _ -> {}).app();
    }

    /// The same with somebody who follows what its functions do, such as a debugger. They run as
    /// fast as they are followed.
    ///
    /// @throws dev.outboard.dpa.elf.ElfException if it is none
    /// @throws CompileException if a marked function cannot be called
    public static DpaApp<DpaThread> app(String name, byte[] elf, Probe probe) {
        return new CProgram(
                        name, elf, RvCode.NEVER_COMPILED, Ecalls.NONE, hart -> hart.follow(probe))
                .app();
    }

    /// The app of an executable that is a resource, as stubs make it.
    ///
    /// @param beside the class that it stands beside
    /// @throws IllegalArgumentException if there is no such resource
    public static DpaApp<DpaThread> app(String name, Class<?> beside, String resource) {
        try (InputStream in = beside.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalArgumentException(
                        "App %s: resource %s is not beside %s"
                                .formatted(name, resource, beside.getName()));
            }
            return app(name, in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private DpaApp<DpaThread> app() {
        ProgramImage image = elf.image();
        List<DpaFunction<DpaThread>> functions =
                elf.debug().functions().stream()
                        .filter(CSignatures::isMarked)
                        .map(this::function)
                        .toList();
        int globalBytes = image.data().length + image.zeroBytes();
        return new DpaApp<>(
                name,
                List.of(),
                functions,
                globalBytes,
                _ -> {},
                Optional.of(new DpaImage(image.code(), image.data(), image.zeroBytes())));
    }

    private DpaFunction<DpaThread> function(DebugFunction function) {
        CSignatures.check(function);
        CParameters parameters = new CParameters(function.parameters());
        long entry = elf.program().symbols().named(function.name()).orElseThrow().address();
        boolean isRpc = function.markers().contains(CSignatures.RPC);
        return new DpaFunction<>(
                name,
                function.name(),
                isRpc ? DpaFunction.Kind.RPC : DpaFunction.Kind.GLOBAL,
                parameters.layout(),
                (thread, arguments) -> {
                    long result = run(thread, entry, parameters, arguments);
                    return isRpc ? result : 0;
                });
    }

    private long run(DpaThread thread, long entry, CParameters parameters, ByteBuffer arguments) {
        AccessPort port = ((FueledThread) thread).port();
        RvHart hart = hart(port);
        long before = port.stackPointer();
        long context = thread.allocateStack(CONTEXT_BYTES) & -STACK_ALIGNMENT;
        MemoryAccess memory = hart.memory(thread);
        describe(thread, memory, context);
        hart.register(RvHart.THREAD_POINTER, context);
        parameters.pass(arguments, hart, context, memory);
        hart.run(thread, entry);
        port.releaseStack(before);
        return hart.register(RvHart.FIRST_ARGUMENT);
    }

    /// The one that the thread has run this program on before, as if it were new.
    private RvHart hart(AccessPort port) {
        if (port.kept() instanceof RvHart kept && kept.runs(code)) {
            kept.reset();
            return kept;
        }
        RvHart made = new RvHart(code, calls);
        prepared.accept(made);
        port.keep(made);
        return made;
    }

    /// What the thread knows of itself.
    private static void describe(DpaThread thread, MemoryAccess memory, long context) {
        for (int i = 0; i < CONTEXT.length; i++) {
            memory.store64(context + (long) i * Long.BYTES, CONTEXT[i]);
        }
        long flags = thread.fencesCalls() ? FENCED : 0;
        memory.store64(context + ERRNO, flags | (thread.errno() & 0xFFFF_FFFFL));
    }
}
