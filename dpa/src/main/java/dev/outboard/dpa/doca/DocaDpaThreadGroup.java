package dev.outboard.dpa.doca;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// DPA-TH-5: threads of the DPA that work together: DOCA's `doca_dpa_tg`. Each has a rank in it, by
/// which device code finds its part. Any thread of the host may use it.
///
/// ```java
/// DocaDpaThreadGroup group = DocaDpaThreadGroup.create(dpa, 2).thread(first, 0).thread(second, 1).start();
/// first.run();
/// second.run();
/// ```
public final class DocaDpaThreadGroup implements AutoCloseable {
    /// The most threads of a group.
    private static final int MOST = 1 << 10;

    private final Lifecycle lifecycle;

    /// By their ranks.
    private final @Nullable DocaDpaThread[] threads;

    private DocaDpaThreadGroup(DocaDpa dpa, int size) {
        lifecycle = new Lifecycle(dpa, "DPA thread group");
        threads = new @Nullable DocaDpaThread[size];
    }

    /// `doca_dpa_thread_group_create`: a group without threads.
    ///
    /// @param size how many threads it will have
    /// @throws DocaException with INVALID_VALUE if the size is none
    public static DocaDpaThreadGroup create(DocaDpa dpa, int size) {
        if (size < 1 || size > MOST) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "a group of %d threads; valid: 1 to %d".formatted(size, MOST));
        }
        return new DocaDpaThreadGroup(dpa, size);
    }

    /// `doca_dpa_thread_group_get_num_threads`: how many threads it has.
    public int size() {
        return threads.length;
    }

    /// `doca_dpa_thread_group_set_thread`: gives a thread a rank. The thread may be started, but
    /// does not run yet.
    ///
    /// @param rank from 0 on
    /// @return this
    /// @throws DocaException with BAD_STATE if the group is started or closed, or the thread runs;
    ///   with INVALID_VALUE if there is no such rank, another thread has it, or the thread is in a
    ///   group or of another context
    public DocaDpaThreadGroup thread(DocaDpaThread thread, int rank) {
        DocaException.nonNull(thread, "thread");
        synchronized (lifecycle) {
            lifecycle.requireIdle();
            if (rank < 0 || rank >= threads.length || threads[rank] != null) {
                throw lifecycle.refuse(
                        DocaError.INVALID_VALUE,
                        "has no free rank %d; it has ranks 0 to %d"
                                .formatted(rank, threads.length - 1));
            }
            thread.join(this, lifecycle.context(), rank);
            threads[rank] = thread;
        }
        return this;
    }

    /// `doca_dpa_thread_group_start`: its threads can run from now on.
    ///
    /// @return this
    /// @throws DocaException with BAD_STATE if a rank has no thread, the group is started or
    ///   closed, or its context is not started
    public DocaDpaThreadGroup start() {
        synchronized (lifecycle) {
            long missing = Arrays.stream(threads).filter(Objects::isNull).count();
            if (missing > 0) {
                throw lifecycle.refuse(
                        DocaError.BAD_STATE,
                        "has no thread for %d of its %d ranks".formatted(missing, threads.length));
            }
            lifecycle.start(_ -> {});
        }
        return this;
    }

    boolean isStarted() {
        return lifecycle.isStarted();
    }

    /// `doca_dpa_thread_group_stop`: no thread of it begins to run any more; those that run keep
    /// their ranks. Does nothing if it is not started.
    public void stop() {
        lifecycle.stop();
    }

    /// `doca_dpa_thread_group_destroy`: stops it, and gives it up: its threads are in no group.
    /// Closing twice is harmless.
    @Override
    public void close() {
        synchronized (lifecycle) {
            lifecycle.stop();
            for (int rank = 0; rank < threads.length; rank++) {
                DocaDpaThread thread = threads[rank];
                if (thread != null) {
                    thread.leave();
                    threads[rank] = null;
                }
            }
            lifecycle.close();
        }
    }
}
