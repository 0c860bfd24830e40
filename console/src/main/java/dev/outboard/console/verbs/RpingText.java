package dev.outboard.console.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/// What rping sends to and fro: the number of the ping, then characters from A to z round and
/// round, one further on with each ping, then a zero.
final class RpingText {
    /// Room for the number of every ping, and a zero; the original has the same limit.
    static final int LEAST_BYTES = 23;

    /// As the original has it.
    static final int MOST_BYTES = 65_535;

    private static final char FIRST = 'A';
    private static final int CHARACTERS = 'z' - FIRST + 1;

    private RpingText() {}

    /// Fills `buffer` with the text of ping `number`, which counts from 0.
    static void fill(MemorySegment buffer, int number) {
        byte[] head = ("rdma-ping-" + number + ": ").getBytes(StandardCharsets.US_ASCII);
        MemorySegment.copy(head, 0, buffer, ValueLayout.JAVA_BYTE, 0, head.length);
        int last = Math.toIntExact(buffer.byteSize()) - 1;
        for (int i = head.length; i < last; i++) {
            int character = FIRST + (number + i - head.length) % CHARACTERS;
            buffer.set(ValueLayout.JAVA_BYTE, i, (byte) character);
        }
        buffer.set(ValueLayout.JAVA_BYTE, last, (byte) 0);
    }

    /// The text in the first `length` bytes of `buffer`; what is not ASCII shows as dots.
    static String read(MemorySegment buffer, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            byte character = buffer.get(ValueLayout.JAVA_BYTE, i);
            if (character == 0) {
                break;
            }
            text.append(character >= ' ' && character < 0x7F ? (char) character : '.');
        }
        return text.toString();
    }
}
