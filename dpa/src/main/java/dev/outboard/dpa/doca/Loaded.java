package dev.outboard.dpa.doca;

import dev.outboard.dpa.doca.dev.FunctionDescriptor;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioOutbox;
import dev.outboard.dpa.flexio.FlexioPd;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioUar;
import dev.outboard.dpa.flexio.FlexioWindow;
import dev.outboard.dpacc.DpaAddr;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The program of a started context on a function of the card: its process, what it has of that
/// function, and the outbox and the window that all threads of the runtime share there.
///
/// @param functions on which the program is
/// @param index of this one among those
/// @param descriptor in DPA memory
record Loaded(
        Functions functions,
        int index,
        FlexioPd domain,
        FlexioUar uar,
        FlexioOutbox outbox,
        FlexioWindow window,
        DpaAddr descriptor) {
    /// @param number of the function on its card
    static Loaded of(Functions functions, int index, int number, FlexioPd domain, FlexioUar uar) {
        FlexioProcess process = functions.process();
        return new Loaded(
                functions,
                index,
                domain,
                uar,
                FlexioOutbox.create(process, uar),
                FlexioWindow.create(process, domain),
                process.heap()
                        .copyFromHost(
                                ByteBuffer.allocate(FunctionDescriptor.BYTES)
                                        .order(ByteOrder.LITTLE_ENDIAN)
                                        .putLong(FunctionDescriptor.ALIVE, FunctionDescriptor.YES)
                                        .putLong(FunctionDescriptor.INDEX, index)
                                        .putLong(FunctionDescriptor.NUMBER, number)
                                        .array()));
    }

    /// What it runs in.
    FlexioProcess process() {
        return functions.process();
    }

    /// What device code knows the function by.
    long handle() {
        return descriptor.value();
    }

    /// Makes a completion queue of the function.
    FlexioCq queue(FlexioCq.Attributes attributes) {
        return FlexioCq.create(process(), attributes.through(uar));
    }

    /// Gives it back, and nothing uses it any more.
    void close() {
        process().heap().fill(descriptor, FunctionDescriptor.BYTES, (byte) 0);
        process().heap().free(descriptor);
        window.close();
        outbox.close();
        uar.close();
        domain.close();
    }
}
