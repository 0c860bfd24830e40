package dev.outboard.dpa.cc;

/// The numbers of the environment calls: those of `outboard_ecall.h`, by the same names.
final class CallNumbers {
    static final int THREAD_RESCHEDULE = 0x01;
    static final int THREAD_FINISH = 0x02;
    static final int THREAD_RETRIGGER = 0x03;
    static final int PROCESS_FINISH = 0x04;
    static final int YIELD = 0x05;
    static final int ERROR = 0x06;
    static final int SPIN_LOCK = 0x07;
    static final int OUTBOX_CONFIG = 0x10;
    static final int OUTBOX_CONFIG_FAST = 0x11;
    static final int OUTBOX_CONFIG_UAR = 0x12;
    static final int WINDOW_CONFIG = 0x20;
    static final int WINDOW_KEY_CONFIG = 0x21;
    static final int MESSAGE = 0x30;
    static final int THREAD_NUMBER = 0x40;
    static final int THREAD_LOCAL_STORAGE = 0x41;
    static final int ERRNO = 0x42;
    static final int RESET_ERRNO = 0x43;

    static final int DOCA_THREAD_RANK = 0x100;
    static final int DOCA_NUM_THREADS = 0x101;
    static final int DOCA_YIELD = 0x102;
    static final int DOCA_RESCHEDULE = 0x103;
    static final int DOCA_FINISH = 0x104;
    static final int DOCA_LOCAL_STORAGE = 0x105;
    static final int DOCA_DEVICE_SET = 0x106;
    static final int DOCA_NOTIFY = 0x107;
    static final int DOCA_LOG = 0x108;
    static final int DOCA_TRACE = 0x109;

    static final int DOCA_HASH_ADD = 0x110;
    static final int DOCA_HASH_REMOVE = 0x111;
    static final int DOCA_HASH_FIND = 0x112;

    static final int DOCA_COMPLETION_NEXT = 0x120;
    static final int DOCA_COMPLETION_TYPE = 0x121;
    static final int DOCA_COMPLETION_USER_DATA = 0x122;
    static final int DOCA_COMPLETION_IMMEDIATE = 0x123;
    static final int DOCA_COMPLETION_BYTES = 0x124;
    static final int DOCA_COMPLETION_COUNTER = 0x125;
    static final int DOCA_COMPLETION_QUEUE = 0x126;
    static final int DOCA_COMPLETION_SYNDROME = 0x127;
    static final int DOCA_COMPLETION_ACK = 0x128;
    static final int DOCA_COMPLETION_REQUEST = 0x129;

    static final int DOCA_BUF = 0x140;
    static final int DOCA_BUF_ADDRESS = 0x141;
    static final int DOCA_BUF_LENGTH = 0x142;
    static final int DOCA_BUF_POINTER = 0x143;
    static final int DOCA_MMAP_POINTER = 0x144;
    static final int DOCA_COPY_BEGIN = 0x145;
    static final int DOCA_TRANSPOSE_BEGIN = 0x146;
    static final int DOCA_COPIES_AWAIT = 0x147;
    static final int DOCA_COPY_POST = 0x148;
    static final int DOCA_BUF_COPY_POST = 0x149;

    static final int DOCA_EVENT_GET = 0x160;
    static final int DOCA_EVENT_SET = 0x161;
    static final int DOCA_EVENT_ADD = 0x162;
    static final int DOCA_EVENT_WAIT = 0x163;
    static final int DOCA_EVENT_POST_GREATER = 0x164;
    static final int DOCA_EVENT_POST_OTHER = 0x165;

    static final int DOCA_RDMA_WRITE = 0x180;
    static final int DOCA_RDMA_WRITE_IMMEDIATE = 0x181;
    static final int DOCA_RDMA_READ = 0x182;
    static final int DOCA_RDMA_SEND = 0x183;
    static final int DOCA_RDMA_SEND_IMMEDIATE = 0x184;
    static final int DOCA_RDMA_RECEIVE = 0x185;
    static final int DOCA_RDMA_ADD = 0x186;
    static final int DOCA_RDMA_SIGNAL_SET = 0x187;
    static final int DOCA_RDMA_SIGNAL_ADD = 0x188;
    static final int DOCA_RDMA_AWAIT = 0x189;

    static final int DOCA_RDMA_BUF_WRITE = 0x1A0;
    static final int DOCA_RDMA_BUF_WRITE_IMMEDIATE = 0x1A1;
    static final int DOCA_RDMA_BUF_READ = 0x1A2;
    static final int DOCA_RDMA_BUF_SEND = 0x1A3;
    static final int DOCA_RDMA_BUF_SEND_IMMEDIATE = 0x1A4;
    static final int DOCA_RDMA_BUF_RECEIVE = 0x1A5;
    static final int DOCA_RDMA_BUF_ADD = 0x1A6;

    static final int DOCA_RDMA_PART_WRITE = 0x1B0;
    static final int DOCA_RDMA_PART_READ = 0x1B1;
    static final int DOCA_RDMA_PART_SEND = 0x1B2;
    static final int DOCA_RDMA_PART_RECEIVE = 0x1B3;
    static final int DOCA_RDMA_PART_ADD = 0x1B4;

    /// From here on they are those of who runs the program.
    static final int OTHERS = 0x1000;

    /// From here on they are those of DOCA DPA.
    static final int FIRST_OF_DOCA = DOCA_THREAD_RANK;

    private CallNumbers() {}
}
