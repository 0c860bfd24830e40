package dev.outboard.fabric.verbs;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Locale;
import java.util.Map;

/// One number per constant of an enum, counted by one thread and readable by all.
///
/// @param <E> what is counted
public final class Counters<E extends Enum<E>> {
    private static final VarHandle VALUES = MethodHandles.arrayElementVarHandle(long[].class);

    private final E[] names;
    private final long[] values;

    /// Zeros for every constant of `type`.
    public Counters(Class<E> type) {
        names = type.getEnumConstants();
        values = new long[names.length];
    }

    /// Adds 1.
    public void increment(E name) {
        add(name, 1);
    }

    /// Adds `amount`. Only the thread that drives the device calls this.
    public void add(E name, long amount) {
        VALUES.setOpaque(values, name.ordinal(), values[name.ordinal()] + amount);
    }

    /// Sets all to 0. Only the thread that drives the device calls this.
    public void clear() {
        for (int i = 0; i < values.length; i++) {
            VALUES.setOpaque(values, i, 0L);
        }
    }

    /// The present value; any thread.
    public long get(E name) {
        return (long) VALUES.getOpaque(values, name.ordinal());
    }

    /// All together; any thread.
    public long total() {
        long total = 0;
        for (E name : names) {
            total += get(name);
        }
        return total;
    }

    /// Puts every counter into `into`, named `prefix` and the constant in lower case with dashes.
    public void copyTo(Map<String, Long> into, String prefix) {
        for (E name : names) {
            into.put(prefix + name.name().toLowerCase(Locale.ROOT).replace('_', '-'), get(name));
        }
    }
}
