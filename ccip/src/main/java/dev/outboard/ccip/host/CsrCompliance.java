package dev.outboard.ccip.host;

import dev.outboard.ccip.afu.DeviceFeatureHeader;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.fiu.MmioRequest;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.MmioLength;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;

/// Whether the registers of an AFU behave as CCI-P asks: reads without side effects, read-only
/// registers that stay as they are, answers to every read, also directly after reset (CCI-P manual
/// 1.3.5, 1.3.11, 1.3.13.2, 1.4.1, 1.4.2).
///
/// What it finds it also reports to the checker of the simulation. The registers that it writes are
/// those that every AFU has and those of its feature headers, which software cannot change.
public final class CsrCompliance {
    private static final int UNDEFINED_READS = 64;
    private static final long LAST_MANDATORY = 0x20;

    private final Fpga fpga;
    private final MmioMapping registers;
    private final List<Finding> findings = new ArrayList<>();

    private CsrCompliance(Fpga fpga) {
        this.fpga = fpga;
        registers = fpga.mapMmio(MemoryType.UC);
    }

    /// Tries the registers of the AFU, and resets it.
    ///
    /// @return what is not as it should be
    public static List<Finding> check(Fpga fpga) {
        CsrCompliance check = new CsrCompliance(fpga);
        check.readAllAgain();
        check.readUpperHalves();
        check.writeReadOnly();
        check.readUndefined();
        check.readDirectlyAfterReset();
        check.findings.forEach(
                finding -> fpga.clocking().report(finding.violation(), finding.detail()));
        return List.copyOf(check.findings);
    }

    /// Whether a reset leaves nothing behind: runs the workload, then `traffic`, which the reset
    /// catches in the middle, then the workload again.
    ///
    /// CCIP-CHK-24, CCIP-RST-2: a reset amid traffic leaves nothing behind.
    ///
    /// @param workload does something with the AFU and says what came out
    /// @param traffic lets the AFU begin something, and does not wait for its end
    public static <R> boolean survivesReset(
            Fpga fpga, Function<Fpga, R> workload, Consumer<Fpga> traffic) {
        R first = workload.apply(fpga);
        traffic.accept(fpga);
        fpga.reset();
        return first.equals(workload.apply(fpga));
    }

    /// CCIP-CHK-20: mandatory registers are constant.
    private void readAllAgain() {
        List<Long> addresses = new ArrayList<>(fixedRegisters());
        Map<Long, Long> values = new LinkedHashMap<>();
        for (long address : addresses) {
            values.put(address, registers.read64(address));
        }
        readAndCompare(addresses, values);
        readAndCompare(addresses.reversed(), values);
        postUndefined().forEach(fpga.clocking()::await);
        readAndCompare(addresses, values);
    }

    private void readAndCompare(List<Long> addresses, Map<Long, Long> values) {
        List<MmioRequest> reads = new ArrayList<>();
        for (long address : addresses) {
            reads.add(registers.post(address, MmioLength.BYTES_8));
        }
        for (int i = 0; i < reads.size(); i++) {
            long address = addresses.get(i);
            long value = fpga.clocking().await(reads.get(i)).value();
            Long before = values.put(address, value);
            if (before != null && before != value) {
                changed(Violation.CSR_READ_SIDE_EFFECT, address, before, value, "reads");
            }
        }
    }

    /// An AFU with registers of 4 bytes may answer a read of 8 with one of them.
    private void readUpperHalves() {
        for (FeatureList.Feature feature : fpga.features().features()) {
            long value = registers.read64(feature.address());
            long upper = value >>> Integer.SIZE;
            if (upper == 0 || upper == (value & 0xFFFF_FFFFL)) {
                upperHalfMissing(feature.address(), value);
            }
        }
        long header = registers.read64(0);
        if (fpga.features().features().isEmpty()) {
            upperHalfMissing(0, header);
        }
    }

