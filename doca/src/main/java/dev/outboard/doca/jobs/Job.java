package dev.outboard.doca.jobs;

import org.jspecify.annotations.Nullable;

/// What a [WorkQueue] is asked to do (`doca_job` and what begins with it). Immutable: a job may be
/// submitted any number of times; the buffers it names must not be touched before its event is
/// retrieved.
///
/// The peer address that send-side jobs of C have, and nothing used, has no counterpart that does
/// anything: it is taken and ignored.
///
/// DJOB-BASE-1, DJOB-TYPE-3, DJAVA-RDMA-7: four structures with a common start.
public sealed interface Job permits RecvJob, SendJob, ReadWriteJob, AtomicJob {
    /// The only flags there are (`DOCA_JOB_FLAGS_NONE`).
    int NO_FLAGS = 0;

    /// What it does; one of the types its structure is for.
    JobType type();

    /// [#NO_FLAGS].
    int flags();

    /// The instance that runs it.
    RdmaInstance ctx();

    /// Comes back with the event.
    @Nullable Object userData();
}
