package dev.outboard.dpa.trace;

import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.trace.Trace.Event;

/// Of a NIC: what it does, for whoever takes a trace. Only its actor calls it.
public final class NicTimeline {
    private static final NicTimeline OFF = new NicTimeline(Timeline.OFF, 0);

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
        process.nic(Event.TAKE, actor, register, Doorbell.number(register, value), token);
    }

    /// What it has taken last was a command of the host for that queue.
    public void command(int queue) {
        process.nic(Event.COMMAND, actor, 0, queue, 0);
    }

    /// It begins to execute an entry of a queue pair.
    public void begin(int queue, int index) {
        process.nic(Event.WORK, actor, index, queue, 0);
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
        process.nic(Event.DONE, actor, syndrome, queue, 0);
        working = NONE;
    }

    /// It has written a completion entry.
    public void complete(int queue, long index) {
        process.nic(Event.COMPLETE, actor, working, queue, index);
    }

    /// A completion queue activates its handler.
    public void fire(int queue, ThreadHandle handler) {
        process.nic(Event.FIRE, handler.number(), 0, queue, 0);
    }
}
