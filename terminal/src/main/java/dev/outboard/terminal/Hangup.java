package dev.outboard.terminal;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;

/// SIGHUP, by which whoever runs a service asks it to read its configuration again.
///
/// Java's only way to take a signal is `sun.misc.Signal`, whose mention the compiler warns of, and
/// no annotation silences that: so it is named as text.
public final class Hangup {
    private Hangup() {}

    /// Runs `action` at every SIGHUP from now on, on a thread of Java's that it must not keep;
    /// without, the process ends.
    ///
    /// @throws CommandException if Java leaves signals alone, as with `-Xrs`
    public static void whenSignalled(Runnable action) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            MethodHandle run =
                    MethodHandles.lookup()
                            .findVirtual(Runnable.class, "run", MethodType.methodType(void.class))
                            .bindTo(action);
            Object running =
                    MethodHandleProxies.asInterfaceInstance(
                            handler, MethodHandles.dropArguments(run, 0, signal));
            Object hup = signal.getConstructor(String.class).newInstance("HUP");
            signal.getMethod("handle", signal, handler).invoke(null, hup, running);
        } catch (InvocationTargetException e) {
            throw new CommandException("cannot listen to SIGHUP: " + e.getCause(), e);
        } catch (ReflectiveOperationException e) {
            throw new CommandException("cannot listen to SIGHUP: " + e, e);
        }
    }
}
