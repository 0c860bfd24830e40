package dev.outboard.ccip.fiu;

/// All the requests that may be in flight at a time: what the links hold together, and the queues
/// at the port. They are made once, so that a run allocates nothing.
final class RequestPool {
    static final int COUNT = 2048;
    private static final int RESERVE = 32;

    private final PendingRequest[] all = new PendingRequest[COUNT];
    private final PendingRequest[] free = new PendingRequest[COUNT];
    private int freeCount;

    RequestPool() {
        for (int i = 0; i < COUNT; i++) {
            all[COUNT - 1 - i] = new PendingRequest();
        }
        releaseAll();
    }

    void releaseAll() {
        System.arraycopy(all, 0, free, 0, COUNT);
        freeCount = COUNT;
    }

    /// Whether no request is in flight.
    boolean isIdle() {
        return freeCount == COUNT;
    }

    /// Whether so few are left that the AFU had better send no more: after almost-full it may still
    /// send ten on each channel.
    boolean isScarce() {
        return freeCount < RESERVE;
    }

    PendingRequest take() {
        return free[--freeCount];
    }

    /// A request is done with.
    void release(PendingRequest request) {
        request.mapping = null;
        free[freeCount++] = request;
    }
}
