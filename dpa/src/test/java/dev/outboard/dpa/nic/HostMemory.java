package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.run.OutsidePort;
import dev.outboard.dpa.machine.run.SizedAccess;
import dev.outboard.dpa.process.DpaProcess;

/// The memory of a process as its owner reads and writes it before the run.
record HostMemory(DpaProcess process) implements SizedAccess {
    @Override
    public long load(long address, int lengthBytes) {
        return OutsidePort.word(process.read(address, lengthBytes), 0, lengthBytes);
    }

    @Override
    public void store(long address, int lengthBytes, long value) {
        byte[] bytes = new byte[lengthBytes];
        OutsidePort.put(bytes, 0, lengthBytes, value);
        process.write(address, bytes);
    }
}
