package dev.outboard.dpa.trace;

import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.trace.Trace.Event;

/// Of a process: what the machine tells of it to whoever takes a trace. Any thread may call it.
public final class Timeline {
    /// One that nobody looks at.
    public static final Timeline OFF = new Timeline(new Tracer("", () -> 0));

    /// In place of the number of a thread: the host.
    static final int HOST = -1;

    private final Tracer tracer;
    private volatile String name = "";

    /// Of a process of that machine.
    public Timeline(Tracer tracer) {
        this.tracer = tracer;
    }

    /// Names the process.
    public void name(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    /// A thread has got an execution unit.
    public void begin(ThreadHandle thread, int unit) {
        Trace trace = tracer.current();
        if (trace != null) {
            trace.add(Event.BEGIN, this, thread.name(), thread.number(), unit, 0, 0);
        }
    }

    /// A thread gives its execution unit back.
    public void end(ThreadHandle thread, int unit) {
        Trace trace = tracer.current();
        if (trace != null) {
            trace.add(Event.END, this, thread.name(), thread.number(), unit, 0, 0);
        }
    }

    /// A thread begins to run a kernel, as that rank of so many.
    public void beginKernel(int thread, String function, int rank, int threads) {
        Trace trace = tracer.current();
        if (trace != null) {
            trace.add(Event.BEGIN_KERNEL, this, function, thread, rank, threads, 0);
        }
    }

    /// A thread has run a kernel.
    public void endKernel(int thread) {
        Trace trace = tracer.current();
        if (trace != null) {
            trace.add(Event.END_KERNEL, this, "", thread, 0, 0, 0);
        }
    }

    /// A doorbell is rung.
    ///
    /// @param thread number of the thread, or less than 0 if it is the host
    /// @param token tells it from all other doorbells of the process
    public void ring(int thread, int register, int queue, long token) {
        Trace trace = tracer.current();
        if (trace != null) {
            trace.add(Event.RING, this, "", Math.max(thread, HOST), register, queue, token);
        }
    }

    /// What a NIC does.
    void nic(Event event, String name, int who, int value, int queue, long token) {
        Trace trace = tracer.current();
        if (trace != null) {
            trace.add(event, this, name, who, value, queue, token);
        }
    }
}
