package dev.outboard.doca.jobs;

import dev.outboard.doca.rdma.RdmaTask;

/// What a job does (`DOCA_RDMA_JOB_…`).
///
/// DJOB-TYPE-1, DJOB-TYPE-2: all eight.
public enum JobType {
    RECV,
    SEND,
    SEND_IMM,
    READ,
    WRITE,
    WRITE_IMM,
    ATOMIC_CMP_SWP,
    ATOMIC_FETCH_ADD;

    /// The type of the job that became `task`.
    static JobType of(RdmaTask task) {
        return switch (task.type()) {
            case RECEIVE -> RECV;
            case SEND -> SEND;
            case SEND_IMM -> SEND_IMM;
            case READ -> READ;
            case WRITE -> WRITE;
            case WRITE_IMM -> WRITE_IMM;
            case ATOMIC_CMP_SWP -> ATOMIC_CMP_SWP;
            case ATOMIC_FETCH_ADD -> ATOMIC_FETCH_ADD;
            default -> throw new IllegalArgumentException(task.type() + " is no job");
        };
    }
}
