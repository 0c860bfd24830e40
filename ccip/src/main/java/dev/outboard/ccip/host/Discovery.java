package dev.outboard.ccip.host;

import dev.outboard.ccip.afu.DeviceFeatureHeader;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.fiu.MmioRequest;
import dev.outboard.ccip.wire.MmioLength;
import java.util.UUID;

/// What an AFU shows of itself after a reset (CCI-P manual 1.4.2).
///
/// @param afuId AFU_ID
/// @param features the device feature list
record Discovery(UUID afuId, FeatureList features) {
    private static final int AFU_ID_L = 0x08;
    private static final int AFU_ID_H = 0x10;
    private static final int DFH_RSVD0 = 0x18;
    private static final int DFH_RSVD1 = 0x20;

    /// Reads the ids in the first cycles after reset, then everything else, and reports what is not
    /// as it should be.
    ///
    /// CCIP-DSC-1, CCIP-DSC-2: AFU_ID first, low half before high, then the list.
    ///
    /// CCIP-CSR-20: an AFU without them is not found.
    ///
    /// @throws FpgaException if the AFU does not answer
    static Discovery of(Clocking clocking, MmioMapping registers) {
        MmioRequest low = registers.post(AFU_ID_L, MmioLength.BYTES_8);
        MmioRequest high = registers.post(AFU_ID_H, MmioLength.BYTES_8);
        UUID afuId = new UUID(answer(clocking, high), answer(clocking, low));
        if (afuId.equals(new UUID(0, 0)) || afuId.equals(new UUID(-1, -1))) {
            clocking.report(
                    Violation.CSR_AFU_ID_BAD, "AFU_ID_H and AFU_ID_L (0x10, 0x8) are " + afuId);
        }
        long header = read(clocking, registers, 0);
        boolean isAfu = new DeviceFeatureHeader(header).type() == DeviceFeatureHeader.AFU;
        if (!isAfu) {
            clocking.report(
                    Violation.CSR_DFH_BAD, "DEV_FEATURE_HDR (0x0) is 0x%016x".formatted(header));
        }
        for (int offset = DFH_RSVD0; offset <= DFH_RSVD1; offset += Long.BYTES) {
            long value = read(clocking, registers, offset);
            if (value != 0) {
                clocking.report(
                        Violation.CSR_RSVD_NONZERO,
                        "the reserved register at 0x%x is 0x%016x".formatted(offset, value));
            }
        }
        FeatureList features = FeatureList.walk(address -> tryRead(clocking, registers, address));
        if (isAfu) {
            // Otherwise they follow from what was reported already.
            features.findings()
                    .forEach(finding -> clocking.report(finding.violation(), finding.detail()));
        }
        return new Discovery(afuId, features);
    }

    private static long read(Clocking clocking, MmioMapping registers, long offset) {
        return answer(clocking, registers.post(offset, MmioLength.BYTES_8));
    }

    /// A register that the AFU may not have, but for those that every AFU has.
    private static long tryRead(Clocking clocking, MmioMapping registers, long offset) {
        clocking.run(port ->
                port.checker()
                        .mmioTries(offset <= DFH_RSVD1 ? -1 : (int) (offset / Integer.BYTES)));
        try {
            return read(clocking, registers, offset);
        } finally {
            clocking.run(port -> port.checker().mmioTries(-1));
        }
    }

    private static long answer(Clocking clocking, MmioRequest read) {
        clocking.await(read);
        if (read.state() == MmioRequest.State.TIMED_OUT) {
            throw new FpgaException(
                    FpgaException.Reason.NO_ANSWER,
                    "The AFU did not answer the "
                            + read
                            + " that it was given in cycle "
                            + read.sentCycle()
                            + " within "
                            + clocking.simulation().profile().mmioTimeout()
                            + " cycles");
        }
        return read.value();
    }
}
