package dev.outboard.dpa.flexio;

import java.util.List;

/// A kernel of a runtime on top of FlexIO that was launched and has not ended.
///
/// @param function what it runs
/// @param threads how many threads it has
/// @param isBegun whether its event has come; if not, it waits for that
/// @param running threads that run
/// @param ended threads that have returned; the others that do not run wait for an execution unit
/// @param waits for events, of the kernel or of its threads
public record KernelStatus(
        String function, int threads, boolean isBegun, int running, int ended, List<Wait> waits) {
    /// Copies the list.
    public KernelStatus {
        waits = List.copyOf(waits);
    }

    /// A wait for an event.
    ///
    /// @param rank of the thread, or -1 if it is the kernel that waits to begin
    /// @param event its handle
    /// @param value what a thread has seen last, or what memory of the host holds
    /// @param threshold what it has to be: that at least for a kernel to begin, more for a thread
    /// @param mask the bits of the value that count
    public record Wait(int rank, long event, long value, long threshold, long mask) {
        /// In words.
        public String text() {
            String least = Long.toUnsignedString(threshold);
            if (rank < 0) {
                return "the launch waits for event 0x%x >= %s".formatted(event, least);
            }
            String masked = mask == -1 ? "" : " & 0x%x".formatted(mask);
            return "rank %d waits for event 0x%x%s > %s, which is %s"
                    .formatted(rank, event, masked, least, Long.toUnsignedString(value));
        }
    }

    /// What it does, in words.
    public String state() {
        if (!isBegun) {
            return "waits to begin";
        }
        int unitless = threads - running - ended;
        return "%d running, %d ended, %d waiting for a unit".formatted(running, ended, unitless);
    }
}
