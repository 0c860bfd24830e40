package dev.outboard.bench.doca;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.doca.rdma.RdmaTask;
import dev.outboard.doca.rdma.ReadTask;
import dev.outboard.doca.rdma.RequestTask;
import dev.outboard.doca.rdma.WriteTask;
import java.util.Objects;

/// Writes or reads as fast as they go, submitted again in their callbacks. The far end only
/// progresses.
final class DocaStream implements Ours.Subject {
    private static final double NANOS_PER_SECOND = 1e9;

    private final long bytes;
    private final boolean countsBytes;
    private final DocaEnd near;
    private final DocaEnd far;
    private final RequestTask[] tasks;
    private final Thread target;
    private volatile boolean stopping;
    private boolean resubmits;
    private long done;
    private long submitted;

    /// @param outstanding tasks in flight
    /// @param countsBytes whether the result is bytes per second, not tasks
    DocaStream(boolean writes, long bytes, int outstanding, boolean countsBytes) {
        this.bytes = bytes;
        this.countsBytes = countsBytes;
        near = new DocaEnd(bytes, outstanding, this::again);
        far = new DocaEnd(bytes, 1, _ -> {});
        DocaEnd.connect(near, far);
        tasks = new RequestTask[outstanding];
        for (int i = 0; i < outstanding; i++) {
            tasks[i] =
                    near.kept(
                            writes
                                    ? near.peer().allocWrite(near.data(), near.remoteRoom())
                                    : near.peer().allocRead(near.remoteData(), near.room()));
        }
        target = Thread.ofPlatform().daemon().name("target").start(this::drive);
    }

    @Override
    public double run(long nanos) {
        long start = System.nanoTime();
        done = 0;
        submitted = 0;
        resubmits = true;
        for (RequestTask task : tasks) {
            submit(task);
        }
        while (System.nanoTime() - start < nanos) {
            near.progress();
        }
        resubmits = false;
        while (done < submitted) {
            near.progress();
        }
        double perSecond = done * NANOS_PER_SECOND / (System.nanoTime() - start);
        return countsBytes ? perSecond * bytes : perSecond;
    }

    private void again(RdmaTask task) {
        done++;
        if (task instanceof WriteTask write) {
            Objects.requireNonNull(write.dst()).resetDataLen();
        } else if (task instanceof ReadTask read) {
            Objects.requireNonNull(read.dst()).resetDataLen();
        }
        if (resubmits) {
            submit(task);
        }
    }

    private void submit(RdmaTask task) {
        submitted++;
        DocaEnd.submit(task);
    }

    private void drive() {
        far.bind();
        while (!stopping) {
            far.progress();
        }
        far.close();
    }

    @Override
    public void close() {
        stopping = true;
        Ours.join(target);
        near.close();
        near.release();
        far.release();
    }
}
