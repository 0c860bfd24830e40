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

    private final Ecalls doca = new DocaCalls();
    private final Ecalls others;

    /// @param others serves the numbers of who runs the program
    DeviceCalls(Ecalls others) {
        this.others = others;
    }

    @Override
    public long call(RvHart hart, DpaThread thread, long number) {
        int first = (int) hart.argument(0);
        int second = (int) hart.argument(1);
        switch (Math.clamp(number, -1, Short.MAX_VALUE)) {
            case CallNumbers.THREAD_RESCHEDULE -> thread.reschedule();
            case CallNumbers.THREAD_FINISH -> thread.finish();
            case CallNumbers.THREAD_RETRIGGER -> thread.retrigger();
            case CallNumbers.PROCESS_FINISH -> thread.finishProcess();
            case CallNumbers.YIELD -> thread.yieldUnit();
            case CallNumbers.SPIN_LOCK -> thread.spinLock(hart.argument(0));
            case CallNumbers.ERROR -> thread.error(first);
            case CallNumbers.OUTBOX_CONFIG -> {
                return truth(thread.configureOutbox(first));
            }
            case CallNumbers.OUTBOX_CONFIG_FAST -> thread.configureOutboxFast(first);
            case CallNumbers.OUTBOX_CONFIG_UAR -> {
                return truth(thread.configureOutbox(first, second));
            }
            case CallNumbers.WINDOW_CONFIG -> {
                return truth(thread.configureWindow(first, second));
            }
            case CallNumbers.WINDOW_KEY_CONFIG -> {
                return truth(thread.configureWindow(first));
            }
            case CallNumbers.MESSAGE -> message(hart, thread);
            case CallNumbers.THREAD_NUMBER -> {
                return thread.number();
            }
            case CallNumbers.THREAD_LOCAL_STORAGE -> {
                return thread.localStorage();
            }
            case CallNumbers.ERRNO -> {
                return thread.errno();
            }
            case CallNumbers.RESET_ERRNO -> thread.resetErrno();
            default -> {
                return further(hart, thread, number);
            }
        }
        return 0;
    }

    private long further(RvHart hart, DpaThread thread, long number) {
        if (number < CallNumbers.FIRST_OF_DOCA || number >= Short.MAX_VALUE) {
            return RvHart.unknownCall(number);
        }
        Ecalls served = number < CallNumbers.OTHERS ? doca : others;
        return served.call(hart, thread, number);
    }

    private static long truth(boolean value) {
        return value ? 1 : 0;
    }

    /// DPA-FXM-1: the format is a text in memory of the DPA, the arguments words there.
    private static void message(RvHart hart, DpaThread thread) {
        Messages.Level[] levels = Messages.Level.values();
        int level = Math.clamp(hart.argument(1), 0, levels.length - 1);
        thread.message(
                (int) hart.argument(0),
                levels[level],
                text(thread, hart.argument(2)),
                words(thread, hart.argument(3), hart.argument(4)));
    }

    /// A text that ends with a zero byte.
    static String text(DpaThread thread, long address) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte next = thread.load8(address);
        while (next != 0 && bytes.size() < MOST_TEXT_BYTES) {
            bytes.write(next);
            next = thread.load8(address + bytes.size());
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /// The arguments of a message.
    static long[] words(DpaThread thread, long address, long count) {
        long[] words = new long[Math.clamp(count, 0, MOST_ARGUMENTS)];
        for (int i = 0; i < words.length; i++) {
            words[i] = thread.load64(address + (long) i * Long.BYTES);
        }
        return words;
    }
}
