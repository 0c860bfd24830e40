package dev.outboard.node.datapath;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.naa.server.ClientQueues;
import java.util.function.Supplier;

/// A data-path accelerator that answers RPCs: the WRITE with immediate of a client activates a
/// handler, which works on the client's regions and posts the answer itself. The host sets
/// connections up, and sees no RPC.
///
/// Each client has a process of its own, so that a handler that faults costs its client the
/// connection, and nobody else anything.
public final class DpaDataPath implements ClientQueues.Maker, AutoCloseable {
    private static final MachineOptions OPTIONS =
            MachineOptions.DEFAULT.withStorage(
                    new MachineOptions.Storage(4L << 20, 8 << 10, false));

    private final HostProcess host = HostProcess.open();
    private final DpaDevice dpa;
    private final HandlerProgram program;
    private final Supplier<? extends ClientFunction> functions;

    private DpaDataPath(
            Device device, HandlerProgram program, Supplier<? extends ClientFunction> functions) {
        dpa = DpaDevice.of(OPTIONS, RunMode.fast(), device);
        this.program = program;
        this.functions = functions;
    }

    /// Whose handlers compute.
    ///
    /// @param device that brings the calls
    public static DpaDataPath of(Device device, HandlerProgram program) {
        return new DpaDataPath(device, program, () -> ClientFunction.NONE);
    }

    @Override
    public ClientQueues make(
            ConnectionId id, ProtectionDomain domain, int maxSends, int maxReceives) {
        ClientFunction function = functions.get();
        try {
            return DpaClient.create(host, dpa, program, domain, id, function);
        } catch (FlexioException e) {
            function.close();
            throw new FabricException(
                    FabricException.Reason.LIMIT_REACHED,
                    "the DPA takes no further client: " + e.getMessage(),
                    e);
        }
    }

    /// No client is left.
    @Override
    public void close() {
        host.close();
    }
}
