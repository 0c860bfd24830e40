package dev.outboard.ccip.trace;

import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.wire.VirtualChannel;
import java.util.HexFormat;

/// A [Transaction] in the making: begins without any field, and ends as an object of its own.
final class Beat {
    private static final HexFormat HEX = HexFormat.of();

    private long cycle;
    private Channel channel = Channel.PORT;
    private String type = Transaction.NO_TEXT;
    private String vc = Transaction.NO_TEXT;
    private String header = Transaction.NO_TEXT;
    long request;
    int lines;
    int line;
    long address;
    int mdata;
    int tid;
    int sop;
    int mode;
    int byteStart;
    int byteLength;
    int hit;
    int format;
    String before = Transaction.NO_TEXT;
    String upi = Transaction.NO_TEXT;
    long victim;
    String after = Transaction.NO_TEXT;
    String data = Transaction.NO_TEXT;

    void begin(long inCycle, Channel on, String what) {
        cycle = inCycle;
        channel = on;
        type = what;
        vc = Transaction.NO_TEXT;
        header = Transaction.NO_TEXT;
        data = Transaction.NO_TEXT;
        before = Transaction.NO_TEXT;
        upi = Transaction.NO_TEXT;
        after = Transaction.NO_TEXT;
        request = Transaction.NONE;
        lines = Transaction.NONE;
        line = Transaction.NONE;
        address = Transaction.NONE;
        mdata = Transaction.NONE;
        tid = Transaction.NONE;
        sop = Transaction.NONE;
        mode = Transaction.NONE;
        byteStart = Transaction.NONE;
        byteLength = Transaction.NONE;
        hit = Transaction.NONE;
        format = Transaction.NONE;
        victim = Transaction.NONE;
    }

    void channel(int code) {
        vc = VirtualChannel.of(code).name();
    }

    void header(int high, long low, int bits) {
        int digits = (bits + 3) / 4;
        header =
                digits > 16
                        ? hexadecimal(high, digits - 16) + hexadecimal(low, 16)
                        : hexadecimal(low, digits);
    }

    /// The first `bytes` of a line, 0, 4, or a multiple of 8.
    void data(long[] line, int bytes) {
        if (bytes < 8) {
            data = bytes == 0 ? Transaction.NO_TEXT : hexadecimal(line[0], 2 * bytes);
            return;
        }
        StringBuilder text = new StringBuilder(2 * bytes);
        for (int i = bytes / 8 - 1; i >= 0; i--) {
            text.append(hexadecimal(line[i], 16));
        }
        data = text.toString();
    }

    static String hexadecimal(long value, int digits) {
        return HEX.toHexDigits(value, digits);
    }

    Transaction end() {
        return new Transaction(
                cycle,
                channel,
                type,
                request,
                vc,
                lines,
                line,
                address,
                mdata,
                tid,
                sop,
                mode,
                byteStart,
                byteLength,
                hit,
                format,
                before,
                upi,
                victim,
                after,
                header,
                data);
    }
}
