package dev.outboard.dpa.cc;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Messages;
import dev.outboard.dpa.rv.Ecalls;
import dev.outboard.dpa.rv.RvHart;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/// DPA-RV-2: the environment calls of device programs, ABI version 1: the table is in
/// `outboard_ecall.h`, which they are compiled with.
final class DeviceCalls implements Ecalls {
    private static final int MOST_TEXT_BYTES = 4096;
    private static final int MOST_ARGUMENTS = 64;

    @Override
    public long call(RvHart hart, DpaThread thread, long number) {
        int first = (int) hart.argument(0);
        int second = (int) hart.argument(1);
        switch ((int) number) {
            case 0x01 -> thread.reschedule();
            case 0x02 -> thread.finish();
            case 0x03 -> thread.retrigger();
            case 0x04 -> thread.finishProcess();
            case 0x05 -> thread.yieldUnit();
            case 0x06 -> thread.error(first);
            case 0x10 -> {
                return truth(thread.configureOutbox(first));
            }
            case 0x11 -> thread.configureOutboxFast(first);
            case 0x12 -> {
                return truth(thread.configureOutbox(first, second));
            }
            case 0x20 -> {
                return truth(thread.configureWindow(first, second));
            }
            case 0x21 -> {
                return truth(thread.configureWindow(first));
            }
            case 0x30 -> message(hart, thread);
            case 0x40 -> {
                return thread.number();
            }
            case 0x41 -> {
                return thread.localStorage();
            }
            case 0x42 -> {
                return thread.errno();
            }
            case 0x43 -> thread.resetErrno();
            default -> {
                return RvHart.unknownCall(number);
            }
        }
        return 0;
    }

    private static long truth(boolean value) {
        return value ? 1 : 0;
    }

    /// DPA-FXM-1: the format is a text in memory of the DPA, the arguments words there.
    private static void message(RvHart hart, DpaThread thread) {
        Messages.Level[] levels = Messages.Level.values();
        int level = Math.clamp(hart.argument(1), 0, levels.length - 1);
        int count = Math.clamp(hart.argument(4), 0, MOST_ARGUMENTS);
        long[] arguments = new long[count];
        for (int i = 0; i < count; i++) {
            arguments[i] = thread.load64(hart.argument(3) + (long) i * Long.BYTES);
        }
        thread.message(
                (int) hart.argument(0), levels[level], text(thread, hart.argument(2)), arguments);
    }

    private static String text(DpaThread thread, long address) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte next = thread.load8(address);
        while (next != 0 && bytes.size() < MOST_TEXT_BYTES) {
            bytes.write(next);
            next = thread.load8(address + bytes.size());
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
