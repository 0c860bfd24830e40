package dev.outboard.dpa.flexio;

import dev.outboard.dpa.machine.ExternalKind;

/// DPA-HW-15: a GPU that is only simulated, for one process. Each of its streams acts like a device
/// beside the NIC: under FAST it is a thread, and in turns an actor of the machine, so that a run
/// is a function of its seed.
public final class SimulatedGpu implements Gpu {
    private final FlexioProcess process;

    private SimulatedGpu(FlexioProcess process) {
        this.process = process;
    }

    /// A GPU beside that process.
    public static SimulatedGpu of(FlexioProcess process) {
        return new SimulatedGpu(process);
    }

    @Override
    public FlexioBuffer allocate(String name, long lengthBytes) {
        return FlexioBuffer.create(process, name, ExternalKind.GPU, lengthBytes);
    }

    @Override
    public GpuStream stream(String name) {
        return SimulatedStream.create(process, name);
    }
}
