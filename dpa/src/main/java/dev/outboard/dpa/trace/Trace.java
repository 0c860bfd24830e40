package dev.outboard.dpa.trace;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A trace of all processes of a device: what happens from its begin to [#close], in the order in
/// which it happened. It holds a limited number of events; later ones are counted and lost. Any
/// thread may use it.
///
/// ```java
/// try (Trace trace = device.trace()) {
///     process.call(LedgerStub.add(word, 5));
///     trace.write(out);
/// }
/// ```
public final class Trace implements AutoCloseable {
    /// How many events a trace of a device holds: about 50 MB.
    public static final int MOST_EVENTS = 1 << 20;

    private static final int FIRST_CAPACITY = 1 << 10;

    private final Tracer tracer;
    private final int mostEvents;
    private final long start;
    private final List<Running> running = new ArrayList<>();
    private Event[] events;
    private long[] nanos;
    private Timeline[] processes;
    private String[] names;
    private int[] whos;
    private int[] values;
    private int[] queues;
    private long[] tokens;
    private int count;
    private final List<Slice> slices = new ArrayList<>();
    private long lost;
    private boolean closed;
    private long end;

    /// What an event is, and what its columns hold.
    enum Event {
        /// A thread (who, name) has got a unit (value).
        BEGIN,
        /// A thread (who, name) gives its unit (value) back.
        END,
        /// A thread (who) begins to run a kernel (name) as rank (value) of so many (queue).
        BEGIN_KERNEL,
        /// A thread (who) has run a kernel.
        END_KERNEL,
        /// A thread or the host (who) rings at a register (value) for a queue; token.
        RING,
        /// A NIC (who) takes the doorbell of a register (value) and a queue; token.
        TAKE,
        /// A NIC (who) executes a command of the host for a queue.
        COMMAND,
        /// A NIC (who) has learned that entries of a queue, which is for something (name), are
        /// posted up to an index (value).
        POSTED,
        /// A NIC (who) begins an entry (value) of a queue: an operation (name) with so many bytes
        /// (token).
        WORK,
        /// A NIC (who) is done with an entry of a queue; the syndrome is the value.
        DONE,
        /// A NIC (who) has handed an entry of a queue to a device of the fabric.
        HAND,
        /// An entry (value) of a queue that was handed on is done, and so are all before it; the
        /// syndrome is the token.
        ENDED,
        /// A NIC (who) writes an entry (token) to a queue, because of a queue pair (value).
        COMPLETE,
        /// A queue activates a thread (who).
        FIRE
    }

    /// A thread that had a unit when the trace was begun.
    record Running(Timeline process, int thread, String name, int unit) {}

    /// What something beside the DPA did, in nanoseconds since the begin.
    record Slice(String group, String track, String name, long from, long to, long flow) {}

    Trace(Tracer tracer, int mostEvents) {
        this.tracer = tracer;
        this.mostEvents = mostEvents;
        start = tracer.nanos();
        int capacity = Math.min(FIRST_CAPACITY, mostEvents);
        events = new Event[capacity];
        nanos = new long[capacity];
        processes = new Timeline[capacity];
        names = new String[capacity];
        whos = new int[capacity];
        values = new int[capacity];
        queues = new int[capacity];
        tokens = new long[capacity];
    }

    /// A thread has a unit now. Told after the begin: if it has got the unit since, that was told,
    /// too.
    public synchronized void running(Timeline process, int thread, String name, int unit) {
        running.add(new Running(process, thread, name, unit));
    }

    /// Something beside the DPA, such as a host program or the function of an FPGA, has done
    /// something. Slices of a track may overlap each other.
    ///
    /// @param group what the track is shown in, such as a process
    /// @param track who did it
    /// @param name what it did
    /// @param fromNanos when it began, by the clock of the trace
    /// @param toNanos when it was done
    /// @param flow a number less than 0 joins it with all others of that number, in traces of other
    ///   processes too; 0 joins it with nothing
    public synchronized void slice(
            String group, String track, String name, long fromNanos, long toNanos, long flow) {
        if (closed) {
            return;
        }
        if (isFull()) {
            lost++;
            return;
        }
        slices.add(
                new Slice(
                        group,
                        track,
                        name,
                        fromNanos - start,
                        Math.max(fromNanos, toNanos) - start,
                        flow));
    }

    /// The time by the clock of the trace.
    public long now() {
        return tracer.nanos();
    }

    /// The time is read while others wait, so that events are in its order.
    synchronized void add(
            Event event, Timeline process, String name, int who, int value, int queue, long token) {
        if (closed) {
            return;
        }
        if (isFull()) {
            lost++;
            return;
        }
        if (count == events.length) {
            grow();
        }
        events[count] = event;
        nanos[count] = tracer.nanos() - start;
        processes[count] = process;
        names[count] = name;
        whos[count] = who;
        values[count] = value;
        queues[count] = queue;
        tokens[count] = token;
        count++;
    }

    private void grow() {
        int capacity = Math.min(2 * count, mostEvents);
        events = Arrays.copyOf(events, capacity);
        nanos = Arrays.copyOf(nanos, capacity);
        processes = Arrays.copyOf(processes, capacity);
        names = Arrays.copyOf(names, capacity);
        whos = Arrays.copyOf(whos, capacity);
        values = Arrays.copyOf(values, capacity);
        queues = Arrays.copyOf(queues, capacity);
        tokens = Arrays.copyOf(tokens, capacity);
    }

    /// How many events it holds.
    public synchronized int events() {
        return count + slices.size();
    }

    /// How many of them the machine has told.
    synchronized int told() {
        return count;
    }

    /// Whether what comes now is lost.
    public synchronized boolean isFull() {
        return events() >= mostEvents;
    }

    /// How many events came when it was full, and are not in it.
    public synchronized long lost() {
        return lost;
    }

    /// Ends the trace and writes it, as Perfetto reads it: packets of track descriptors and track
    /// events, with times since the begin.
    public void write(OutputStream out) throws IOException {
        write(out, 0);
    }

    /// The same as a part of a file that holds several traces, one after the other.
    ///
    /// @param part tells it from the other traces of the file
    public void write(OutputStream out, int part) throws IOException {
        close();
        new TrackEvents(this, part, 0, out).write();
    }

    /// The same with times as the clock has them: so traces of the processes of one machine fit
    /// together.
    public void writeAbsolute(OutputStream out, int part) throws IOException {
        close();
        new TrackEvents(this, part, start, out).write();
    }

    /// Ends traces of one process and writes them to one file, as [#writeAbsolute] does.
    public static void writeAll(List<Trace> traces, OutputStream out) throws IOException {
        for (int part = 0; part < traces.size(); part++) {
            traces.get(part).writeAbsolute(out, part);
        }
    }

    /// Ends the trace. What it holds can still be written.
    @Override
    public void close() {
        tracer.end(this);
        synchronized (this) {
            if (!closed) {
                closed = true;
                end = tracer.nanos() - start;
            }
        }
    }

    // What it holds once it has ended, for whoever writes it.

    String clockName() {
        return tracer.clockName();
    }

    /// The time of what has not ended before.
    long end() {
        return lost > 0 && count > 0 ? nanos[count - 1] : end;
    }

    List<Running> running() {
        return running;
    }

    List<Slice> slices() {
        return slices;
    }

    Event event(int index) {
        return events[index];
    }

    long nanos(int index) {
        return nanos[index];
    }

    Timeline process(int index) {
        return processes[index];
    }

    String name(int index) {
        return names[index];
    }

    int who(int index) {
        return whos[index];
    }

    int value(int index) {
        return values[index];
    }

    int queue(int index) {
        return queues[index];
    }

    long token(int index) {
        return tokens[index];
    }
}
