package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// DPA-SYS-4: the life of a process of the host. What it makes on devices lives no longer than it
/// does; a virtual machine of Java may have several.
///
/// ```java
/// try (HostProcess host = HostProcess.open();
///         FlexioProcess process = FlexioProcess.create(host, device, CounterStub.APP)) {
///     long count = process.call(CounterStub.count());
/// }
/// ```
///
/// Any thread may use it.
public final class HostProcess implements AutoCloseable {
    /// The latest first.
    private final Deque<FlexioProcess> processes = new ArrayDeque<>();

    private final List<FlexioPd> domains = new ArrayList<>();
    private boolean closed;

    private final boolean onHost;
    private final int function;

    private HostProcess(boolean onHost, int function) {
        this.onHost = onHost;
        this.function = function;
    }

    /// DPA-HW-16: a process on the processors of the device itself, in the role of the DPU: it may
    /// use all functions of the NIC.
    public static HostProcess open() {
        return new HostProcess(false, 0);
    }

    /// DPA-HW-16: a process of the host that the device sits in. It sees one function of the NIC,
    /// and uses no other.
    public static HostProcess openOnHost(int function) {
        return new HostProcess(true, function);
    }

    /// The function that it uses unless told otherwise.
    int function() {
        return function;
    }

    /// DPA-FXO-2, DPA-HW-16: a host cannot choose.
    void checkFunction(int asked) {
        if (onHost && asked != function) {
            throw FlexioException.refuse(
                    Reason.NOT_PERMITTED,
                    "A process of the host uses function %d of the NIC, not %d"
                            .formatted(function, asked));
        }
    }

    /// DPA-SYS-2: no process of the DPA without one of the host.
    ///
    /// @throws FlexioException if this one is gone
    synchronized void adopt(FlexioProcess process) {
        check();
        processes.push(process);
    }

    /// A protection domain that its processes share.
    ///
    /// @throws FlexioException if this one is gone
    synchronized FlexioPd adopt(FlexioPd domain) {
        check();
        domains.add(domain);
        return domain;
    }

    synchronized void forget(FlexioPd domain) {
        domains.remove(domain);
    }

    synchronized void release(FlexioProcess process) {
        processes.remove(process);
    }

    /// DPA-ERR-24: a call of a host process that is gone.
    synchronized void check() {
        if (closed) {
            throw FlexioException.refuse(
                    Reason.HOST_PROCESS_GONE, "The host process has been closed");
        }
    }

    /// DPA-SYS-3: everything that it has made goes, the latest first. Threads of the DPA are
    /// stopped at their next instruction.
    @Override
    public void close() {
        while (true) {
            FlexioProcess next;
            synchronized (this) {
                closed = true;
                next = processes.poll();
                if (next == null) {
                    domains.forEach(FlexioObject::abandon);
                    domains.clear();
                    return;
                }
            }
            next.close();
        }
    }
}