    private void upperHalfMissing(long address, long value) {
        long upper = registers.read32(address + Integer.BYTES) & 0xFFFF_FFFFL;
        int type = new DeviceFeatureHeader(upper << Integer.SIZE).type();
        if (type >= DeviceFeatureHeader.AFU
                && type <= DeviceFeatureHeader.PRIVATE
                && upper != value >>> Integer.SIZE) {
            changed(
                    Violation.CSR_8B_UNSUPPORTED,
                    address,
                    value,
                    upper,
                    "a read of 4 bytes behind it");
        }
    }

    /// CCIP-CHK-21: read-only registers stay what they are.
    private void writeReadOnly() {
        for (long address : fixedRegisters()) {
            long before = registers.read64(address);
            for (long value : new long[] {-1, 0}) {
                registers.write64(address, value);
                long after = registers.read64(address);
                if (after != before) {
                    changed(
                            Violation.CSR_RO_WRITABLE,
                            address,
                            before,
                            after,
                            "a write of 0x" + Long.toHexString(value));
                    registers.write64(address, before);
                    break;
                }
            }
        }
    }

    /// CCIP-CHK-22, CCIP-MMIO-10: undefined offsets are answered, too.
    private void readUndefined() {
        for (MmioRequest read : postUndefined()) {
            fpga.clocking().await(read);
            if (read.state() == MmioRequest.State.TIMED_OUT) {
                notAnswered("the " + read + ", where no register is,");
            }
        }
    }

    /// CCIP-CHK-23, CCIP-RST-7: the first read comes directly after the reset.
    private void readDirectlyAfterReset() {
        UUID before = fpga.afuId();
        try {
            fpga.reset();
        } catch (FpgaException e) {
            if (e.reason() != FpgaException.Reason.NO_ANSWER) {
                throw e;
            }
            notAnswered("a read in the first cycles after reset");
            return;
        }
        if (!fpga.afuId().equals(before)) {
            findings.add(
                    new Finding(
                            Violation.CSR_AFU_ID_BAD,
                            "AFU_ID was "
                                    + before
                                    + ", and directly after reset it is "
                                    + fpga.afuId()));
        }
    }

    /// Reads back to back where no register is.
    private List<MmioRequest> postUndefined() {
        long bytes = UNDEFINED_READS * (long) Long.BYTES;
        long free = (fpga.features().unallocated() + Long.BYTES - 1) & -Long.BYTES;
        long address =
                Math.min(Math.max(free, LAST_MANDATORY + Long.BYTES), Profile.MMIO_BYTES - bytes);
        List<MmioRequest> reads = new ArrayList<>();
        for (long i = 0; i < UNDEFINED_READS; i++) {
            reads.add(registers.post(address + i * Long.BYTES, MmioLength.BYTES_8));
        }
        return reads;
    }

    /// The registers that software cannot change: those that every AFU has, and feature headers.
    private Set<Long> fixedRegisters() {
        Set<Long> addresses = new TreeSet<>();
        for (long address = 0; address <= LAST_MANDATORY; address += Long.BYTES) {
            addresses.add(address);
        }
        for (FeatureList.Feature feature : fpga.features().features()) {
            addresses.add(feature.address());
            if (feature.id().isPresent()) {
                addresses.add(feature.address() + Long.BYTES);
                addresses.add(feature.address() + 2 * Long.BYTES);
            }
        }
        return addresses;
    }

    private void notAnswered(String what) {
        findings.add(
                new Finding(
                        Violation.MMIO_RSP_TIMEOUT,
                        what
                                + " was not answered within "
                                + fpga.clocking().simulation().profile().mmioTimeout()
                                + " cycles"));
    }

    private void changed(Violation violation, long address, long before, long after, String by) {
        findings.add(
                new Finding(
                        violation,
                        "the register at 0x%x was 0x%016x, and after %s 0x%016x"
                                .formatted(address, before, by, after)));
    }
}
