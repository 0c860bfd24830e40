package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.Affinity;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Kernel;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.nic.CompletionQueue;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaFunction;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/// DPA-FXE-1: a device function that runs each time an event occurs: an entry in a completion queue
/// that is attached to it.
///
/// ```java
/// FlexioEventHandler echo = FlexioEventHandler.create(process, EchoStub.echo, Attributes.DEFAULT);
/// FlexioCq completions = FlexioCq.create(process, CqAttributes.of(ring, 4, index).activating(echo));
/// echo.run(context.value());
/// ```
public final class FlexioEventHandler extends FlexioCq.Element {
    private final ThreadHandle thread;

    private FlexioEventHandler(FlexioProcess process, ThreadHandle thread) {
        super(process, "event handler", thread.number());
        this.thread = thread;
    }

    /// How a handler is made.
    ///
    /// DPA-FXE-14: one that goes on after a yield is refused.
    ///
    /// @param localStorage an address that device code can ask for, or 0
    /// @param continuable whether it could go on after a yield at its next event, which is not
    ///   supported
    public record Attributes(DpaAddr localStorage, Affinity affinity, boolean continuable) {
        /// On any unit, without local storage.
        public static final Attributes DEFAULT =
                new Attributes(new DpaAddr(0), Affinity.ANY, false);
    }

    /// Makes a handler. Nothing activates it before [#run].
    ///
    /// @param function marked `@DpaGlobal`, with one argument of 64 bits or none beside its thread
    /// @throws FlexioException if the function is none of those, or the affinity has no unit
    public static FlexioEventHandler create(
            FlexioProcess process, DpaFunction<DpaThread> function, Attributes attributes) {
        return create(process, function, attributes, _ -> {});
    }

    /// The same of a runtime on top of FlexIO.
    ///
    /// @param before runs at the begin of each activation, and is no part of the program
    /// @throws FlexioException as the other
    public static FlexioEventHandler create(
            FlexioProcess process,
            DpaFunction<DpaThread> function,
            Attributes attributes,
            Kernel before) {
        process.check();
        process.checkNoFault();
        DpaFunction<DpaThread> loaded = process.loaded(function, DpaFunction.Kind.GLOBAL);
        int bytes = loaded.arguments().bytes();
        if (bytes != 0 && bytes != Long.BYTES) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "Function %s takes %d bytes of arguments: a handler takes 8 or none"
                            .formatted(loaded, bytes));
        }
        if (attributes.continuable) {
            throw FlexioException.refuse(
                    Reason.NOT_SUPPORTED, "A handler cannot go on after a yield");
        }
        ThreadAttributes made =
                ThreadAttributes.HANDLER
                        .withLocalStorage(attributes.localStorage.value())
                        .withAffinity(attributes.affinity);
        ThreadHandle thread;
        try {
            thread = process.process().trustedThread(loaded.name(), kernel(loaded, before), made);
        } catch (IllegalArgumentException e) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT, Objects.toString(e.getMessage(), "bad affinity"));
        }
        process.threadMade();
        return process.adopt(new FlexioEventHandler(process, thread));
    }

    /// Makes a thread of a runtime on top of FlexIO, such as DOCA DPA: events activate it, and it
    /// returns each time. Its kernel is no part of the program of the process, and may run
    /// functions of that, as the process has [loaded][FlexioProcess#loaded] them. What those hand
    /// to each other outside the machine, nobody sees but they. It runs at once.
    ///
    /// @param localStorage the address that device code can ask for
    /// @throws FlexioException if the process has ended
    public static FlexioEventHandler ofRuntime(
            FlexioProcess process, String name, Kernel kernel, DpaAddr localStorage) {
        process.check();
        process.checkNoFault();
        ThreadAttributes made = ThreadAttributes.RPC.withLocalStorage(localStorage.value());
        ThreadHandle thread = process.process().trustedThread(name, kernel, made);
        process.threadMade();
        process.process().enable(thread, 0);
        return process.adopt(new FlexioEventHandler(process, thread));
    }

    /// Activations of a thread come one after the other, so that they can share the bytes.
    private static Kernel kernel(DpaFunction<DpaThread> function, Kernel before) {
        ByteBuffer arguments =
                ByteBuffer.allocate(function.arguments().bytes()).order(ByteOrder.LITTLE_ENDIAN);
        DpaFunction.Body<DpaThread> body = function.body();
        return thread -> {
            before.run(thread);
            if (arguments.capacity() > 0) {
                arguments.putLong(0, thread.argument());
            }
            body.run(thread, arguments);
        };
    }

    /// DPA-FXE-3: from now on events activate it. Those that have occurred since it was made do so
    /// at once.
    ///
    /// @param argument usually the address of its context in DPA memory
    public void run(long argument) {
        process().check();
        process().checkNoFault();
        numberFor(process());
        process().process().enable(thread, argument);
    }

    /// DPA-FXE-1: the thread that runs it, which completion queues are attached to.
    ThreadHandle thread() {
        return thread;
    }

    @Override
    CompletionQueue.Element made() {
        return new CompletionQueue.Element.Handler(thread);
    }

    @Override
    void destroy() {
        process().process().retire(thread);
    }
}
