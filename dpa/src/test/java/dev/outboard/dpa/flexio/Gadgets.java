package dev.outboard.dpa.flexio;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// A program that drives a device by its registers, and works with a GPU.
@DpaProgram("gadgets")
final class Gadgets {
    private static final int DONE = 1;

    private Gadgets() {}

    /// Gives a command to a device whose registers of 8 bytes are command, operand, status and
    /// result, and waits for its result.
    @DpaRpc
    static long command(
            DpaThread thread, int window, int key, DpaAddr registers, long operand, int mistake) {
        thread.configureWindow(window, key);
        long base = thread.window(registers.value());
        thread.store64(base + 8, operand);
        thread.windowWriteback();
        thread.store64(base, 1);
        if (mistake != 1) {
            thread.windowWriteback();
            // A writeback alone would let the status be read before the command is there.
            thread.windowFence(Op.W, Op.R);
        }
        if (mistake == 2) {
            while (thread.load64(base + 16) != DONE) {
                // A copy never changes.
            }
        } else {
            do {
                thread.windowReadInv();
            } while (thread.load64(base + 16) != DONE);
        }
        return thread.load64(base + 24);
    }

    /// Stores to one register, and writes that back.
    @DpaRpc
    static long poke(DpaThread thread, int window, int key, DpaAddr register, int value) {
        thread.configureWindow(window, key);
        thread.store32(thread.window(register.value()), value);
        thread.windowWriteback();
        return 0;
    }

    /// Gives a value to the GPU and waits until it has done something with it: three words of a
    /// buffer are data, flag and sign of completion.
    ///
    /// @return what the result holds then
    @DpaRpc
    static long hand(
            DpaThread thread,
            int window,
            int key,
            DpaAddr words,
            DpaAddr result,
            long value,
            int writeBack) {
        thread.configureWindow(window, key);
        long data = thread.window(words.value());
        long former = thread.load64(data + 128);
        thread.store64(data, value);
        if (writeBack != 0) {
            thread.windowWriteback();
        }
        thread.store64(data + 64, former + 1);
        thread.windowWriteback();
        do {
            thread.windowReadInv();
        } while (thread.load64(data + 128) == former);
        return thread.load64(thread.window(result.value()));
    }
}
