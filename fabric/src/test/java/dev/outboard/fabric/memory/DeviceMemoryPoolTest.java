package dev.outboard.fabric.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The memory of a card, and regions of parts of it.
class DeviceMemoryPoolTest {
    private static final int DOMAIN = 1;
    private static final int QPN = 17;
    private static final long CAPACITY = 100;

    private final DeviceMemoryPool pool = new DeviceMemoryPool(CAPACITY);
    private final RegionTable table = new RegionTable(2, new SplittableRandom(1));
    private final MemorySegment eight = Arena.ofAuto().allocate(8, 8);

    @Test
    void givesOutWhatItHasAndTakesItBack() {
        assertThat(pool.capacity()).isEqualTo(CAPACITY);
        AllocatedDeviceMemory most = pool.allocate(70, 1);
        assertThat(most.length()).isEqualTo(70);
        assertThat(most.isOf(pool)).isTrue();
        assertThat(most.isOf(new DeviceMemoryPool(CAPACITY))).isFalse();
        refused(
                () -> pool.allocate(31, 1),
                Reason.LIMIT_REACHED,
                "31 bytes of device memory were asked for; 30 of 100 are free");

        AllocatedDeviceMemory rest = pool.allocate(30, 1);
        rest.close();
        rest.close();
        refused(
                () -> pool.allocate(31, 1),
                Reason.LIMIT_REACHED,
                "31 bytes of device memory were asked for; 30 of 100 are free");
        most.close();
        assertThat(pool.allocate(CAPACITY, 1).length()).isEqualTo(CAPACITY);
    }

    @Test
    void aCardWithoutMemorySaysSo() {
        refused(
                () -> new DeviceMemoryPool(0).allocate(1, 1),
                Reason.LIMIT_REACHED,
                "the device has no memory of its own to allocate 1 bytes of");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 8, 64, 4096})
    void alignsByPowersOfTwo(long alignment) {
        AllocatedDeviceMemory memory = pool.allocate(1, alignment);

        assertThat(memory.join(0, 1, Set.of()).address() % alignment).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -8, 3, 4097, 8192})
    void anAlignmentIsAPowerOfTwoUpToAPage(long alignment) {
        refused(
                () -> pool.allocate(1, alignment),
                Reason.INVALID_ARGUMENT,
                "cannot allocate an alignment of device memory of "
                        + alignment
                        + " bytes; valid: a power of two up to 4096");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1})
    void hasALength(long length) {
        refused(
                () -> pool.allocate(length, 1),
                Reason.INVALID_ARGUMENT,
                "cannot allocate device memory of " + length + " bytes; valid: 1 or more");
    }

    @Test
    void isReachedByCopies() {
        AllocatedDeviceMemory memory = pool.allocate(16, 1);
        eight.set(ValueLayout.JAVA_LONG, 0, 42);
        memory.write(8, eight);
        eight.set(ValueLayout.JAVA_LONG, 0, 0);
        memory.read(8, eight);
        assertThat(eight.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
        memory.read(0, eight);
        assertThat(eight.get(ValueLayout.JAVA_LONG, 0)).as("zeros at first").isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 9, 16, Long.MAX_VALUE})
    void copiesStayInside(long offset) {
        AllocatedDeviceMemory memory = pool.allocate(16, 1);
        String why =
                "device memory does not have 8 bytes from offset "
                        + offset
                        + " of it; valid: within 16 bytes";

        refused(() -> memory.write(offset, eight), Reason.INVALID_ARGUMENT, why);
        refused(() -> memory.read(offset, eight), Reason.INVALID_ARGUMENT, why);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 16, true",
        "16, 0, true",
        "15, 1, true",
        "0, 17, false",
        "17, 0, false",
        "0, -1, false",
        "-1, 1, false",
        "1, 16, false"
    })
    void aRegionIsAPartOfIt(long offset, long length, boolean registers) {
        AllocatedDeviceMemory memory = pool.allocate(16, 1);
        ThrowingCallable register =
                () -> table.register(DOMAIN, memory, offset, length, Set.of()).close();
        if (registers) {
            assertThat(table.register(DOMAIN, memory, offset, length, Set.of()).length())
                    .isEqualTo(length);
        } else {
            refused(
                    register,
                    Reason.INVALID_ARGUMENT,
                    "device memory does not have %d bytes from offset %d of it; valid: within 16 bytes"
                            .formatted(length, offset));
        }
    }

    @Test
    void aRegionOfItHasItsBytesButNoAddressOfTheHost() {
        AllocatedDeviceMemory memory = pool.allocate(16, 8);
        RegisteredRegion region = table.register(DOMAIN, memory, 8, 8, Set.of(Access.LOCAL_WRITE));
        assertThat(region.isOfHost()).isFalse();
        assertThat(region.address()).isZero();
        assertThat(region.segment()).isEqualTo(MemorySegment.NULL);

        eight.set(ValueLayout.JAVA_LONG, 0, 42);
        region.write(0, eight, 0, 8, QPN, true);
        eight.set(ValueLayout.JAVA_LONG, 0, 0);
        memory.read(8, eight);
        assertThat(eight.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
    }

    @Test
    void staysWhileARegionOfItIsRegistered() {
        AllocatedDeviceMemory memory = pool.allocate(16, 1);
        RegisteredRegion first = table.register(DOMAIN, memory, 0, 16, Set.of());
        RegisteredRegion second = table.register(DOMAIN, memory, 0, 16, Set.of());
        refused(
                () -> table.register(DOMAIN, memory, 0, 16, Set.of()),
                Reason.LIMIT_REACHED,
                "all 2 memory keys of the device are in use");
        refused(memory::close, Reason.IN_USE, inUse(2));
        first.close();
        first.close();
        refused(memory::close, Reason.IN_USE, inUse(1));
        second.close();
        memory.close();

        String closed = "device memory of 16 bytes is closed";
        refused(() -> memory.read(0, eight), Reason.CLOSED, closed);
        refused(() -> memory.write(0, eight), Reason.CLOSED, closed);
        refused(() -> table.register(DOMAIN, memory, 0, 8, Set.of()), Reason.CLOSED, closed);
    }

    private static String inUse(int regions) {
        return "device memory of 16 bytes still has %d memory regions; close them first"
                .formatted(regions);
    }

    @Test
    void atomicOperationsWantAlignedParts() {
        AllocatedDeviceMemory memory = pool.allocate(32, 8);
        Set<Access> atomic = Set.of(Access.LOCAL_WRITE, Access.REMOTE_ATOMIC);

        assertThat(table.register(DOMAIN, memory, 8, 8, atomic).length()).isEqualTo(8);
        refused(
                () -> table.register(DOMAIN, memory, 12, 8, atomic),
                Reason.INVALID_ARGUMENT,
                "device memory does not have atomic operations on it from offset 12; valid: a multiple of 8");
        assertThat(table.register(DOMAIN, memory, 12, 8, Set.of()).length()).isEqualTo(8);
    }

    @Test
    void peersChangeOnlyWhatThisSideMayChange() {
        AllocatedDeviceMemory memory = pool.allocate(8, 8);

        refused(
                () -> table.register(DOMAIN, memory, 0, 8, Set.of(Access.REMOTE_WRITE)),
                Reason.INVALID_ARGUMENT,
                "cannot register memory: REMOTE_WRITE needs LOCAL_WRITE as well");
    }

    private static void refused(ThrowingCallable call, Reason reason, String why) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FabricException.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessage(why);
    }
}
