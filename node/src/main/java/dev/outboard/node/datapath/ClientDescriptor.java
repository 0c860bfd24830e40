package dev.outboard.node.datapath;

import dev.outboard.dpacc.DpaLibrary;

/// What a handler knows of its client, in DPA memory: words of 8 bytes at these offsets. Its
/// address is the client's handle.
@DpaLibrary
final class ClientDescriptor {
    static final int OUTBOX = 0;
    static final int WINDOW = 8;

    // The completion queue

    static final int COMPLETIONS = 16;
    static final int COMPLETION_RING = 24;
    static final int COMPLETION_RECORD = 32;
    static final int LOG_COMPLETIONS = 40;

    /// How many completions were taken.
    static final int TAKEN = 48;

    // The queue pair

    static final int QUEUE = 56;
    static final int SEND_RING = 64;
    static final int LOG_SENDS = 72;

    /// How many blocks were posted, and how many of these have ended.
    static final int POSTED = 80;

    static final int ENDED = 88;

    /// Who posts holds it: the handler, or the host.
    static final int LOCK = 96;

    static final int RECEIVE_RECORD = 104;

    /// How many receives were posted.
    static final int RECEIVES = 112;

    /// Where the buffers of receives are, one after the other, [#MESSAGE_BYTES] each.
    static final int BUFFERS = 120;

    // Mail to the host

    /// What interrupts it.
    static final int HOST_BELL = 128;

    static final int MAIL = 136;

    /// How many mails were written, and how many of these the host has read.
    static final int MAILED = 144;

    static final int READ = 152;

    /// 1 once something has failed.
    static final int FAILED = 264;

    // What the host sends

    static final int OUTGOING = 160;
    static final int OUTGOING_KEY = 168;

    // The calls

    /// 1 once there are regions.
    static final int READY = 176;

    /// How many calls have begun, and how many of these were answered.
    static final int CALLS = 184;

    static final int ANSWERS = 192;

    /// The bytes of results.
    static final int BYTES = 200;

    /// The cycles that the calls have taken of the handler's unit, and when the current one began.
    static final int CYCLES = 208;

    static final int BEGAN = 216;

    /// The immediate value of the current call.
    static final int IMMEDIATE = 224;

    /// Memory for the handler.
    static final int SCRATCH = 232;

    static final int SCRATCH_BYTES = 240;

    /// The registers of the function behind it, 0 if there is none, and the key of these.
    static final int REGISTERS = 248;

    static final int REGISTERS_KEY = 256;

    /// When the activation began, in ticks counted from 1; 0 until its first look for a call.
    static final int ACTIVATED = 272;

    static final int REGIONS = 280;

    /// Which function codes are offered: a bit each, from bit 0 of the first word on.
    static final int FUNCTION_CODES = 288;

    private static final int FIRST_REGION = 304;

    // Of a region

    static final int KEY = 0;
    static final int ADDRESS = 8;
    static final int SIZE = 16;

    /// As the client has marked it.
    static final int FLAGS = 24;

    static final int PEER_ADDRESS = 32;
    static final int PEER_KEY = 40;

    /// Where the function finds it.
    static final int LINE_ADDRESS = 48;

    /// 1 if it is behind the window, 0 if it is memory of the DPA.
    static final int WINDOWED = 56;

    /// Where it lies in the NAA's memory.
    static final int NAA_ADDRESS = 64;

    private static final int REGION_BYTES = 72;

    // Of a mail: what has completed, and for a message what it says

    static final int OPCODE = 0;
    static final int BYTE_COUNT = 8;
    static final int ANY_IMMEDIATE = 16;
    static final int SYNDROME = 24;
    static final int TEXT = 32;

    /// A message has so many bytes at most.
    static final int MESSAGE_BYTES = 6144;

    static final int MAIL_BYTES = TEXT + MESSAGE_BYTES;

    /// How many receives are posted, and how many mails there is room for.
    static final int DEPTH = 4;

    private ClientDescriptor() {}

    /// Where a region is described.
    static int region(int index) {
        return FIRST_REGION + index * REGION_BYTES;
    }
}
