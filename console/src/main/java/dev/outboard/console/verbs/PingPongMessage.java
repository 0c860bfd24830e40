package dev.outboard.console.verbs;

import dev.outboard.terminal.CommandException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// The content of what the ibv pingpongs bounce when both sides were asked to check it: a filling,
/// with a zero at the beginning of every page.
final class PingPongMessage {
    private static final int PAGE = 4096;

    private PingPongMessage() {}

    /// Makes `message` such a message.
    static void fill(MemorySegment message, byte filling) {
        message.fill(filling);
        for (long i = 0; i < message.byteSize(); i += PAGE) {
            message.set(ValueLayout.JAVA_BYTE, i, (byte) 0);
        }
    }

    /// Compares `message`.
    ///
    /// @throws CommandException naming the first byte that is wrong
    static void check(MemorySegment message, byte filling) {
        for (long i = 0; i < message.byteSize(); i++) {
            byte is = message.get(ValueLayout.JAVA_BYTE, i);
            byte shouldBe = i % PAGE == 0 ? 0 : filling;
            if (is != shouldBe) {
                throw new CommandException(
                        "byte %d of a message is 0x%02x instead of 0x%02x; does the peer check too?"
                                .formatted(i, is, shouldBe));
            }
        }
    }
}
