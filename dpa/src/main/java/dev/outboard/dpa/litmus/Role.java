package dev.outboard.dpa.litmus;

/// What a variable is for those who exchange it by protocol; the checker goes by it.
///
/// @param queue the queue that it belongs to, empty if the text names none
public record Role(Place place, Kind kind, String variable, String queue) {
    /// The roles there are.
    public enum Kind {
        /// A work queue entry, which a NIC consumes.
        ENTRY("entry"),
        /// A doorbell record: tells the NIC up to where entries are posted.
        RECORD("record"),
        /// The consumer index of a completion queue.
        INDEX("index"),
        /// The same of a queue that ignores overrun: the NIC does without it.
        IGNORED_INDEX("ignored_index"),
        /// A buffer that an entry names.
        BUFFER("buffer"),
        /// The owner word of a completion queue entry: announces what the NIC wrote before.
        CQE("cqe"),
        /// The word of a completion queue entry that tells success from failure.
        SYNDROME("syndrome"),
        /// A flag that announces other data.
        FLAG("flag");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /// The word of the text form.
        public String word() {
            return word;
        }
    }
}
