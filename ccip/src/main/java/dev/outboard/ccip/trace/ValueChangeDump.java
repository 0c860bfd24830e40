package dev.outboard.ccip.trace;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A file of waveforms (IEEE 1800, 21.7: value change dump): first the signals are declared, then
/// time passes and they change. What does not change is not written. Writing allocates nothing.
final class ValueChangeDump implements AutoCloseable {
    private static final int BUFFER = 1 << 16;

    /// More than any one change takes.
    private static final int ROOM = 1024;

    private static final String NOTHING = "";

    private final OutputStream out;
    private final byte[] buffer = new byte[BUFFER];
    private int length;
    private int signals;
    private long time = -1;
    private boolean timeWritten;
    private long changes;

    ValueChangeDump(OutputStream out) {
        this.out = out;
    }

    void declare(String line) {
        text(line);
        end();
    }

    /// A signal of some bits in the scope that is open.
    Wire wire(String name, int width) {
        return declare("wire", width, width == 1 ? name : name + " [" + (width - 1) + ":0]");
    }

    /// A signal whose values are numbers, from 0, which viewers show in decimal.
    Wire number(String name) {
        return declare("integer", Long.SIZE - 1, name);
    }

    private Wire declare(String type, int width, String name) {
        Wire wire = new Wire(width, signals++);
        declare("$var " + type + " " + width + " " + wire.id() + " " + name + " $end");
        return wire;
    }

    /// A signal whose values are words, as GTKWave has them.
    Word word(String name) {
        Word word = new Word(signals++);
        declare("$var string 1 " + word.id() + " " + name + " $end");
        return word;
    }

    /// The changes to come are at this time.
    void time(long now) {
        time = now;
        timeWritten = false;
    }

    /// How many changes there were.
    long changes() {
        return changes;
    }

    @Override
    public void close() {
        try (out) {
            flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void change() {
        changes++;
        if (length > BUFFER - ROOM) {
            try {
                flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        if (!timeWritten) {
            put('#');
            decimal(time);
            end();
            timeWritten = true;
        }
    }

    private void flush() throws IOException {
        out.write(buffer, 0, length);
        length = 0;
    }

    private void decimal(long value) {
        if (value >= 10) {
            decimal(value / 10);
        }
        put('0' + (int) (value % 10));
    }

    private void put(int character) {
        buffer[length++] = (byte) character;
    }

    private void put(byte[] bytes) {
        System.arraycopy(bytes, 0, buffer, length, bytes.length);
        length += bytes.length;
    }

    private void text(String text) {
        put(text.getBytes(StandardCharsets.US_ASCII));
    }

    private void end() {
        put('\n');
    }

    private static byte[] identifier(int number) {
        byte[] id = new byte[2];
        id[0] = (byte) ('!' + number % 94);
        id[1] = (byte) ('!' + number / 94);
        return id;
    }

    /// A signal of some bits, idle at first.
    final class Wire {
        private final int width;
        private final byte[] id;
        private final long[] value;
        private boolean known;
        private boolean written;

        Wire(int width, int number) {
            this.width = width;
            id = identifier(number);
            value = new long[(width + 63) / 64];
        }

        private String id() {
            return new String(id, StandardCharsets.US_ASCII);
        }

        void set(boolean on) {
            set(on ? 1 : 0);
        }

        void set(long bits) {
            if (!known || value[0] != bits) {
                value[0] = bits;
                write();
            }
        }

        /// Of more than 64 bits.
        void set(long low, long high) {
            if (!known || value[0] != low || value[1] != high) {
                value[0] = low;
                value[1] = high;
                write();
            }
        }

        void set(long[] bits) {
            if (!known || !Arrays.equals(bits, value)) {
                System.arraycopy(bits, 0, value, 0, value.length);
                write();
            }
        }

        /// A field that means something in this cycle, or does not.
        void set(boolean meaningful, long bits) {
            if (meaningful) {
                set(bits);
            } else {
                idle();
            }
        }

        /// Means nothing, which viewers show as a line in between.
        void idle() {
            if (known || !written) {
                known = false;
                written = true;
                change();
                if (width > 1) {
                    put('b');
                }
                put('z');
                name();
            }
        }

        private void write() {
            known = true;
            written = true;
            change();
            int bit = width - 1;
            if (width > 1) {
                put('b');
                while (bit > 0 && !isSet(bit)) {
                    bit--;
                }
            }
            for (; bit >= 0; bit--) {
                put(isSet(bit) ? '1' : '0');
            }
            name();
        }

        private boolean isSet(int bit) {
            return (value[bit >> 6] >>> bit & 1) != 0;
        }

        private void name() {
            if (width > 1) {
                put(' ');
            }
            put(id);
            end();
        }
    }

    /// A signal whose values are words without spaces.
    final class Word {
        private final byte[] id;
        private String value = NOTHING;
        private boolean written;

        Word(int number) {
            id = identifier(number);
        }

        private String id() {
            return new String(id, StandardCharsets.US_ASCII);
        }

        /// A word, or nothing.
        void set(boolean meaningful, String word) {
            set(meaningful ? word : NOTHING);
        }

        void set(String word) {
            if (!written || !value.equals(word)) {
                value = word;
                written = true;
                change();
                put('s');
                for (int i = 0; i < word.length(); i++) {
                    put(word.charAt(i));
                }
                put(' ');
                put(id);
                end();
            }
        }
    }
}
