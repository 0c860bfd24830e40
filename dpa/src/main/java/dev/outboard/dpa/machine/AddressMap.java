package dev.outboard.dpa.machine;

/// DPA-RV-4: where the regions of a process lie. They are disjoint, so that one 64-bit address
/// tells its space. Threads, NIC and host all use these addresses; external memory is what has the
/// top bit set, wherever it is reached from.
public final class AddressMap {

    /// Code and constants: readable, not writable by the device.
    public static final long CODE = 0x1_0000L;

    /// Globals: data and bss of the process.
    public static final long GLOBALS = 0x1000_0000L;

    /// The heap.
    public static final long HEAP = 0x1_0000_0000L;

    /// The stacks, one after the other, each with a guard page below it.
    public static final long STACKS = 0x100_0000_0000L;

    /// The outbox page of the thread that accesses it.
    public static final long OUTBOX = 0x200_0000_0000L;

    /// The window region: this bit and the external address.
    public static final long WINDOW = 1L << 63;

    /// Size of the outbox page and of the guard below a stack.
    public static final long PAGE_BYTES = 4096;

    /// From the guard of one stack to that of the next.
    public static final long STACK_STRIDE = 2L << 20;

    /// DPA-FXO-6: register of the outbox that arms a completion queue.
    public static final int ARM_DOORBELL = 0x100;

    /// Register of the outbox that updates an event queue and arms it again.
    public static final int EVENT_QUEUE_ARM_DOORBELL = 0x140;

    /// Register of the outbox that updates an event queue.
    public static final int EVENT_QUEUE_DOORBELL = 0x180;

    /// Register of the outbox that rings a send queue.
    public static final int SEND_DOORBELL = 0x1C0;

    /// Registers of the outbox for device emulation.
    public static final int EMULATION_DOORBELL = 0x200;

    /// Second register of the outbox for device emulation.
    public static final int EMULATION_COMPLETION_DOORBELL = 0x240;

    /// Register of the outbox that raises an MSI-X interrupt of the host.
    public static final int MSIX_DOORBELL = 0x280;

    /// Register of the outbox for congestion control.
    public static final int CONGESTION_DOORBELL = 0x340;

    private AddressMap() {}

    /// Whether the address is external memory, reached through a window.
    public static boolean isWindow(long address) {
        return address < 0;
    }

    /// Whether the address lies in the outbox page.
    public static boolean isOutbox(long address) {
        return Long.compareUnsigned(address - OUTBOX, PAGE_BYTES) < 0;
    }

    /// Whether the address lies where the heap of a process can be.
    public static boolean isHeap(long address) {
        return address >= HEAP && address < STACKS;
    }

    /// The lowest byte of the stack of a thread; its guard page ends here.
    public static long stack(int thread) {
        return STACKS + thread * STACK_STRIDE + PAGE_BYTES;
    }

    /// The external address behind a window address.
    public static long external(long window) {
        return window & ~WINDOW;
    }

    /// Whether the space contains the address. An address of DPA memory need not be mapped.
    public static boolean contains(Space space, long address) {
        boolean mmio = isWindow(address) || isOutbox(address);
        return switch (space) {
            case HEAP -> isHeap(address);
            case MEMORY -> !mmio;
            case MMIO -> mmio;
            case SYSTEM -> true;
        };
    }
}
