package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Messages;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// A program that prints, ends its process and uses windows.
@DpaProgram("printer")
final class Printer {
    private Printer() {}

    /// Prints to the default stream, to one at each level, and to all.
    @DpaRpc
    static long print(DpaThread thread, int stream, DpaAddr text) {
        thread.print("%d of %s is %#06x", -3, text.value(), 0xABCL);
        thread.message(stream, Messages.Level.ERROR, "error");
        thread.message(stream, Messages.Level.INFO, "info %lu", -1);
        thread.message(stream, Messages.Level.DEBUG, "debug");
        thread.message(Messages.BROADCAST, Messages.Level.WARN, "to all");
        return 5;
    }

    /// Ends the process with an error of the program.
    @DpaRpc
    static long fail(DpaThread thread, int code) {
        thread.error(code);
        return 0;
    }

    /// Ends the process.
    @DpaRpc
    static long finish(DpaThread thread) {
        thread.finishProcess();
        return 0;
    }

    /// Adds 1 to a word behind a window.
    ///
    /// @return its former value, or -errno if the window cannot be configured
    @DpaRpc
    static long increment(DpaThread thread, int window, int key, DpaAddr word) {
        thread.resetErrno();
        if (!thread.configureWindow(window, key)) {
            long refused = thread.errno();
            long latest = thread.getAndResetErrno();
            return latest == refused && thread.errno() == 0 ? -latest : -1;
        }
        long address = thread.window(word.value());
        long before = thread.load64(address);
        thread.store64(address, before + 1);
        thread.windowWriteback();
        return before;
    }

    /// The same without configuring anything: the window is that of the latest call.
    @DpaRpc
    static long incrementAgain(DpaThread thread, DpaAddr word) {
        thread.windowReadInv();
        long address = thread.window(word.value());
        long before = thread.load64(address);
        thread.store64(address, before + 1);
        thread.windowWriteback();
        return before;
    }

    /// Copies to the host and back, by the functions of FlexIO.
    ///
    /// @return 0, or the error if the window cannot be configured
    @DpaRpc
    static long copyThere(
            DpaThread thread, int window, int key, DpaAddr to, DpaAddr from, int lengthBytes) {
        if (!thread.configureWindow(window, key)) {
            return thread.errno();
        }
        FlexioDev.copyToHost(thread, to.value(), from.value(), lengthBytes);
        return 0;
    }

    /// The other way, through the window of the latest call.
    @DpaRpc
    static long copyBack(DpaThread thread, DpaAddr to, DpaAddr from, int lengthBytes) {
        FlexioDev.copyFromHost(thread, to.value(), from.value(), lengthBytes);
        return 0;
    }

    /// Sets a word behind a window.
    ///
    /// @param writeBack 1 if it is written back, too
    @DpaRpc
    static long set(
            DpaThread thread, int window, int key, DpaAddr word, long value, int writeBack) {
        if (!thread.configureWindow(window, key)) {
            return thread.errno();
        }
        thread.store64(thread.window(word.value()), value);
        if (writeBack == 1) {
            thread.windowWriteback();
        }
        return 0;
    }
}
