package dev.outboard.doca;

/// Memory of a device of its own, and the same memory as a peer knows it.
record ExportedMemory(DocaDev dev, Mmap mmap, RemoteMmap remote) implements AutoCloseable {
    static ExportedMemory of(long bytes) {
        DocaDev dev = TestDevices.open();
        Mmap mmap =
                Mmap.builder()
                        .device(dev)
                        .memrange(bytes)
                        .permissions(AccessFlag.RDMA_READ)
                        .build()
                        .start();
        return new ExportedMemory(dev, mmap, RemoteMmap.fromExport(dev, mmap.exportRdma(dev)));
    }

    @Override
    public void close() {
        remote.close();
        mmap.close();
        dev.close();
    }
}
