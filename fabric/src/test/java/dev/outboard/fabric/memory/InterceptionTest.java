package dev.outboard.fabric.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.MemoryAccess;
import dev.outboard.fabric.MemoryWatch;
import dev.outboard.fabric.MemoryWindow;
import dev.outboard.fabric.MmioHandler;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.roce.wire.EthernetFrame;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// A watch on a region, and registers in its place.
class InterceptionTest {
    private static final int DOMAIN = 1;
    private static final int QPN = 17;
    private static final int BYTES = 64;

    private final RegionTable table = new RegionTable(8, new SplittableRandom(1));
    private final Arena arena = Arena.ofAuto();
    private final MemorySegment other = arena.allocate(BYTES, 8);
    private final List<String> told = new ArrayList<>();
    private Consumer<MemoryAccess> before = access -> told.add("before " + access);
    private Consumer<MemoryAccess> after = access -> told.add("after " + access);
    private final RegisteredRegion watched =
            table.register(
                    DOMAIN,
                    arena.allocate(BYTES, 8),
                    new MemoryWatch() {
                        @Override
                        public void before(MemoryAccess access) {
                            before.accept(access);
                        }

                        @Override
                        public void after(MemoryAccess access) {
                            after.accept(access);
                        }
                    },
                    Set.of(Access.LOCAL_WRITE));
    private final Registers registers = new Registers();

    /// Eight longs; whoever touches the last one is refused.
    private static final class Registers implements MmioHandler {
        final List<String> calls = new ArrayList<>();
        RuntimeException refusal;
        Error breakdown;

        private void call(String what) {
            if (refusal != null) {
                throw refusal;
            }
            if (breakdown != null) {
                throw breakdown;
            }
            calls.add(what);
        }

        @Override
        public int readInt(long offset) {
            call("int at " + offset);
            return (int) offset;
        }

        @Override
        public long readLong(long offset) {
            call("long at " + offset);
            return offset;
        }

        @Override
        public void writeInt(long offset, int value) {
            call("int %d to %d".formatted(value, offset));
        }

        @Override
        public void writeLong(long offset, long value) {
            call("long %d to %d".formatted(value, offset));
        }
    }

    private RegisteredRegion mmio(Access... access) {
        return table.registerMmio(DOMAIN, BYTES, registers, Set.of(access));
    }

    @Test
    void aWatchIsToldBeforeAndAfterEachAccess() {
        watched.read(8, other, 0, 4, QPN, true);
        watched.write(16, other, 0, 5, QPN, false);
        watched.update(24, false, 0, 1, QPN);
        watched.update(32, true, 0, 1, QPN);
        watched.writeWord(40, 1, QPN);
        watched.append((payload, offset, length) -> {}, 48, 6, QPN, true);

        List<String> accesses =
                List.of(
                        "READ of 4 bytes at 8 by queue pair 17 for its peer",
                        "WRITE of 5 bytes at 16 by queue pair 17",
                        "ATOMIC of 8 bytes at 24 by queue pair 17 for its peer",
                        "ATOMIC of 8 bytes at 32 by queue pair 17 for its peer",
                        "WRITE of 8 bytes at 40 by queue pair 17",
                        "READ of 6 bytes at 48 by queue pair 17 for its peer");
        assertThat(told)
                .containsExactlyElementsOf(
                        accesses.stream()
                                .flatMap(
                                        each -> List.of("before " + each, "after " + each).stream())
                                .toList());
    }

