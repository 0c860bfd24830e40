package dev.outboard.naa.server;

import java.util.OptionalLong;

/// One memory region that a [Routine] takes, as its [RoutineSpec] declares it:
///
/// ```java
/// RoutineArgument.input("message", "bytes")
/// RoutineArgument.output("digest", "SHA-256").ofBytes(32)
/// ```
///
/// @param name for people
/// @param role what happens to the region in an RPC
/// @param content what its bytes are, for people
/// @param bytes its size, if only one is right
public record RoutineArgument(String name, Role role, String content, OptionalLong bytes) {
    /// What happens to a region in an RPC.
    public enum Role {
        INPUT("in"),
        OUTPUT("out"),
        INOUT("inout");

        private final String word;

        Role(String word) {
            this.word = word;
        }

        /// Whether the client has to send the region.
        public boolean isInput() {
            return this != OUTPUT;
        }

        /// Whether the region has to be returned to the client.
        public boolean isOutput() {
            return this != INPUT;
        }

        /// As the command line has it: in, out or inout.
        @Override
        public String toString() {
            return word;
        }
    }

    /// Refuses sizes that no region can have.
    public RoutineArgument {
        if (bytes.isPresent() && (bytes.getAsLong() < 0 || bytes.getAsLong() > 0xffff_ffffL)) {
            throw new IllegalArgumentException(
                    "argument '%s' has %d bytes; valid: 0 to 4294967295"
                            .formatted(name, bytes.getAsLong()));
        }
    }

    /// A region that the client sends, of any size.
    public static RoutineArgument input(String name, String content) {
        return new RoutineArgument(name, Role.INPUT, content, OptionalLong.empty());
    }

    /// A region that the client gets back, of any size.
    public static RoutineArgument output(String name, String content) {
        return new RoutineArgument(name, Role.OUTPUT, content, OptionalLong.empty());
    }

    /// A region that the client sends and gets back, of any size.
    public static RoutineArgument inout(String name, String content) {
        return new RoutineArgument(name, Role.INOUT, content, OptionalLong.empty());
    }

    /// The same, of exactly this size.
    public RoutineArgument ofBytes(long size) {
        return new RoutineArgument(name, role, content, OptionalLong.of(size));
    }
}
