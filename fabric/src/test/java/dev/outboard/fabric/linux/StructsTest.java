package dev.outboard.fabric.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/// What the mirrors of C structs write, byte by byte, on a machine with little-endian integers.
class StructsTest {
    private final MemorySegment memory = Arena.ofAuto().allocate(64, 8);

    @Test
    void anAddressIsInNetworkOrder() {
        memory.fill((byte) -1);
        SockaddrIn.set(memory, 0x0102_0304, 0xFEDC);

        assertThat(hex(8)).isEqualTo("0200fedc01020304");
        assertThat(SockaddrIn.port(memory)).isEqualTo(0xFEDC);
        assertThat(SockaddrIn.address(memory)).isEqualTo(0x0102_0304);
    }

    @Test
    void anIpv6AddressHasAScopeAndNoFlow() {
        memory.fill((byte) -1);
        SockaddrIn6.set(memory, 0x0102_0304_0506_0708L, 0x1112_1314_1516_1718L, 5, 0xFEDC);

        assertThat(hex(28))
                .isEqualTo(
                        "0a00fedc00000000" + "0102030405060708" + "1112131415161718" + "05000000");
        assertThat(SockaddrIn6.port(memory)).isEqualTo(0xFEDC);
        assertThat(SockaddrIn6.addressHigh(memory)).isEqualTo(0x0102_0304_0506_0708L);
        assertThat(SockaddrIn6.addressLow(memory)).isEqualTo(0x1112_1314_1516_1718L);
    }

    @Test
    void aTimeIsSecondsAndNanoseconds() {
        Timespec.set(memory, 3_000_000_007L);

        assertThat(hex(16)).isEqualTo("0300000000000000" + "0700000000000000");
    }

    @Test
    void polledDescriptorsStandInARow() {
        memory.fill((byte) -1);
        Pollfd.set(memory, 0, 1, (short) 2);
        Pollfd.set(memory, 2, 3, (short) 4);

        assertThat(hex(24)).isEqualTo("0100000002000000" + "ffffffffffffffff" + "0300000004000000");
        memory.set(ValueLayout.JAVA_SHORT, 22, (short) 5);
        assertThat(Pollfd.returnedEvents(memory, 0)).isZero();
        assertThat(Pollfd.returnedEvents(memory, 2)).isEqualTo((short) 5);
    }

    @Test
    void piecesOfMemoryStandInARow() {
        Iovec.set(memory, 0, 1, 2);
        Iovec.set(memory, 1, 3, 4);
        Iovec.lengthen(memory, 1, 10);

        assertThat(hex(32))
                .isEqualTo(
                        "0100000000000000"
                                + "0200000000000000"
                                + "0300000000000000"
                                + "0e00000000000000");
        assertThat(Iovec.base(memory, 1)).isEqualTo(3);
        assertThat(Iovec.length(memory, 0)).isEqualTo(2);
        assertThat(Iovec.length(memory, 1)).isEqualTo(14);
    }

    @Test
    void aMessageLeadsToItsParts() {
        Msghdr.name(memory, 1, 2);
        Msghdr.iovecs(memory, 3, 4);
        Msghdr.control(memory, 5, 6);
        memory.set(ValueLayout.JAVA_INT, 48, 7);

        assertThat(hex(56))
                .isEqualTo(
                        "0100000000000000"
                                + "0200000000000000"
                                + "0300000000000000"
                                + "0400000000000000"
                                + "0500000000000000"
                                + "0600000000000000"
                                + "0700000000000000");
        assertThat(Msghdr.controlLength(memory)).isEqualTo(6);
        assertThat(Msghdr.flags(memory)).isEqualTo(7);
    }

    @Test
    void controlEntriesStartAtMultiplesOfEight() {
        assertThat(Cmsghdr.space(0)).isEqualTo(16);
        assertThat(Cmsghdr.space(1)).isEqualTo(24);
        assertThat(Cmsghdr.space(8)).isEqualTo(24);
        assertThat(Cmsghdr.space(9)).isEqualTo(32);
        Cmsghdr.set(memory, 8, 1, 2, 3);

        assertThat(hex(24)).isEqualTo("0000000000000000" + "1300000000000000" + "0100000002000000");
        assertThat(Cmsghdr.level(memory, 8)).isEqualTo(1);
        assertThat(Cmsghdr.type(memory, 8)).isEqualTo(2);
        assertThat(Cmsghdr.next(memory, 8)).isEqualTo(32);
    }

    private String hex(int bytes) {
        return HexFormat.of().formatHex(memory.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE));
    }
}
