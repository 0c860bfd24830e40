package dev.outboard.bench.doca;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.RoundTripTimes;
import dev.outboard.doca.Buf;
import dev.outboard.doca.rdma.Be32;
import dev.outboard.doca.rdma.RdmaTask;
import dev.outboard.doca.rdma.ReceiveTask;
import dev.outboard.doca.rdma.RequestTask;
import dev.outboard.doca.rdma.WriteImmTask;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Round trips of tasks: a send, or a write with immediate, comes back as another.
final class DocaLatency implements Ours.Subject {
    /// Several, because the one sent last may not be acknowledged when the answer is there.
    private static final int REQUESTS = 4;

    private final Side near;
    private final Side far;
    private final Thread echo;
    private final RoundTripTimes times = new RoundTripTimes();
    private volatile boolean stopping;

    DocaLatency(boolean writes, int bytes) {
        near = new Side(bytes);
        far = new Side(bytes);
        DocaEnd.connect(near.end, far.end);
        near.prepare(writes);
        echo = Thread.ofPlatform().daemon().name("echo").start(() -> echo(writes));
    }

    @Override
    public double run(long nanos) {
        return times.median(
                nanos,
                () -> {
                    near.request();
                    near.await();
                });
    }

    private void echo(boolean writes) {
        far.end.bind();
        far.prepare(writes);
        while (!stopping) {
            if (far.poll()) {
                far.request();
            }
        }
        far.end.close();
    }

    @Override
    public void close() {
        stopping = true;
        Ours.join(echo);
        near.end.close();
        near.end.release();
        far.end.release();
    }

    /// One end, its receive and its requests.
    private static final class Side {
        private final DocaEnd end;
        private final RequestTask[] requests = new RequestTask[REQUESTS];
        private @Nullable ReceiveTask receive;
        private boolean arrived;
        private int unfinished;
        private int next;

        Side(int bytes) {
            end = new DocaEnd(bytes, REQUESTS, this::done);
        }

        void prepare(boolean writes) {
            for (int i = 0; i < REQUESTS; i++) {
                requests[i] = end.kept(request(writes));
            }
            receive = end.kept(end.rdma().allocReceive(writes ? null : end.room()));
            DocaEnd.submit(receive);
        }

        private RequestTask request(boolean writes) {
            return writes
                    ? end.peer().allocWriteImm(end.data(), end.remoteRoom(), Be32.ofHost(1))
                    : end.peer().allocSend(end.data());
        }

        private void done(RdmaTask task) {
            if (task == receive) {
                arrived = true;
            } else {
                unfinished--;
                if (task instanceof WriteImmTask write) {
                    Objects.requireNonNull(write.dst()).resetDataLen();
                }
            }
        }

        void request() {
            while (unfinished == REQUESTS) {
                end.progress();
            }
            unfinished++;
            DocaEnd.submit(requests[next++ % REQUESTS]);
        }

        /// Takes what arrived, if there is anything, and makes room for the next.
        boolean poll() {
            end.progress();
            if (!arrived) {
                return false;
            }
            arrived = false;
            ReceiveTask again = Objects.requireNonNull(receive);
            Buf dst = again.dst();
            if (dst != null) {
                dst.resetDataLen();
            }
            DocaEnd.submit(again);
            return true;
        }

        void await() {
            while (!poll()) {
                // Polling waits.
            }
        }
    }
}
