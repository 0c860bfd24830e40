package dev.outboard.ccip.host;

import dev.outboard.ccip.afu.DeviceFeatureHeader;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.Profile;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongUnaryOperator;

/// The features that an AFU shows in its registers: the device feature list, walked from MMIO
/// address 0 (CCI-P manual 1.6). Immutable.
///
/// A walk always ends, and takes what it found: what is wrong with the list is a [Finding].
public final class FeatureList {
    /// More headers than this are not walked.
    public static final int MOST_ENTRIES = 1024;

    private static final int ID_LOW = 0x8;
    private static final int ID_HIGH = 0x10;

    private final List<Feature> features = new ArrayList<>();
    private final List<Finding> findings = new ArrayList<>();
    private final Set<Long> visited = new HashSet<>();
    private final LongUnaryOperator registers;

    private FeatureList(LongUnaryOperator registers) {
        this.registers = registers;
    }

    /// Walks the list.
    ///
    /// CCIP-DFL-2, CCIP-DFL-11: from address 0 on, header by header.
    ///
    /// @param registers reads 8 bytes at an address in bytes; of a register that is not answered it
    ///   throws an [FpgaException] with [FpgaException.Reason#NO_ANSWER]
    /// @throws FpgaException if the header at address 0 is not answered
    public static FeatureList walk(LongUnaryOperator registers) {
        FeatureList list = new FeatureList(registers);
        long address = 0;
        while (address >= 0) {
            address = list.visit(address);
        }
        return list;
    }

    /// The features, in the order of the list.
    public List<Feature> features() {
        return List.copyOf(features);
    }

    /// What is wrong with the list.
    public List<Finding> findings() {
        return List.copyOf(findings);
    }

    /// Where space begins that no feature has.
    public long unallocated() {
        return features.isEmpty() ? 0 : features.getLast().address() + features.getLast().size();
    }

    /// The basic building block with this id.
    ///
    /// CCIP-DFL-9: a building block is found by its GUID.
    public Optional<Feature> buildingBlock(UUID id) {
        return features.stream()
                .filter(feature -> feature.header().type() == DeviceFeatureHeader.BBB)
                .filter(feature -> feature.id().equals(Optional.of(id)))
                .findFirst();
    }

    /// Takes the feature at this address, and says where the next is, or -1.
    ///
    /// CCIP-DFL-13: a list that leads to nothing ends there, and the AFU can be used.
    private long visit(long address) {
        visited.add(address);
        OptionalLong bits = read(address);
        if (bits.isEmpty()) {
            Feature last = features.getLast();
            find(
                    Violation.DFL_NO_ANSWER,
                    last.address(),
                    last.header(),
                    "leads to 0x" + Long.toHexString(address) + ", where no read is answered");
            return -1;
        }
        DeviceFeatureHeader header = new DeviceFeatureHeader(bits.getAsLong());
        if (header.type() < DeviceFeatureHeader.AFU
                || header.type() > DeviceFeatureHeader.PRIVATE) {
            find(
                    Violation.DFL_UNKNOWN_TYPE,
                    address,
                    header,
                    "has type " + header.type() + ", so it is not taken for a header");
            return -1;
        }
        if ((header.type() == DeviceFeatureHeader.AFU) != (address == 0)) {
            find(Violation.DFL_AFU_NOT_FIRST, address, header, "has type " + header.type());
        }
        if (header.reserved() != 0) {
            find(Violation.DFL_RSVD_NONZERO, address, header, "has reserved bits that are 1");
        }
        features.add(new Feature(address, header, size(address, header), id(address, header)));
        return header.endOfList() ? -1 : next(address, header);
    }

    /// CCIP-DFL-7, CCIP-DFL-8: a building block has a GUID, a private feature none.
    private Optional<UUID> id(long address, DeviceFeatureHeader header) {
        if (header.type() == DeviceFeatureHeader.PRIVATE) {
            return Optional.empty();
        }
        OptionalLong lowHalf = read(address + ID_LOW);
        OptionalLong highHalf = lowHalf.isEmpty() ? lowHalf : read(address + ID_HIGH);
        if (highHalf.isEmpty()) {
            find(
                    Violation.DFL_NO_ANSWER,
                    address,
                    header,
                    "has an id of which no read is answered");
            return Optional.empty();
        }
        long low = lowHalf.getAsLong();
        long high = highHalf.getAsLong();
        if (header.type() == DeviceFeatureHeader.BBB && (low | high) == 0) {
            find(Violation.DFL_BBB_ID_ZERO, address, header, "is a BBB whose id is 0");
        }
        return Optional.of(new UUID(high, low));
    }

    /// A register, which may be missing unless the AFU cannot be without it.
    private OptionalLong read(long address) {
        try {
            return OptionalLong.of(registers.applyAsLong(address));
        } catch (FpgaException e) {
            if (e.reason() != FpgaException.Reason.NO_ANSWER || features.isEmpty()) {
                throw e;
            }
            return OptionalLong.empty();
        }
    }

    /// An end of the list without an offset is common; the feature then has all that is left.
    ///
    /// CCIP-DFL-5: the next offset bounds the region of a feature.
    private static long size(long address, DeviceFeatureHeader header) {
        long left = Profile.MMIO_BYTES - address;
        return header.nextOffset() == 0 ? left : Math.min(left, header.nextOffset());
    }

    /// CCIP-DFL-3, CCIP-DFL-4: the next header, unless the list ends here.
    private long next(long address, DeviceFeatureHeader header) {
        int offset = header.nextOffset();
        long next = address + offset;
        if (offset == 0) {
            find(
                    Violation.DFL_NEXT_ZERO,
                    address,
                    header,
                    "does not end the list and leads nowhere");
        } else if (offset % Long.BYTES != 0) {
            find(Violation.DFL_MISALIGNED, address, header, "leads on by no multiple of 8 bytes");
        } else if (visited.contains(next & DeviceFeatureHeader.MAX_NEXT_OFFSET)) {
            // As an offset of 24 bits with a sign it leads back.
            find(Violation.DFL_LOOP, address, header, "leads back to a header that was visited");
        } else if (next >= Profile.MMIO_BYTES) {
            find(Violation.DFL_RANGE, address, header, "leads to 0x" + Long.toHexString(next));
        } else if (features.size() == MOST_ENTRIES) {
            find(
                    Violation.DFL_LOOP,
                    address,
                    header,
                    "is entry " + MOST_ENTRIES + " and not the last");
        } else {
            return next;
        }
        return -1;
    }

    private void find(Violation violation, long address, DeviceFeatureHeader header, String what) {
        findings.add(
                new Finding(
                        violation,
                        "the header at 0x%x, 0x%016x, %s".formatted(address, header.bits(), what)));
    }

    /// A feature of an AFU.
    ///
    /// @param address of its first register, the header, in bytes
    /// @param header its first register
    /// @param size of its registers, in bytes
    /// @param id of an AFU or BBB its GUID
    public record Feature(long address, DeviceFeatureHeader header, long size, Optional<UUID> id) {}
}
