package dev.outboard.ccip.afu;

import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/// The registers of an AFU: 64 bits each, with those that every AFU must have, the list of its
/// features, and the answers to MMIO (CCI-P manual 1.3.5, 1.4, 1.6).
///
/// An AFU defines its registers once, clocks them in every cycle, and uses them in between:
///
/// ```java
/// private final CsrSpace csrs = new CsrSpace(AFU_ID).readWrite(0x40).readOnly(0x60, 0);
///
/// public void clock(Rx rx, Tx tx) {
///     csrs.clock(rx, tx);
///     if (csrs.written(0x40)) {
///         begin(csrs.get(0x40));
///     }
/// }
/// ```
///
/// A read is answered at the edge at which it is sampled, so that reads may come in every cycle;
/// what is not defined reads as 0. Registers are named by their offset in bytes. An object belongs
/// to its AFU.
public final class CsrSpace {
    /// Bytes of the MMIO space of an AFU.
    private static final int MMIO_BYTES = 256 << 10;

    private static final int HEADER = 0x00;
    private static final int ID_LOW = 0x08;
    private static final int ID_HIGH = 0x10;
    private static final int LAST_MANDATORY = 0x20;

    private final List<Integer> features = new ArrayList<>();
    private long[] values = new long[0];
    private long[] initial = new long[0];
    private long[] writable = new long[0];
    private boolean[] defined = new boolean[0];

    private int firstWritten;
    private int endWritten;

    /// The mandatory registers of an AFU of version 0.0.
    public CsrSpace(UUID afuId) {
        this(afuId, 0, 0);
    }

    /// The mandatory registers of an AFU: header, AFU_ID and two reserved ones.
    public CsrSpace(UUID afuId, int major, int minor) {
        addFeature(HEADER, DeviceFeatureHeader.afu(major, minor, 0));
        addId(HEADER, afuId);
        readOnly(LAST_MANDATORY - Long.BYTES, 0);
        readOnly(LAST_MANDATORY, 0);
    }

    /// Defines a register of which software may write all bits.
    public CsrSpace readWrite(int offset) {
        return define(offset, 0, -1);
    }

    /// Defines a register of which software may write the `writable` bits; the others are reserved
    /// or belong to the AFU.
    public CsrSpace readWrite(int offset, long value, long writable) {
        return define(offset, value, writable);
    }

    /// Defines a register that only the AFU sets.
    public CsrSpace readOnly(int offset, long value) {
        return define(offset, value, 0);
    }

    /// Begins a basic building block that software can see. Features are added in the order of
    /// their offsets; the registers of one come before the next one begins.
    public CsrSpace buildingBlock(int offset, int id, int revision, UUID bbbId) {
        addFeature(offset, DeviceFeatureHeader.feature(DeviceFeatureHeader.BBB, id, revision, 0));
        addId(offset, bbbId);
        return this;
    }

    /// Begins a private feature.
    public CsrSpace privateFeature(int offset, int id, int revision) {
        addFeature(
                offset, DeviceFeatureHeader.feature(DeviceFeatureHeader.PRIVATE, id, revision, 0));
        return this;
    }

    /// CCIP-CSR-12, CCIP-CSR-23: the first groups of a GUID are the high half.
    private void addId(int offset, UUID id) {
        readOnly(offset + ID_LOW, id.getLeastSignificantBits());
        readOnly(offset + ID_HIGH, id.getMostSignificantBits());
    }

    private void addFeature(int offset, DeviceFeatureHeader header) {
        if (offset < values.length * Long.BYTES) {
            throw new IllegalArgumentException(
                    "Feature at %#x; valid is what lies behind all registers, from %#x"
                            .formatted(offset, values.length * Long.BYTES));
        }
        if (!features.isEmpty()) {
            int last = features.getLast();
            setHeader(last, header(last).followed(), offset - last);
        }
        features.add(offset);
        readOnly(offset, header.bits());
    }

