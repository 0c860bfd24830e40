package dev.outboard.dpa.machine;

import static dev.outboard.dpa.machine.ProcessFixture.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.machine.MachineOptions.Storage;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What memory a process has, who reaches it, and how long it keeps its content.
class ProcessMemoryTest {
    private static final String RUNS = "dev.outboard.dpa.machine.ProcessFixture#runs";
    private static final long POISON = 0xA5A5_A5A5_A5A5_A5A5L;

    /// The kinds that are memory.
    private static final Set<ExternalKind> MEMORY =
            EnumSet.complementOf(EnumSet.of(ExternalKind.MMIO));

    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement("DPA-HW-9")
    void eachThreadHasAStackOfItsOwn(RunMode mode) {
        assertThat(Storage.DEFAULT.stackBytes()).isEqualTo(8 << 10);
        ProcessFixture fixture = new ProcessFixture(mode);
        List<Long> lowest = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 5; i++) {
            fixture.process.thread(
                    "thread " + i,
                    thread -> {
                        long all = thread.allocateStack(ProcessFixture.STACK_BYTES);
                        thread.store64(all, 100 + thread.number());
                        thread.store64(all + ProcessFixture.STACK_BYTES - 8, thread.number());
                        lowest.add(all);
                    });
        }
        fixture.runsToItsEnd();
        assertThat(Set.copyOf(lowest)).hasSize(5);
        for (int i = 0; i < 5; i++) {
            long stack = AddressMap.stack(i);
            assertThat(lowest).contains(stack);
            assertThat(fixture.process.read64(stack)).isEqualTo(100 + i);
            assertThat(fixture.process.read64(stack + ProcessFixture.STACK_BYTES - 8)).isEqualTo(i);
        }
    }

    static List<RunMode> checked() {
        return List.of(
                RunMode.check(new Trace(), 1), RunMode.checkWeak(new Trace(), Profile.SEED, 1));
    }

    @ParameterizedTest
    @MethodSource("checked")
    @Requirement("DPA-HW-9")
    void aStackIsPoisonedAtEachActivation(RunMode mode) {
        ProcessFixture fixture = new ProcessFixture(mode);
        List<Long> seen = new ArrayList<>();
        ThreadHandle handler =
                fixture.process.thread(
                        "handler",
                        thread -> {
                            long word = thread.allocateStack(8);
                            seen.add(thread.load64(word));
                            thread.store64(word, 7);
                            seen.add(thread.load64(word));
                            thread.atomic64(AtomicOp.ADD, AddressMap.HEAP, 1, AtomicOrder.RELAXED);
                            thread.memoryWriteback();
                            thread.reschedule();
                        },
                        ThreadAttributes.HANDLER);
        fixture.process.write64(AddressMap.HEAP, 0);
        fixture.process.host(
                "source",
                host -> {
                    for (int i = 0; i < 3; i++) {
                        host.activate(handler);
                        while (host.copyFrom(AddressMap.HEAP, 1)[0] == i) {
                            host.pause();
                        }
                    }
                });
        fixture.runsToItsEnd();
        assertThat(seen).containsExactly(POISON, 7L, POISON, 7L, POISON, 7L);
    }

    /// The first activation of one thread stores, the second activation of another finds it.
    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement({"DPA-HW-10a", "DPA-HW-11"})
    void globalsAndHeapAreSharedAndKeepTheirContent(RunMode mode) {
        long[] words = {AddressMap.GLOBALS + 8, AddressMap.HEAP + 64};
        for (long word : words) {
            ProcessFixture fixture = new ProcessFixture(mode);
            fixture.process.write64(word, 0);
            List<ThreadHandle> handlers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                handlers.add(
                        fixture.process.thread(
                                "handler " + i,
                                thread -> {
                                    thread.store64(word, 10 * thread.load64(word) + 1);
                                    thread.memoryWriteback();
                                    if (thread.number() == 2) {
                                        thread.finish();
                                    }
                                    thread.reschedule();
                                },
                                ThreadAttributes.HANDLER));
            }
            fixture.process.host(
                    "source",
                    host -> {
                        long last = 0;
                        for (int i : new int[] {0, 1, 0, 2}) {
                            host.activate(handlers.get(i));
                            last = 10 * last + 1;
                            while (word(host, word) != last) {
                                host.pause();
                            }
                        }
                    });
            fixture.runsToItsEnd();
            assertThat(fixture.process.read64(word)).isEqualTo(1111);
        }
    }

    private static long word(Host host, long address) {
        long value = 0;
        byte[] bytes = host.copyFrom(address, 8);
        for (int i = 7; i >= 0; i--) {
            value = (value << 8) | (bytes[i] & 0xFF);
        }
        return value;
    }

    @Test
    void eachProcessStartsFromTheImage() {
        for (int i = 0; i < 2; i++) {
            ProcessFixture fixture = new ProcessFixture(RunMode.fast());
            byte[] globals = new byte[ProcessFixture.GLOBAL_BYTES];
            globals[0] = ProcessFixture.FIRST_GLOBAL;
            assertThat(fixture.process.read(AddressMap.GLOBALS, globals.length)).isEqualTo(globals);
            assertThat(fixture.process.read(AddressMap.CODE, 8))
                    .isEqualTo(ProcessFixture.CONSTANTS);
            fixture.fine(thread -> thread.store64(AddressMap.GLOBALS, -1));
        }
    }

    /// Through a window with a key of its own, and by the NIC.
    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement({"DPA-HW-12", "DPA-HW-15a"})
    void threadsAndNicReachEachKindOfExternalMemory(RunMode mode) {
        assertThat(ExternalKind.values())
                .extracting(Enum::name)
                .containsExactly("HOST", "ARM", "GPU", "DEVICE", "MMIO");
        for (ExternalKind kind : MEMORY) {
            ProcessFixture fixture = new ProcessFixture(mode);
            ExternalRegion region = fixture.process.external().add("other", kind, 128);
            ExternalKey key = fixture.process.external().register(region, Rights.READ_WRITE);
            assertThat(key.number()).isNotEqualTo(fixture.key.number());
            fixture.process.write64(region.address() + 64, 5);
            fixture.process.thread(
                    "thread",
                    thread -> {
                        thread.configureWindow(key.number());
                        long value = thread.load64(region.address() + 64);
                        thread.store64(region.address(), value + 1);
                        thread.windowWriteback();
                        thread.configureOutbox(fixture.outbox);
                        thread.store64(
                                AddressMap.OUTBOX + AddressMap.SEND_DOORBELL, Doorbell.send(1, 0));
                    });
            fixture.process.nic(
                    "nic",
                    nic -> {
                        nic.awaitDoorbell(AddressMap.SEND_DOORBELL, 1);
                        nic.store64(region.address() + 8, nic.load64(region.address()) + 1);
                    });
            fixture.runsToItsEnd();
            assertThat(fixture.process.read64(region.address())).as("%s", kind).isEqualTo(6);
            assertThat(fixture.process.read64(region.address() + 8)).isEqualTo(7);
        }
    }

    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement("DPA-HW-15c")
    void theHostReachesItsOwnMemoryAndThatOfTheArmDirectlyAndCopiesTheRest(RunMode mode) {
        for (ExternalKind kind : MEMORY) {
            boolean direct = kind == ExternalKind.HOST || kind == ExternalKind.ARM;
            ProcessFixture copies = new ProcessFixture(mode);
            long address = copies.process.external().add("other", kind, 128).address();
            copies.process.host(
                    "host",
                    host -> {
                        host.copyTo(address, new byte[] {1, 2, 3});
                        byte[] read = host.copyFrom(address, 3);
                        host.copyTo(address + 64, read);
                        if (direct) {
                            host.store8(address + 3, host.load8(address) + 3);
                        }
                    });
            copies.runsToItsEnd();
            assertThat(copies.process.read(address + 64, 3)).containsExactly(1, 2, 3);
            assertThat(copies.process.read(address, 4)).containsExactly(1, 2, 3, direct ? 4 : 0);
            if (!direct) {
                for (int store = 0; store < 2; store++) {
                    boolean stores = store == 1;
                    ProcessFixture refused = new ProcessFixture(mode);
                    long other = refused.process.external().add("other", kind, 128).address();
                    refused.process.host(
                            "host",
                            host -> {
                                if (stores) {
                                    host.store64(other, 1);
                                } else {
                                    host.load64(other);
                                }
                            });
                    assertThatThrownBy(refused::run)
                            .hasCauseInstanceOf(IllegalArgumentException.class)
                            .cause()
                            .hasMessageContaining("by copies only");
                }
            }
        }
    }

    /// Where each region counts.
    @Test
    @Requirement("DPA-MEM-5")
    void eachAddressTellsItsSpaces() {
        assertThat(spaces(AddressMap.HEAP)).containsExactly(Space.HEAP, Space.MEMORY, Space.SYSTEM);
        for (long address :
                new long[] {AddressMap.GLOBALS, AddressMap.stack(0), AddressMap.stack(250)}) {
            assertThat(spaces(address)).containsExactly(Space.MEMORY, Space.SYSTEM);
        }
        for (long address :
                new long[] {
                    AddressMap.WINDOW | 0x1_0000,
                    AddressMap.WINDOW | Long.MAX_VALUE,
                    AddressMap.OUTBOX,
                    AddressMap.OUTBOX + AddressMap.SEND_DOORBELL
                }) {
            assertThat(spaces(address)).containsExactly(Space.MMIO, Space.SYSTEM);
        }
    }

    private static List<Space> spaces(long address) {
        return Arrays.stream(Space.values())
                .filter(space -> AddressMap.contains(space, address))
                .toList();
    }

    /// A fence of each space between a store to each region of DPA memory and a flag in the heap.
    @ParameterizedTest
    @EnumSource(Space.class)
    @Requirement("DPA-MEM-5")
    void aFenceOrdersTheMemoryOfItsSpace(Space space) {
        long[] regions = {AddressMap.HEAP + 64, AddressMap.GLOBALS + 8, AddressMap.stack(0)};
        for (long data : regions) {
            ProcessFixture fixture = new ProcessFixture(RunMode.explore(Profile.SEED), OPTIONS);
            DpaProcess process = fixture.process;
            long flag = AddressMap.HEAP + 128;
            long[] seen = new long[2];
            process.thread(
                    "writer",
                    thread -> {
                        thread.store64(data, 1);
                        thread.fence(space, Op.W, Op.W);
                        thread.store64(flag, 1);
                    });
            process.thread(
                    "reader",
                    thread -> {
                        seen[0] = thread.load64(flag);
                        seen[1] = thread.load64(data);
                    });
            boolean covered = AddressMap.contains(space, data) && AddressMap.contains(space, flag);
            assertThat(process.explore(result -> seen[0] + " " + seen[1]).outcomes())
                    .as("%s and 0x%x", space, data)
                    .containsExactlyElementsOf(
                            covered
                                    ? List.of("0 0", "0 1", "1 1")
                                    : List.of("0 0", "0 1", "1 0", "1 1"));
        }
    }

    @Test
    @Requirement({"DPA-FXH-2a", "DPA-FXH-2b"})
    void blocksAreAlignedAndPoisonedAndTheirNumberIsLimited() {
        for (boolean checked : new boolean[] {false, true}) {
            RunMode mode = RunMode.check(checked ? new Trace() : Observer.NONE, 1);
            Heap heap = new ProcessFixture(mode).process.heap();
            DpaProcess process = new ProcessFixture(mode).process;
            assertThat(heap.allocate(1) % 64).isZero();
            assertThat(heap.allocate(65) % 64).isZero();
            assertThat(heap.allocate(ProcessFixture.HEAP_BYTES)).isZero();
            assertThat(heap.allocate(1L << 40)).isZero();
            long block = process.heap().allocate(64);
            process.write64(block, 3);
            assertThat(process.heap().free(block)).isTrue();
            assertThat(process.heap().allocate(64)).isEqualTo(block);
            assertThat(process.read64(block)).isEqualTo(checked ? POISON : 3);
        }
    }

    @Test
    @Requirement("DPA-FXH-3")
    void whatIsNoBlockIsNotFreed() {
        ProcessFixture fixture = new ProcessFixture(RunMode.fast());
        Heap heap = fixture.process.heap();
        long first = heap.allocate(100);
        long second = heap.allocate(100);
        assertThat(heap.free(0)).isTrue();
        for (long address :
                new long[] {first + 64, first - 64, second + 128, 1, AddressMap.HEAP - 1}) {
            assertThat(heap.free(address)).isFalse();
        }
        assertThat(heap.free(second)).isTrue();
        assertThat(heap.free(second)).as("once more").isFalse();
        assertThat(heap.allocatedBytes()).isEqualTo(100);
        assertThat(heap.isLive(first, 100)).isTrue();
        assertThat(heap.isLive(first, 101)).isFalse();
        assertThat(heap.allocate(100)).isEqualTo(second);
    }
}
