package dev.outboard.doca.rdma;

/// What filled a receive (`doca_rdma_opcode`); the ordinal is DOCA's number.
public enum RecvOpcode {
    RECV_SEND,
    RECV_SEND_WITH_IMM,
    RECV_WRITE_WITH_IMM
}
