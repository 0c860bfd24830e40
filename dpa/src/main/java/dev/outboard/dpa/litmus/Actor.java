package dev.outboard.dpa.litmus;

import java.util.List;

/// A program that runs beside others.
///
/// @param name in the text form, such as `T1`; begins with the letter of its kind
/// @param optional whether it may stop anywhere, as a NIC that reads when it likes; no outcome
///   waits for its end
public record Actor(Place place, Kind kind, String name, boolean optional, List<Statement> body) {
    /// What an actor is.
    public enum Kind {
        /// A DPA thread.
        THREAD("T"),
        /// A NIC.
        NIC("N"),
        /// The host, or a thread of it.
        HOST("H");

        private final String letter;

        Kind(String letter) {
            this.letter = letter;
        }

        /// The letter that names of such actors begin with.
        public String letter() {
            return letter;
        }
    }
}
