package dev.outboard.ccip.afu;

import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import java.util.UUID;

/// The registers by which a node calls a function of an FPGA. Software sets what is called and
/// where its regions are, sets [Job#START] of [#CONTROL], and polls [#STATUS] for [Job#DONE]; the
/// return code stands beside it.
///
/// ```text
/// 0x40 CONTROL   bit 0 START, bit 1 INTERRUPT
/// 0x48 STATUS    bit 0 DONE, bits 15..8 return code
/// 0x50 CALL      bits 7..0 function code, bits 31..8 the three user bytes
/// 0x58 REGIONS   how many
/// 0x60 OFFERS    bit 1 INTERRUPT: that of CONTROL is understood
/// 0x80 + 16 i    line address of region i
/// 0x88 + 16 i    its length in bytes
/// ```
public final class CallRegisters {
    /// Writing [Job#START] starts the call, unless one runs; [Job#INTERRUPT] with it asks for an
    /// interrupt.
    public static final int CONTROL = 0x40;

    /// [Job#DONE], and above [Job#CODE_SHIFT] the return code.
    public static final int STATUS = 0x48;

    /// What is called.
    public static final int CALL = 0x50;

    /// How many regions it has.
    public static final int REGIONS = 0x58;

    /// Which bits of [#CONTROL] the function understands besides [Job#START].
    public static final int OFFERS = 0x60;

    /// How many it may have.
    public static final int MOST_REGIONS = 32;

    /// Where the registers of the first region are: its line address, and then its length.
    public static final int FIRST_REGION = 0x80;

    /// How far those of the next one are from there.
    public static final int REGION_BYTES = 2 * Long.BYTES;

    private final CsrSpace csrs;
    private final Job job;

    /// Those of a function, with nothing else.
    public CallRegisters(UUID afuId) {
        csrs = new CsrSpace(afuId);
        job = new Job(csrs, CONTROL, STATUS);
        csrs.readWrite(CALL).readWrite(REGIONS).readOnly(OFFERS, Job.INTERRUPT);
        for (int i = 0; i < MOST_REGIONS; i++) {
            csrs.readWrite(address(i)).readWrite(length(i));
        }
    }

    /// The register of the line address of a region.
    public static int address(int region) {
        return FIRST_REGION + region * REGION_BYTES;
    }

    /// The register of the length of a region in bytes.
    public static int length(int region) {
        return address(region) + Long.BYTES;
    }

    /// The call and what becomes of it.
    public Job job() {
        return job;
    }

    /// One rising edge of pClk. Returns whether a call starts with it.
    public boolean clock(Rx rx, Tx tx) {
        return job.clock(rx, tx);
    }

    /// What is called.
    public int functionCode() {
        return (int) csrs.get(CALL) & 0xFF;
    }

    /// The three user bytes, byte 0 in bits 7..0.
    public int userBytes() {
        return (int) (csrs.get(CALL) >>> Byte.SIZE) & 0xFFFFFF;
    }

    /// How many regions the call has.
    public long regions() {
        return csrs.get(REGIONS);
    }

    /// Where a region begins, a line address.
    public long lineAddress(int region) {
        return csrs.get(address(region));
    }

    /// How many bytes a region has.
    public long bytes(int region) {
        return csrs.get(length(region));
    }

    /// How many lines hold them.
    public long lines(int region) {
        return Math.ceilDiv(bytes(region), Line.BYTES);
    }
}
