package dev.outboard.dpa.machine;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/// Changes of a program that are made while it runs: a repair is tried by inserting operations, and
/// an operation is shown to be needed by leaving it out. Places are compared by file and line, and
/// by column where both have one.
///
/// @param before what a thread does right before its first operation at that place
/// @param after what a thread does right after each of its operations at that place
/// @param omitted places whose stores, doorbells, fences and cache operations do nothing
public record ProgramEdits(
        Map<CodePlace, List<Operation>> before,
        Map<CodePlace, List<Operation>> after,
        Set<CodePlace> omitted) {

    /// The program as it is.
    public static final ProgramEdits NONE = new ProgramEdits(Map.of(), Map.of(), Set.of());

    /// Copies the collections.
    public ProgramEdits {
        before = Map.copyOf(before);
        after = Map.copyOf(after);
        omitted = Set.copyOf(omitted);
    }

    /// The program without what stands at these places.
    public static ProgramEdits without(Set<CodePlace> omitted) {
        return new ProgramEdits(Map.of(), Map.of(), omitted);
    }

    /// Whether the program is as it is.
    public boolean isEmpty() {
        return before.isEmpty() && after.isEmpty() && omitted.isEmpty();
    }

    /// An operation that can be inserted.
    ///
    /// @param text as a line of the program, such as `thread.memoryWriteback();`
    /// @param action what it does
    public record Operation(String text, Consumer<DpaThread> action) {

        /// `memoryWriteback`.
        public static final Operation MEMORY_WRITEBACK =
                new Operation("thread.memoryWriteback();", DpaThread::memoryWriteback);

        /// `windowWriteback`.
        public static final Operation WINDOW_WRITEBACK =
                new Operation("thread.windowWriteback();", DpaThread::windowWriteback);

        /// `windowReadInv`.
        public static final Operation WINDOW_READ_INV =
                new Operation("thread.windowReadInv();", DpaThread::windowReadInv);

        /// A fence.
        public static Operation fence(Space space, Op before, Op after) {
            return new Operation(
                    "thread.fence(Space.%s, Op.%s, Op.%s);".formatted(space, before, after),
                    thread -> thread.fence(space, before, after));
        }
    }
}
