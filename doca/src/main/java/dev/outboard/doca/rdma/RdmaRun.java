package dev.outboard.doca.rdma;

import dev.outboard.doca.CtxRun;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.Task;
import dev.outboard.fabric.Device;
import java.util.List;

/// What an [Rdma] context does from start to stop: its connections and its tasks progress in turn.
final class RdmaRun implements CtxRun {
    private final Owner owner;
    private final Device device;
    private final RdmaControlPath control;
    private final RdmaDataPath data;

    private RdmaRun(Owner owner, Device device, RdmaControlPath control, RdmaDataPath data) {
        this.owner = owner;
        this.device = device;
        this.control = control;
        this.data = data;
    }

    static RdmaRun open(
            Rdma rdma, Owner owner, RdmaConfiguration configuration, RdmaControlPath control) {
        Device device = control.device();
        CompletionStream completions =
                new CompletionStream(
                        device.createCompletionQueue(
                                configuration.maxCompletions(), owner.engine().channel(device)));
        try {
            ReceiveQueue receives =
                    new ReceiveQueue(
                            control.domain(),
                            configuration.recvQueueSize(),
                            configuration.receiveDstBufListLen());
            Connections connections = control.open(completions, receives);
            RdmaDataPath data =
                    new RdmaDataPath(rdma, owner, control, connections, completions, receives);
            return new RdmaRun(owner, device, control, data);
        } catch (RuntimeException e) {
            completions.close();
            throw e;
        }
    }

    RdmaDataPath dataPath() {
        return data;
    }

    @Override
    public CtxState begin() {
        return control.begin();
    }

    @Override
    public int poll(int max) {
        int done = control.poll(max);
        while (done < max && data.completeOne()) {
            done++;
        }
        if (done < max && !data.hasBrokenReceives()) {
            done += control.letGo();
        }
        done += control.askTheSilent();
        if (done == 0) {
            done = device.isOpen() ? data.lookForFailures() : data.loseDevice();
        }
        if (owner.state() == CtxState.STOPPING && done < max) {
            done += flushReceives();
        }
        return done;
    }

    /// What no connection took ends when no connection is left that could.
    private int flushReceives() {
        return isShut() ? data.flushReceives() : 0;
    }

    @Override
    public boolean arm() {
        return data.arm() || control.hasWork() || !device.isOpen();
    }

    @Override
    public long lookAgainNanos() {
        return control.lookAgainNanos();
    }

    @Override
    public DocaError submitAll(List<? extends Task> tasks, boolean strictly, boolean flushing) {
        return data.submitAll(tasks, strictly, flushing);
    }

    /// Only requests are held back; a receive is there for the peer at once.
    @Override
    public void flush() {
        data.flush();
    }

    @Override
    public void shut() {
        control.shut();
    }

    @Override
    public boolean isShut() {
        return control.isShut();
    }

    @Override
    public void release() {
        control.release();
        data.close();
    }
}
