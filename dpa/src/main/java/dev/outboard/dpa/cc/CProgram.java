package dev.outboard.dpa.cc;

import dev.outboard.dpa.elf.AddressRange;
import dev.outboard.dpa.elf.DebugFunction;
import dev.outboard.dpa.elf.DeviceElf;
import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.rv.Ecalls;
import dev.outboard.dpa.rv.Probe;
import dev.outboard.dpa.rv.RvCode;
import dev.outboard.dpa.rv.RvHart;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaFunction;
import dev.outboard.dpacc.DpaImage;
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
    /// DPA-RV-3: version, outbox and window; where outbox and windows are; nothing more yet.
    private static final long[] CONTEXT = {1, AddressMap.OUTBOX, AddressMap.WINDOW, 0, 0, 0};

    private static final int STACK_ALIGNMENT = 16;

    private final String name;
    private final DeviceElf elf;
    private final RvCode code;
    private final Ecalls calls = new DeviceCalls();

    private final Consumer<RvHart> prepared;

    private CProgram(String name, byte[] bytes, Consumer<RvHart> prepared) {
        this.name = name;
        this.prepared = prepared;
        elf = DeviceElf.parse(bytes);
        code = code(elf);
    }

    private static RvCode code(DeviceElf elf) {
        AddressRange range = elf.program().code().getFirst();
        int from = (int) (range.from() - AddressMap.CODE);
        byte[] all = elf.image().code();
        return new RvCode(
                range.from(), Arrays.copyOfRange(all, from, from + (int) range.sizeBytes()));
    }

    /// The app of an executable.
    ///
    /// @param name unique among the apps of a host
    /// @param elf as [DeviceCompiler] makes it
    /// @throws dev.outboard.dpa.elf.ElfException if it is none
    /// @throws CompileException if a marked function cannot be called
    public static DpaApp<DpaThread> app(String name, byte[] elf) {
        return new CProgram(name, elf, _ -> {}).app();
    }

    /// The same with somebody who follows what its functions do, such as a debugger. They run as
    /// fast as they are followed.
    ///
    /// @throws dev.outboard.dpa.elf.ElfException if it is none
    /// @throws CompileException if a marked function cannot be called
    public static DpaApp<DpaThread> app(String name, byte[] elf, Probe probe) {
        return new CProgram(name, elf, hart -> hart.follow(probe)).app();
    }

    private DpaApp<DpaThread> app() {
        ProgramImage image = elf.image();
        List<DpaFunction<DpaThread>> functions =
                elf.debug().functions().stream()
                        .filter(CProgram::isMarked)
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

    private static boolean isMarked(DebugFunction function) {
        return function.markers().contains(CSignatures.GLOBAL)
                || function.markers().contains(CSignatures.RPC);
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
        RvHart hart = new RvHart(code, calls);
        prepared.accept(hart);
        long context = thread.allocateStack((long) CONTEXT.length * Long.BYTES) & -STACK_ALIGNMENT;
        describe(thread, context);
        hart.register(RvHart.THREAD_POINTER, context);
        parameters.pass(arguments, hart, context, thread);
        hart.run(thread, entry);
        return hart.register(RvHart.FIRST_ARGUMENT);
    }

    /// What the thread knows of itself.
    private static void describe(DpaThread thread, long context) {
        for (int i = 0; i < CONTEXT.length; i++) {
            thread.store64(context + (long) i * Long.BYTES, CONTEXT[i]);
        }
    }
}