    private CsrSpace define(int offset, long value, long writableBits) {
        if (offset < 0 || offset % Long.BYTES != 0 || offset >= MMIO_BYTES) {
            throw new IllegalArgumentException(
                    "Register at %#x; valid are multiples of 8 below %#x"
                            .formatted(offset, MMIO_BYTES));
        }
        int register = offset / Long.BYTES;
        if (register >= values.length) {
            grow(register + 1);
        }
        if (defined[register]) {
            throw new IllegalArgumentException("Register at %#x twice".formatted(offset));
        }
        defined[register] = true;
        values[register] = value;
        initial[register] = value;
        writable[register] = writableBits;
        // The region of the last feature ends where unallocated space begins.
        int last = features.getLast();
        setHeader(last, header(last), values.length * Long.BYTES - last);
        return this;
    }

    private void grow(int registers) {
        values = Arrays.copyOf(values, registers);
        initial = Arrays.copyOf(initial, registers);
        writable = Arrays.copyOf(writable, registers);
        defined = Arrays.copyOf(defined, registers);
    }

    private DeviceFeatureHeader header(int offset) {
        return new DeviceFeatureHeader(initial[offset / Long.BYTES]);
    }

    private void setHeader(int offset, DeviceFeatureHeader header, int nextOffset) {
        long next = (long) DeviceFeatureHeader.MAX_NEXT_OFFSET << 16;
        long bits = (header.bits() & ~next) | (long) nextOffset << 16;
        initial[offset / Long.BYTES] = bits;
        values[offset / Long.BYTES] = bits;
    }

    /// One rising edge of pClk: answers a read, stores a write, and on a soft reset sets all
    /// registers to what they were defined with.
    public void clock(Rx rx, Tx tx) {
        endWritten = 0;
        if (rx.softReset) {
            System.arraycopy(initial, 0, values, 0, values.length);
            return;
        }
        C0Rx c0 = rx.c0;
        if (c0.mmioRdValid) {
            tx.c2.respond(c0.tid(), read(c0.mmioAddress(), c0.mmioLength()));
        } else if (c0.mmioWrValid) {
            write(c0);
        }
    }

    /// CCIP-MMIO-10: a register that is not there reads 0.
    private long read(int address, int length) {
        int register = address >> 1;
        long value = register < values.length ? values[register] : 0;
        if (length != MmioLength.BYTES_4.code()) {
            return value;
        }
        return (address & 1) == 0 ? value & 0xFFFF_FFFFL : value >>> 32;
    }

    private void write(C0Rx c0) {
        firstWritten = c0.mmioAddress() >> 1;
        if (c0.mmioLength() == MmioLength.BYTES_64.code()) {
            endWritten = firstWritten + Line.LONGS;
            for (int i = 0; i < Line.LONGS; i++) {
                store(firstWritten + i, c0.data[i], -1);
            }
            return;
        }
        endWritten = firstWritten + 1;
        if (c0.mmioLength() == MmioLength.BYTES_8.code()) {
            store(firstWritten, c0.data[0], -1);
        } else if ((c0.mmioAddress() & 1) == 0) {
            store(firstWritten, c0.data[0], 0xFFFF_FFFFL);
        } else {
            store(firstWritten, c0.data[0] << 32, 0xFFFF_FFFFL << 32);
        }
    }

    private void store(int register, long value, long bits) {
        if (register < values.length) {
            long changed = writable[register] & bits;
            values[register] = (values[register] & ~changed) | (value & changed);
        }
    }

    /// Whether software wrote this register, or half of it, in the cycle clocked last.
    public boolean written(int offset) {
        int register = offset / Long.BYTES;
        return register < endWritten && register >= firstWritten;
    }

    /// The value of a register that is defined.
    public long get(int offset) {
        return values[offset / Long.BYTES];
    }

    /// Sets a register that is defined, whether software may write it or not.
    public void set(int offset, long value) {
        values[offset / Long.BYTES] = value;
    }
}
