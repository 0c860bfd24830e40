package dev.outboard.node.datapath;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.trace.Trace;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.server.ClientQueues;
import dev.outboard.node.offload.AfuFunction;
import dev.outboard.node.offload.AfuPort;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A data-path accelerator that answers RPCs: the WRITE with immediate of a client activates a
/// handler, which works on the client's regions and posts the answer itself. The host sets
/// connections up, and sees no RPC.
///
/// Each client has a process of its own, so that a handler that faults costs its client a code and
/// the connection, and nobody else anything.
public final class DpaDataPath implements ClientQueues.Maker, AutoCloseable {
    private static final MachineOptions OPTIONS =
            MachineOptions.DEFAULT.withStorage(
                    new MachineOptions.Storage(4L << 20, 8 << 10, false));

    /// What a call may take without a limit.
    static final Duration LONGEST_CALL = Duration.ofHours(1);

    /// What a handler may take beside a call: it serves several in turn.
    private static final Duration ACTIVATION = Duration.ofSeconds(1);

    private final HostProcess host = HostProcess.open();
    private final DpaDevice dpa;
    private final HandlerProgram program;
    private final Supplier<? extends ClientFunction> functions;
    private volatile @Nullable Trace trace;

    // Guarded by this

    private int clients;
    private boolean retired;

    private DpaDataPath(
            Device device,
            HandlerProgram program,
            Duration limit,
            Supplier<? extends ClientFunction> functions) {
        MachineOptions.Timing usual = MachineOptions.Timing.DEFAULT;
        MachineOptions.Timing timing =
                new MachineOptions.Timing(
                        limit.plus(ACTIVATION).toNanos(), usual.tickNanos(), usual.costs());
        dpa = DpaDevice.of(OPTIONS.withTiming(timing), RunMode.fast(), device);
        this.program = program;
        this.functions = functions;
        // The first client does not wait for the program to be checked and defined.
        FlexioProcess.create(host, dpa, program.app()).close();
    }

    /// Whose handlers compute.
    ///
    /// @param device that brings the calls
    /// @param functionCodes of the calls that are offered, 1 to 127
    /// @param limit what a call may take of the DPA's time, where each access counts with what it
    ///   costs there; zero for no limit. A handler that takes longer faults
    /// @throws IllegalArgumentException if a function code is out of range
    /// @throws dev.outboard.dpa.machine.RefusedProgramException if the program does what none may
    ///   do
    public static DpaDataPath of(
            Device device, HandlerProgram program, Set<Integer> functionCodes, Duration limit) {
        ClientFunction none = new ClientFunction.None(checked(functionCodes));
        return new DpaDataPath(device, program, most(limit), () -> none);
    }

    private static Set<Integer> checked(Set<Integer> functionCodes) {
        int last = Dialect.UPSTREAM_2026.maxFunctionCode();
        for (int code : functionCodes) {
            if (code < 1 || code > last) {
                throw new IllegalArgumentException(
                        "function code %d on the data path; valid: 1 to %d".formatted(code, last));
            }
        }
        return Set.copyOf(functionCodes);
    }

    private static Duration most(Duration limit) {
        return limit.isZero() ? LONGEST_CALL : limit;
    }

    /// Whose handlers drive functions of FPGAs by their
    /// [registers][dev.outboard.ccip.afu.CallRegisters]: each client has one of its own, behind a
    /// port of its own.
    ///
    /// @param functionCodes of the calls that are offered, 1 to 127
    /// @param afu the function
    /// @param limit how long a call of it may take; zero for no limit
    /// @param log is told why a call has failed
    /// @throws IllegalArgumentException if a function code is out of range
    public static DpaDataPath chain(
            Device device,
            HandlerProgram program,
            Set<Integer> functionCodes,
            AfuFunction afu,
            Duration limit,
            Consumer<String> log) {
        Set<Integer> codes = checked(functionCodes);
        Duration most = most(limit);
        return new DpaDataPath(
                device,
                program,
                LONGEST_CALL,
                () -> new ChainedAfu(new AfuPort(afu), codes, most, System::nanoTime, log));
    }

    /// Begins a trace of the DPA, and of the functions of clients that connect from now on.
    ///
    /// @throws IllegalStateException if one is being taken already
    public Trace trace() {
        Trace begun = dpa.trace();
        trace = begun;
        return begun;
    }

    @Override
    public ClientQueues make(
            ConnectionId id, ProtectionDomain domain, int maxSends, int maxReceives) {
        ClientFunction function = functions.get();
        Trace shown = trace;
        if (shown != null) {
            function.trace(shown, id.remoteAddress());
        }
        try {
            DpaClient made =
                    DpaClient.create(host, dpa, program, domain, id, function, this::clientLeft);
            synchronized (this) {
                clients++;
            }
            return made;
        } catch (FlexioException e) {
            function.close();
            throw new FabricException(
                    FabricException.Reason.LIMIT_REACHED,
                    "the DPA takes no further client: " + e.getMessage(),
                    e);
        }
    }

    private synchronized void clientLeft() {
        clients--;
        closeIfUnused();
    }

    /// No client comes any more: closes it when the last one has left.
    synchronized void retire() {
        retired = true;
        closeIfUnused();
    }

    private void closeIfUnused() {
        if (retired && clients == 0) {
            host.close();
        }
    }

    /// No client is left.
    @Override
    public void close() {
        host.close();
    }
}
