package dev.outboard.dpa.trace;

import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.trace.Trace.Event;

/// Of a NIC: what it does, for whoever takes a trace. Only its actor calls it.
public final class NicTimeline {
    private static final NicTimeline OFF = new NicTimeline(Timeline.OFF, 0);

    private static final String SKIPPED = "flushed entry";

    /// In place of the number of a queue.
    static final int NONE = -1;

    private final Timeline process;
    private final int actor;

    /// The queue pair whose entry is being executed.
    private int working = NONE;

    /// Of that actor of a process.
    public NicTimeline(Timeline process, int actor) {
        this.process = process;
        this.actor = actor;
    }

    /// An actor that has one.
    public interface Source {
        /// Its own.
        NicTimeline timeline();
    }

    /// That of a NIC.
    public static NicTimeline of(Nic nic) {
        return nic instanceof Source source ? source.timeline() : OFF;
    }

    /// It has taken a doorbell.
    public void take(int register, long value, long token) {
        process.nic(Event.TAKE, "", actor, register, Doorbell.number(register, value), token);
    }

    /// What it has taken last was a command of the host for that queue.
    public void command(int queue) {
        process.nic(Event.COMMAND, "", actor, 0, queue, 0);
    }

    /// It has learned that entries of a queue, which is for that, are posted up to an index.
    public void posted(int queue, String purpose, int index) {
        process.nic(Event.POSTED, purpose, actor, index, queue, 0);
    }

    /// It begins to execute an entry of a queue, which is that operation with so many bytes.
    public void begin(int queue, int index, String operation, int byteCount) {
        process.nic(Event.WORK, operation, actor, index, queue, byteCount);
    }

    /// It flushes an entry of a queue, and has not looked at what that asks for.
    public void skip(int queue, int index) {
        process.nic(Event.WORK, SKIPPED, actor, index, queue, 0);
    }

    /// It executes that entry now.
    public void resume(int queue) {
        working = queue;
    }

    /// The entry waits for an answer.
    public void pause() {
        working = NONE;
    }

    /// The entry is done.
    public void end(int queue, int syndrome) {
        process.nic(Event.DONE, "", actor, syndrome, queue, 0);
        working = NONE;
    }

    /// The entry was handed to a device of the fabric, which tells when it is done.
    public void hand(int queue) {
        process.nic(Event.HAND, "", actor, 0, queue, 0);
        working = NONE;
    }

    /// An entry of that index that was handed on is done, and so are all before it.
    public void ended(int queue, int index, int syndrome) {
        process.nic(Event.ENDED, "", actor, index, queue, syndrome);
    }

    /// It has written a completion entry.
    public void complete(int queue, long index) {
        process.nic(Event.COMPLETE, "", actor, working, queue, index);
    }

    /// A completion queue activates its handler.
    public void fire(int queue, ThreadHandle handler) {
        process.nic(Event.FIRE, "", handler.number(), 0, queue, 0);
    }
}