    @Test
    void theAccessTakesPlaceBetweenTheTwoCalls() {
        MemorySegment memory = watched.segment();
        other.set(ValueLayout.JAVA_LONG, 0, 42);
        before = access -> told.add("before " + memory.get(ValueLayout.JAVA_LONG, 0));
        after = access -> told.add("after " + memory.get(ValueLayout.JAVA_LONG, 0));
        watched.write(0, other, 0, 8, QPN, true);
        assertThat(told).containsExactly("before 0", "after 42");

        before = access -> memory.set(ValueLayout.JAVA_LONG, 0, 43);
        watched.read(0, other, 8, 8, QPN, true);
        assertThat(other.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(43);
    }

    @Test
    void whatIsAppendedStaysAsItWasRead() {
        watched.segment().set(ValueLayout.JAVA_LONG, 8, 42);
        List<byte[]> appended = new ArrayList<>();
        Payload[] from = new Payload[1];
        long[] at = new long[1];
        watched.append(
                (payload, offset, length) -> {
                    from[0] = payload;
                    at[0] = offset;
                    appended.add(bytes(payload, offset, length));
                },
                8,
                8,
                QPN,
                true);
        watched.segment().fill((byte) -1);

        assertThat(bytes(from[0], at[0], 8)).isEqualTo(appended.getFirst());
        assertThat(appended.getFirst()[0]).isEqualTo((byte) 42);
    }

    private static byte[] bytes(Payload payload, long offset, int length) {
        return payload.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void atomicsReturnTheOldValue() {
        watched.segment().set(ValueLayout.JAVA_LONG, 0, 5);
        assertThat(watched.update(0, false, 0, 3, QPN)).isEqualTo(5);
        assertThat(watched.update(0, true, 7, 1, QPN)).as("another is expected").isEqualTo(8);
        assertThat(watched.update(0, true, 8, 1, QPN)).isEqualTo(8);
        assertThat(watched.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(1);

        RegisteredRegion plain =
                table.register(DOMAIN, arena.allocate(8, 8), Set.of(Access.LOCAL_WRITE));
        plain.writeWord(0, 5, QPN);
        assertThat(plain.update(0, false, 0, 3, QPN)).isEqualTo(5);
        assertThat(plain.update(0, true, 7, 1, QPN)).isEqualTo(8);
        assertThat(plain.update(0, true, 8, 1, QPN)).isEqualTo(8);
        assertThat(plain.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(1);
    }

    @Test
    void aWatchThatFailsIsCountedAndChangesNothing() {
        other.set(ValueLayout.JAVA_LONG, 0, 42);
        before =
                access -> {
                    throw new IllegalStateException("before");
                };
        after =
                access -> {
                    throw new AssertionError("after");
                };
        watched.write(0, other, 0, 8, QPN, true);

        assertThat(watched.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
        assertThat(failures())
                .isEqualTo(Map.of("memory.watch-failures", 2L, "memory.mmio-failures", 0L));
    }

    private Map<String, Long> failures() {
        Map<String, Long> counters = new TreeMap<>();
        table.countersTo(counters);
        counters.keySet().removeIf(name -> !name.endsWith("-failures"));
        return counters;
    }

    @Test
    void onlyMemoryWithoutAWatchIsPlain() {
        RegisteredRegion plain = table.register(DOMAIN, other, Set.of());

        assertThat(plain.isPlain()).isTrue();
        assertThat(watched.isPlain()).isFalse();
        assertThat(mmio().isPlain()).isFalse();
        plain.append(
                (payload, offset, length) -> {
                    assertThat(payload.segment()).isSameAs(plain.segment());
                    told.add(length + " at " + offset);
                },
                3,
                4,
                QPN,
                true);
        assertThat(told).containsExactly("4 at 3");
    }

    @Test
    void aPlainRegionWhoseArenaIsClosedCannotBeRead() {
        Arena closed = Arena.ofShared();
        RegisteredRegion gone = table.register(DOMAIN, closed.allocate(8), Set.of());
        closed.close();

        assertThatThrownBy(() -> gone.read(0, other, 0, 8, QPN, true))
                .isInstanceOf(MemoryFault.class)
                .hasMessageStartingWith("registered memory cannot be accessed: ");
    }

    @Test
    void registersBeginAtAddressZeroAndAreNoMemory() {
        RegisteredRegion region = mmio(Access.LOCAL_WRITE);

        assertThat(region.address()).isZero();
        assertThat(region.length()).isEqualTo(BYTES);
        assertThat(region.isOfHost()).isFalse();
        assertThat(region.segment()).isEqualTo(MemorySegment.NULL);
        assertThat(region.covers(0, BYTES)).isTrue();
        assertThat(region.covers(1, BYTES)).isFalse();
        assertThat(watched.isOfHost()).isTrue();
        assertThat(watched.address()).isEqualTo(watched.segment().address()).isNotZero();
    }

    @Test
    void registersAreReadAndWrittenByCalls() {
        RegisteredRegion region = mmio(Access.LOCAL_WRITE);
        region.read(4, other, 8, 16, QPN, true);
        assertThat(registers.calls).containsExactly("int at 4", "long at 8", "int at 16");
        assertThat(other.get(ValueLayout.JAVA_LONG_UNALIGNED, 12)).isEqualTo(8);
        registers.calls.clear();

        region.write(8, other, 12, 8, QPN, true);
        region.writeWord(16, 99, QPN);
        assertThat(registers.calls).containsExactly("long 8 to 8", "long 99 to 16");
    }

    @Test
    void whatAHandlerThrowsIsARefusalAndCounted() {
        RegisteredRegion region = mmio(Access.LOCAL_WRITE);
        registers.refusal = new IllegalStateException("not now");
        assertRefused(() -> region.read(0, other, 0, 8, QPN, true), "not now");
        assertRefused(() -> region.write(0, other, 0, 8, QPN, true), "not now");
        assertRefused(() -> region.writeWord(0, 1, QPN), "not now");
        assertRefused(
                () -> region.append((payload, at, length) -> told.add("appended"), 0, 8, QPN, true),
                "not now");
        assertThat(told).isEmpty();
        assertThat(failures())
                .isEqualTo(Map.of("memory.watch-failures", 0L, "memory.mmio-failures", 4L));
        registers.refusal = null;
        assertRefused(
                () -> region.read(2, other, 0, 8, QPN, true),
                "8 bytes at 2 are no registers; valid: multiples of 4");
    }

    /// The turn goes on, which others share.
    @Test
    void aHandlerThatBreaksDownRefusesToo() {
        RegisteredRegion region = mmio(Access.LOCAL_WRITE);
        registers.breakdown = new AssertionError("broken");

        assertRefused(() -> region.read(0, other, 0, 8, QPN, true), "broken");
        assertRefused(() -> region.write(0, other, 0, 8, QPN, true), "broken");
        assertThat(failures()).containsEntry("memory.mmio-failures", 2L);
    }

    private static void assertRefused(Runnable access, String why) {
        assertThatThrownBy(access::run).isInstanceOf(MemoryFault.class).hasMessageContaining(why);
    }

    @Test
    void registersHaveALengthAndTakeNoAtomics() {
        assertThatThrownBy(() -> table.registerMmio(DOMAIN, 0, registers, Set.of()))
                .isInstanceOf(FabricException.class)
                .hasMessage("registers of 0 bytes cannot be registered; valid: 1 or more");
        assertThat(table.registerMmio(DOMAIN, 1, registers, Set.of()).length()).isEqualTo(1);
        assertThatThrownBy(() -> mmio(Access.LOCAL_WRITE, Access.REMOTE_ATOMIC))
                .isInstanceOf(FabricException.class)
                .hasMessage("cannot register memory: registers take no atomic operations");
        assertThatThrownBy(() -> mmio(Access.REMOTE_WRITE))
                .isInstanceOf(FabricException.class)
                .hasMessage("cannot register memory: REMOTE_WRITE needs LOCAL_WRITE as well");
    }

    @Test
    void noWindowOntoRegistersGrantsAtomics() {
        RegisteredRegion region = mmio(Access.LOCAL_WRITE, Access.MEMORY_WINDOW_BIND);

        assertThat(binds(region, Access.REMOTE_ATOMIC)).isFalse();
        assertThat(binds(region, Access.REMOTE_WRITE)).isTrue();
    }

    private boolean binds(RegisteredRegion region, Access right) {
        AllocatedWindow window = table.allocateWindow(DOMAIN, MemoryWindow.Type.TYPE_1);
        return window.bind(DOMAIN, QPN, region, 0, 8, right.bit(), SendRequest.NEXT_KEY_PART);
    }

    /// What was staged stays until a sink has passed it on.
    @Test
    void theNewestStagedBytesLeaveThoseThatASinkMayHold() {
        Staging staging = new Staging();
        SplittableRandom random = new SplittableRandom(1);
        int size = (int) staging.payload().byteSize();
        int[] age = new int[size];
        Arrays.fill(age, Integer.MIN_VALUE / 2);
        int total = 0;
        for (int round = 0; round < 500; round++) {
            int length = 1 + random.nextInt(EthernetFrame.MAX_LENGTH);
            int at = (int) staging.room(length);
            for (int i = at; i < at + length; i++) {
                assertThat(total - age[i]).isGreaterThan(PayloadSink.MAX_HELD_BYTES);
                age[i] = total;
            }
            total += length;
        }
        assertThat(total).as("it went round").isGreaterThan(2 * size);
    }
}
