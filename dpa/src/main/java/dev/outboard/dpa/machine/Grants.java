package dev.outboard.dpa.machine;

import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// DPA-FXW-1, DPA-FXO-5: what the host has made for the threads of a process to configure: windows,
/// outboxes and UARs, by their numbers. Host threads add and remove them at any time.
public final class Grants {
    private final Map<Integer, Integer> windows = new ConcurrentHashMap<>();
    private final Map<Integer, Integer> outboxes = new ConcurrentHashMap<>();
    private final Set<Integer> uars = ConcurrentHashMap.newKeySet();

    /// None.
    public Grants() {}

    /// Adds a window.
    ///
    /// @param domain the protection domain whose keys it takes
    public void addWindow(int number, int domain) {
        windows.put(number, domain);
    }

    /// Takes a window back. Threads that have configured it keep what they have.
    public void removeWindow(int number) {
        windows.remove(number);
    }

    /// The protection domain of a window, if there is one of that number.
    public OptionalInt domainOfWindow(int number) {
        return optional(windows.get(number));
    }

    /// Adds an outbox.
    ///
    /// @param uar whose queues its doorbells may be for
    public void addOutbox(int number, int uar) {
        outboxes.put(number, uar);
    }

    /// Takes an outbox back. Threads that have configured it keep what they have.
    public void removeOutbox(int number) {
        outboxes.remove(number);
    }

    /// Adds a UAR that threads may open an outbox for in place of that of the outbox.
    public void addUar(int number) {
        uars.add(number);
    }

    /// Takes a UAR back. Threads that have configured it keep what they have.
    public void removeUar(int number) {
        uars.remove(number);
    }

    /// Whether there is a UAR of that number.
    public boolean hasUar(int number) {
        return uars.contains(number);
    }

    /// The UAR of an outbox, if there is one of that number.
    public OptionalInt uarOfOutbox(int number) {
        return optional(outboxes.get(number));
    }

    private static OptionalInt optional(@Nullable Integer value) {
        return value == null ? OptionalInt.empty() : OptionalInt.of(value);
    }
}
