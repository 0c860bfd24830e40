package dev.outboard.ccip.checker;

import static dev.outboard.ccip.checker.Channel.HOST;
import static dev.outboard.ccip.checker.Channel.PORT;
import static dev.outboard.ccip.checker.Channel.RX_C0;
import static dev.outboard.ccip.checker.Channel.RX_C1;
import static dev.outboard.ccip.checker.Channel.TX_C0;
import static dev.outboard.ccip.checker.Channel.TX_C1;
import static dev.outboard.ccip.checker.Channel.TX_C2;
import static dev.outboard.ccip.checker.Severity.ERROR;
import static dev.outboard.ccip.checker.Severity.INFO;
import static dev.outboard.ccip.checker.Severity.OFF;
import static dev.outboard.ccip.checker.Severity.WARNING;

/// What can be wrong at a CCI-P port: of the AFU, of the host program, and of the FIU itself. Each
/// has the channel where it is seen, a default severity, the requirement it breaks, and a sentence
/// for the one who has to mend it.
public enum Violation {
    C0TX_BAD_REQTYPE(
            TX_C0, ERROR, "CCIP-ENC-15", "Drive req_type 0 (RDLINE_I) or 1 (RDLINE_S) on C0."),
    C0TX_LEN3(
            TX_C0,
            ERROR,
            "CCIP-HDR-22",
            "There is no request of three lines: cl_len is 0, 1 or 3."),
    C0TX_MISALIGNED(
            TX_C0,
            ERROR,
            "CCIP-HDR-21",
            "A read of 2 lines begins at an even line, one of 4 at a multiple of 4."),
    C0TX_ALMFULL_OVERRUN(
            TX_C0,
            ERROR,
            "CCIP-FLW-2",
            "After c0TxAlmFull is 1, send at most 8 more requests until it is 0."),
    C0TX_VC_ILLEGAL(
            TX_C0, ERROR, "CCIP-HDR-26", "Name a channel that the platform has; VA works on all."),
    C0TX_DURING_RESET(TX_C0, WARNING, "CCIP-RST-5", "Hold valid at 0 while softReset is 1."),
    C0TX_RSVD_NONZERO(
            TX_C0,
            WARNING,
            "CCIP-SIG-4",
            "Drive 0 on reserved header bits: start from an all-zero header."),
    C0TX_ADDR_ZERO(
            TX_C0,
            OFF,
            "CCIP-HDR-20",
            "Line 0 is seldom meant: check that the buffer address was written first."),
    C0TX_HINT_IGNORED(
            TX_C0,
            INFO,
            "CCIP-MEM-8",
            "RDLINE_S acts as RDLINE_I here, since nothing on this way caches."),
    C1TX_BAD_REQTYPE(
            TX_C1,
            ERROR,
            "CCIP-ENC-15",
            "Drive req_type 0, 1 or 2 (writes), 4 (fence) or 6 (interrupt) on C1."),
    C1TX_LEN3(
            TX_C1, ERROR, "CCIP-HDR-22", "There is no write of three lines: cl_len is 0, 1 or 3."),
    C1TX_MISALIGNED(
            TX_C1,
            ERROR,
            "CCIP-HDR-21",
            "A write of 2 lines begins at an even line, one of 4 at a multiple of 4."),
    C1TX_ALMFULL_OVERRUN(
            TX_C1,
            ERROR,
            "CCIP-FLW-3",
            "After c1TxAlmFull is 1, send at most 8 more beats until it is 0."),
    C1TX_VC_ILLEGAL(
            TX_C1, ERROR, "CCIP-HDR-26", "Name a channel that the platform has; VA works on all."),
    C1TX_SOP_MISSING(
            TX_C1,
            ERROR,
            "CCIP-MCL-1",
            "The first beat of every write, also of one line, has sop 1."),
    C1TX_SOP_IN_BURST(
            TX_C1,
            ERROR,
            "CCIP-MCL-7",
            "Send all beats of a write, the later ones with sop 0, before the next request."),
    C1TX_BEAT_ADDR(
            TX_C1,
            ERROR,
            "CCIP-MCL-3",
            "Each later beat of a burst drives address[1:0] one higher than the beat before."),
    C1TX_BEAT_REQTYPE(
            TX_C1, ERROR, "CCIP-MCL-4", "Drive the same req_type on all beats of a burst."),
    C1TX_BEAT_FIELD_CHANGED(
            TX_C1,
            OFF,
            "CCIP-MCL-5",
            "Only the first beat's vc_sel, cl_len and mdata count; repeat them."),
    C1TX_FENCE_IN_BURST(TX_C1, ERROR, "CCIP-MCL-8", "Finish the burst before the fence."),
    C1TX_INTR_IN_BURST(TX_C1, ERROR, "CCIP-MCL-9", "Finish the burst before the interrupt."),
    C1TX_BYTE_IN_BURST(
            TX_C1,
            ERROR,
            "CCIP-MCL-10",
            "A write of bytes is one request of its own: finish the burst first."),
    C1TX_BURST_INCOMPLETE(
            TX_C1,
            ERROR,
            "CCIP-MCL-11",
            "A write of N lines takes N beats: send the missing ones."),
    C1TX_FENCE_SOP(TX_C1, ERROR, "CCIP-HDR-28", "A fence has sop 0."),
    C1TX_RSVD_NONZERO(
            TX_C1,
            WARNING,
            "CCIP-SIG-4",
            "Drive 0 on reserved header bits: start from an all-zero header."),
    C1TX_BYTE_UNSUPPORTED(
            TX_C1,
            ERROR,
            "CCIP-BYT-1",
            "This platform has no byte-enable writes: mode, byte_start and byte_len are 0."),
    C1TX_BYTE_NON_WRITE(
            TX_C1,
            ERROR,
            "CCIP-BYT-9",
            "Only writes have a byte mode: mode is 0 on fences and interrupts."),
    C1TX_BYTE_MULTI_LINE(
            TX_C1, ERROR, "CCIP-BYT-6", "A write of bytes is one line: cl_len 0 and sop 1."),
    C1TX_BYTE_RANGE(
            TX_C1,
            ERROR,
            "CCIP-BYT-7",
            "Write 1 byte or more, and end in the same line: byte_start + byte_len is at most 64."),
    C1TX_BYTE_FIELDS_IN_CL_MODE(
            TX_C1, ERROR, "CCIP-BYT-8", "byte_start and byte_len are 0 where mode is 0."),
    C1TX_INTR_UNSUPPORTED(
            TX_C1,
            ERROR,
            "CCIP-INT-1",
            "This platform has no interrupts: let software poll a line or a CSR."),
    C1TX_INTR_ID_BUSY(
            TX_C1,
            ERROR,
            "CCIP-INT-3",
            "Wait for the response to an interrupt before its id is used again."),
    C1TX_DURING_RESET(TX_C1, WARNING, "CCIP-RST-5", "Hold valid at 0 while softReset is 1."),
    C1TX_ADDR_ZERO(
            TX_C1,
            OFF,
            "CCIP-HDR-20",
            "Line 0 is seldom meant: check that the buffer address was written first."),
    C1TX_HINT_IGNORED(
            TX_C1,
            INFO,
            "CCIP-MEM-8",
            "WRLINE_M acts as WRLINE_I here, since nothing on this way caches."),
    MMIO_RSP_TIMEOUT(
            TX_C2,
            ERROR,
            "CCIP-MMIO-14",
            "Answer every MMIO read, also where there is no register."),
    MMIO_RSP_UNSOLICITED(
            TX_C2,
            ERROR,
            "CCIP-MMIO-13",
            "Answer reads only, with the tid of the read, in time; a write has no response."),
    MMIO_RSP_DUPLICATE(
            TX_C2, ERROR, "CCIP-MMIO-7", "Answer each MMIO read once; 8 bytes are one response."),
    MMIO_RSP_DURING_RESET(
            TX_C2,
            WARNING,
            "CCIP-RST-5",
            "Hold mmioRdValid at 0 while softReset is 1, and forget the reads from before."),
    TX_UNDEFINED(
            PORT,
            WARNING,
            "CCIP-RTL-6",
            "Reset every register that decides what the port carries."),
    TX_COMBINATIONAL(
            PORT, WARNING, "CCIP-RTL-7", "Register all inputs and all outputs of the AFU."),
    TX_OTHER_CLOCK(
            PORT,
            WARNING,
            "CCIP-CLK-4",
            "Bring what another clock has made into the domain of pClk before it is driven."),
    RTL_ASSERTION(
            PORT,
            WARNING,
            "CCIP-RTL-12",
            "An assertion of the design failed, or it called $error: see there."),
    RTL_FINISH(
            PORT,
            WARNING,
            "CCIP-RTL-12",
            "Call $finish after the reset, if at all: before its end it is passed over."),
    TX_AFTER_ERROR(PORT, INFO, "CCIP-ERR-8", "Stop sending requests once pck_cp2af_error is 1."),
    MEM_UNMAPPED(
            PORT,
            ERROR,
            "CCIP-MEM-10",
            "Touch only prepared buffers; a line address is the byte address >> 6."),
    MEM_NO_PERMISSION(
            PORT, ERROR, "CCIP-MEM-10", "The buffer is mapped, but not for this kind of access."),
    HAZ_RAW(
            TX_C0,
            WARNING,
            "CCIP-ORD-50",
            "Read back after the write's response on this channel or a VA fence's."),
    HAZ_WAR(TX_C1, WARNING, "CCIP-ORD-51", "Wait for the read response before writing the line."),
    HAZ_WAW(
            TX_C1,
            WARNING,
            "CCIP-ORD-52",
            "Wait for the response on the same channel, or send a fence between the two writes."),
    HAZ_FLAG_UNFENCED(
            TX_C1,
            INFO,
            "CCIP-ORD-53",
            "Send a VA fence between the data and the flag that announces it."),
    HAZ_INTR_UNFENCED(
            TX_C1,
            INFO,
            "CCIP-ORD-54",
            "Send a fence between the data and the interrupt that announces it."),
    UMSG_TAKEN_FOR_DATA(
            TX_C1,
            WARNING,
            "CCIP-UMSG-13",
            "Look at resp_type before rspValid is taken for the line of a read."),
    PWR_NOT_REDUCED(
            PORT, INFO, "CCIP-PWR-3", "In AP1 send half the requests of AP0, in AP2 a tenth."),
    RUN_STALLED(
            PORT,
            ERROR,
            "CCIP-HST-9",
            "Nothing moves while work is outstanding: look for a lost response."),
    CSR_DFH_BAD(
            HOST,
            WARNING,
            "CCIP-CSR-10",
            "The register at 0x0 is a device feature header of type 1 (AFU)."),
    CSR_AFU_ID_BAD(
            HOST,
            WARNING,
            "CCIP-CSR-11",
            "The registers at 0x8 and 0x10 hold the low and high half of the AFU's GUID."),
    CSR_RSVD_NONZERO(HOST, WARNING, "CCIP-CSR-13", "The registers at 0x18 and 0x20 read 0."),
    CSR_READ_SIDE_EFFECT(
            HOST,
            WARNING,
            "CCIP-MMIO-23",
            "Reading a register changes nothing: the processor may read it twice."),
    CSR_RO_WRITABLE(HOST, WARNING, "CCIP-CSR-3", "Writes to read-only bits have no effect."),
    CSR_8B_UNSUPPORTED(HOST, WARNING, "CCIP-MMIO-17", "Answer reads of 8 bytes with all 8 bytes."),
    DFL_LOOP(
            HOST,
            WARNING,
            "CCIP-DFL-15",
            "Each header leads to one that was not visited; end the list with bit 40."),
    DFL_RANGE(
            HOST,
            WARNING,
            "CCIP-DFL-15",
            "The next header lies inside the 256 KiB of the MMIO space."),
    DFL_NO_ANSWER(
            HOST,
            WARNING,
            "CCIP-DFL-15",
            "Answer the reads of every header that the list leads to, or end the list before."),
    DFL_MISALIGNED(HOST, WARNING, "CCIP-DFL-15", "Next offsets are multiples of 8."),
    DFL_UNKNOWN_TYPE(
            HOST,
            WARNING,
            "CCIP-DFL-15",
            "Types are 1 (AFU), 2 (BBB) and 3 (private feature): check the next offset before."),
    DFL_NEXT_ZERO(
            HOST,
            WARNING,
            "CCIP-DFL-15",
            "Give the offset of the next header, or set the end of list, bit 40."),
    DFL_BBB_ID_ZERO(
            HOST,
            WARNING,
            "CCIP-DFL-15",
            "A BBB has its GUID at offsets 0x8 and 0x10 from its header."),
    DFL_RSVD_NONZERO(
            HOST, WARNING, "CCIP-DFL-15", "Reserved bits of a device feature header are 0."),
    DFL_AFU_NOT_FIRST(
            HOST,
            WARNING,
            "CCIP-DFL-15",
            "The header of the AFU is the one at address 0, and the only one of type 1."),
    HOST_MMIO_MISALIGNED(
            HOST, INFO, "CCIP-MMIO-18", "Address registers at multiples of the access length."),
    HOST_MMIO_RANGE(HOST, INFO, "CCIP-MMIO-19", "The MMIO space of an AFU is 256 KiB."),
    HOST_MMIO_READ_64(
            HOST,
            INFO,
            "CCIP-MMIO-26",
            "Registers are read with 4 or 8 bytes; only writes may have 64."),
    HOST_MMIO_DURING_RESET(
            HOST, INFO, "CCIP-RST-8", "The read was caught by a reset and returned all ones."),
    HOST_INTR_NO_WAITER(
            HOST, WARNING, "CCIP-INT-8", "Register for the interrupt id before the AFU sends it."),
    FIU_C0RX_MULTI_VALID(
            RX_C0, ERROR, "CCIP-SIG-13", "At most one of the three valid wires of Rx C0 is 1."),
    FIU_RSP_UNSOLICITED(
            PORT, ERROR, "CCIP-RSP-1", "A response answers a request that is outstanding."),
    FIU_RSP_MISSING(PORT, ERROR, "CCIP-RSP-17", "Every accepted request is answered in the end."),
    FIU_RSP_EARLY(
            PORT, ERROR, "CCIP-RSP-13", "A write is answered after its last beat was accepted."),
    FIU_RSP_COUNT(PORT, ERROR, "CCIP-RSP-2", "One response per line, or one packed response."),
    FIU_MDATA(
            PORT,
            ERROR,
            "CCIP-RSP-5",
            "A response carries mdata, or the interrupt id, of its request."),
    FIU_VC_USED(
            PORT,
            ERROR,
            "CCIP-RSP-6",
            "vc_used is the requested channel, for VA a link, and one for all lines."),
    FIU_CL_NUM(
            PORT,
            ERROR,
            "CCIP-RSP-8",
            "cl_num is a line of the request that was not answered, packed the size code."),
    FIU_FENCE_EARLY(
            RX_C1, ERROR, "CCIP-ORD-26", "A fence is answered when what it covers is committed."),
    FIU_READ_STALE(
            RX_C0, ERROR, "CCIP-ORD-11", "A read returns what was ordered before it, or newer."),
    FIU_MMIO_LEN(
            RX_C0,
            ERROR,
            "CCIP-MMIO-3",
            "MMIO reads have 4 or 8 bytes, writes 4, 8 or 64, aligned to their length."),
    FIU_MMIO_ORDER(RX_C0, ERROR, "CCIP-MMIO-20", "MMIO requests arrive in the order of the link."),
    FIU_MMIO_OUTSTANDING(RX_C0, ERROR, "CCIP-MMIO-11", "At most 64 MMIO reads are outstanding."),
    FIU_TID_REUSE(
            RX_C0, ERROR, "CCIP-MMIO-12", "A tid is not used again while its read is outstanding."),
    FIU_RESET_SHORT(PORT, ERROR, "CCIP-RST-1", "softReset lasts at least 256 cycles."),
    FIU_RESET_UNFLUSHED(
            PORT,
            ERROR,
            "CCIP-RST-3",
            "No response to a request from before a reset comes after it."),
    FIU_ACCEPT_AFTER_ERROR(
            PORT,
            ERROR,
            "CCIP-ERR-2",
            "After the error signal no request is accepted, and both almost-full wires are 1.");

    private final Channel channel;
    private final Severity severity;
    private final String rule;
    private final String hint;

    Violation(Channel channel, Severity severity, String rule, String hint) {
        this.channel = channel;
        this.severity = severity;
        this.rule = rule;
        this.hint = hint;
    }

    /// Where it is seen; [Channel#PORT] if on more than one channel.
    public Channel channel() {
        return channel;
    }

    /// How much it matters unless a run sets otherwise.
    public Severity severity() {
        return severity;
    }

    /// The requirement that it breaks, as in `CCIP-HDR-21`.
    public String rule() {
        return rule;
    }

    /// What is right, in one sentence.
    public String hint() {
        return hint;
    }

    /// Whether this is a defect of the FIU and not of an AFU or a host program.
    public boolean isOfFiu() {
        return name().startsWith("FIU_");
    }
}
