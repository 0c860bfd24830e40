package dev.outboard.testkit;

/// What this process holds on its heap, for tests of what something costs. Any thread may ask.
public final class LiveHeap {
    /// One collection leaves behind what waits for a reference to be cleared.
    private static final int COLLECTIONS = 4;

    private LiveHeap() {}

    /// The bytes that are left after a collection.
    public static long bytes() {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }
}
