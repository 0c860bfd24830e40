package dev.outboard.dpa.debug;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/// The frames of gdb's remote protocol: `$`, the packet, `#` and two digits of a sum. A packet is
/// text of which each character is a byte.
final class GdbFrames {
    /// The longest packet that is taken, as long as it is on the way.
    static final int MOST_BYTES = 16 << 10;

    private static final int BREAK = 3;
    private static final int ESCAPE = '}';
    private static final int ESCAPED = 0x20;
    private static final int HEX = 16;
    private static final String SPECIAL = "#$}*";

    /// What a byte has completed.
    enum Event {
        /// Nothing.
        NONE,
        /// A packet, which [#packet] gives.
        PACKET,
        /// A packet that was damaged on the way, or is too long.
        DAMAGED,
        /// The answer before is to be sent again.
        REPEAT,
        /// The program is to stop.
        BREAK
    }

    private enum State {
        OUTSIDE,
        PACKET,
        ESCAPED,
        FIRST_DIGIT,
        SECOND_DIGIT
    }

    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private State state = State.OUTSIDE;
    private int sum;
    private int firstDigit;
    private boolean isTooLong;

    /// Takes the next byte.
    Event take(int value) {
        switch (state) {
            case OUTSIDE -> {
                return outside(value);
            }
            case PACKET, ESCAPED -> inside(value);
            case FIRST_DIGIT -> {
                firstDigit = Character.digit(value, HEX);
                state = State.SECOND_DIGIT;
            }
            case SECOND_DIGIT -> {
                state = State.OUTSIDE;
                int digit = Character.digit(value, HEX);
                boolean isWhole =
                        firstDigit >= 0 && digit >= 0 && firstDigit * HEX + digit == (sum & 0xff);
                return isWhole && !isTooLong ? Event.PACKET : Event.DAMAGED;
            }
        }
        return Event.NONE;
    }

    private Event outside(int value) {
        switch (value) {
            case '$' -> begin();
            case '-' -> {
                return Event.REPEAT;
            }
            case BREAK -> {
                return Event.BREAK;
            }
            default -> {
                // Acknowledgements, and noise.
            }
        }
        return Event.NONE;
    }

    private void begin() {
        content.reset();
        sum = 0;
        isTooLong = false;
        state = State.PACKET;
    }

    private void inside(int value) {
        if (value == '#') {
            state = State.FIRST_DIGIT;
            return;
        }
        if (value == '$') {
            begin();
            return;
        }
        sum += value;
        if (state == State.PACKET && value == ESCAPE) {
            state = State.ESCAPED;
            return;
        }
        isTooLong |= content.size() == MOST_BYTES;
        if (!isTooLong) {
            content.write(state == State.ESCAPED ? value ^ ESCAPED : value);
        }
        state = State.PACKET;
    }

    /// The packet that was completed last.
    String packet() {
        return content.toString(StandardCharsets.ISO_8859_1);
    }

    /// The frame of a packet.
    static byte[] frame(String packet) {
        StringBuilder escaped = new StringBuilder();
        int sum = 0;
        for (int i = 0; i < packet.length(); i++) {
            char value = packet.charAt(i);
            if (SPECIAL.indexOf(value) >= 0) {
                escaped.append((char) ESCAPE).append((char) (value ^ ESCAPED));
                sum += ESCAPE + (value ^ ESCAPED);
            } else {
                escaped.append(value);
                sum += value;
            }
        }
        return "$%s#%02x".formatted(escaped, sum & 0xff).getBytes(StandardCharsets.ISO_8859_1);
    }
}
