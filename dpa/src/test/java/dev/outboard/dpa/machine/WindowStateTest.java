package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.testkit.Requirement;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a thread keeps of its window, for how long, and when it is given up.
class WindowStateTest {
    /// The key of each fixture has the same number.
    private static final int KEY = new ProcessFixture(RunMode.fast()).key.number();

    private static final String RUNS = "dev.outboard.dpa.machine.ProcessFixture#runs";
    private static final int SEEDS = 200;
    private static final long FLAG = AddressMap.HEAP + 64;
    private static final long RESULT = AddressMap.HEAP + 128;
    private static final long DONE = AddressMap.HEAP + 192;

    /// What a run of each seed under WEAK tells.
    private static Set<Long> outcomes(LongFunction<Long> run) {
        Set<Long> outcomes = new TreeSet<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            outcomes.add(run.apply(seed));
        }
        return outcomes;
    }

    private static ProcessFixture weak(long seed) {
        ProcessFixture fixture = new ProcessFixture(RunMode.weak(Profile.SEED, seed));
        for (long word : new long[] {FLAG, RESULT, DONE}) {
            fixture.process.write64(word, 0);
        }
        return fixture;
    }

    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement("DPA-FXW-4")
    void eachThreadHasItsOwnWindowAndKeepsIt(RunMode mode) {
        ProcessFixture fixture = new ProcessFixture(mode);
        long inside = fixture.region.address() + 64;
        fixture.process.write64(RESULT, 0);
        ThreadHandle handler =
                fixture.process.thread(
                        "handler",
                        thread -> {
                            long round = thread.load64(RESULT);
                            if (round == 0) {
                                thread.configureWindow(fixture.key.number());
                            }
                            thread.store64(inside + 8 * round, 1);
                            thread.windowWriteback();
                            thread.store64(RESULT, round + 1);
                            thread.memoryWriteback();
                            thread.reschedule();
                        },
                        ThreadAttributes.HANDLER);
        fixture.process.thread(
                "other",
                thread -> {
                    while (thread.load64(RESULT) < 2) {}
                    thread.load64(inside);
                });
        fixture.process.host(
                "source",
                host -> {
                    host.activate(handler);
                    while (host.copyFrom(RESULT, 1)[0] == 0) {
                        host.pause();
                    }
                    host.activate(handler);
                });
        RunResult result = fixture.run();
        assertThat(result.crash())
                .hasValueSatisfying(crash -> {
                    assertThat(crash.thread()).isEqualTo("other");
                    assertThat(crash.fault()).isEqualTo(Fault.WINDOW_NOT_CONFIGURED);
                });
        assertThat(fixture.process.read64(inside + 8)).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement("DPA-FXW-4")
    void thePresentKeyDecides(RunMode mode) {
        ProcessFixture fixture = new ProcessFixture(mode);
        ExternalKey first =
                fixture.process.external().register(fixture.region, 0, 64, Rights.READ_WRITE);
        ExternalKey second =
                fixture.process.external().register(fixture.region, 64, 64, Rights.READ_WRITE);
        long pointer = fixture.region.address();
        CrashReport crash =
                fixture.crash(thread -> {
                    thread.configureWindow(first.number());
                    thread.store64(pointer, 1);
                    thread.configureWindow(second.number());
                    thread.store64(pointer + 64, 1);
                    thread.configureWindow(first.number());
                    thread.store64(pointer, 2);
                    thread.configureWindow(second.number());
                    thread.store64(pointer, 3);
                });
        ProcessFixture.assertFault(crash, Fault.WINDOW_DENIED, 7, pointer, 8);
        assertThat(crash.detail()).contains("key 0x%x".formatted(second.number()));
        assertThat(fixture.process.read64(pointer)).isEqualTo(2);
    }

    /// A load after a flag in DPA memory: of a copy that is older than the flag, or not.
    private static long loadAfterFlag(long seed, Kernel between) {
        ProcessFixture fixture = weak(seed);
        long data = fixture.region.address() + 64;
        fixture.process.thread(
                "reader",
                thread -> {
                    thread.configureWindow(fixture.key.number());
                    thread.load64(data);
                    while (thread.load64(FLAG) == 0) {}
                    between.run(thread);
                    thread.store64(RESULT, thread.load64(data));
                });
        fixture.process.host(
                "host",
                host -> {
                    host.store64(data, 1);
                    host.copyTo(FLAG, new byte[] {1});
                });
        fixture.runsToItsEnd();
        return fixture.process.read64(RESULT);
    }

    /// What the host sees of a window store once it sees the flag that was stored after it.
    private static long seenAfterFlag(long seed, Kernel between) {
        ProcessFixture fixture = weak(seed);
        long data = fixture.region.address() + 64;
        fixture.process.thread(
                "writer",
                thread -> {
                    thread.configureWindow(fixture.key.number());
                    thread.store64(data, 1);
                    between.run(thread);
                    thread.store64(FLAG, 1);
                    thread.memoryWriteback();
                });
        long[] seen = new long[1];
        fixture.process.host(
                "host",
                host -> {
                    while (host.copyFrom(FLAG, 1)[0] == 0) {
                        host.pause();
                    }
                    seen[0] = host.load64(data);
                });
        fixture.runsToItsEnd();
        return seen[0];
    }

    private static void configureAgain(DpaThread thread) {
        thread.configureWindow(KEY);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"DPA-FXW-5", "DPA-FXW-6", "DPA-MEM-16b"})
    void aChangeOfTheKeyCompletesStoresAndDropsCopies(boolean change) {
        Kernel between = change ? WindowStateTest::configureAgain : thread -> {};
        assertThat(outcomes(seed -> loadAfterFlag(seed, between)))
                .containsExactlyElementsOf(change ? Set.of(1L) : new TreeSet<>(Set.of(0L, 1L)));
        assertThat(outcomes(seed -> seenAfterFlag(seed, between)))
                .containsExactlyElementsOf(change ? Set.of(1L) : new TreeSet<>(Set.of(0L, 1L)));
    }

    /// A copy that the first activation brought is still there in the second one, unless that drops
    /// it; the start of an activation does not (DPA-OPM-13).
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"DPA-MEM-14", "DPA-OPM-13c"})
    void copiesSurviveTheEndOfAnActivation(boolean drop) {
        Set<Long> outcomes =
                outcomes(seed -> {
                    ProcessFixture fixture = weak(seed);
                    long data = fixture.region.address() + 64;
                    ThreadHandle handler =
                            fixture.process.thread(
                                    "handler",
                                    thread -> {
                                        if (thread.load64(DONE) == 0) {
                                            thread.configureWindow(fixture.key.number());
                                        }
                                        if (drop) {
                                            thread.windowReadInv();
                                        }
                                        // What comes before the activation it sees in DPA memory.
                                        thread.store64(
                                                RESULT,
                                                2 * thread.load64(FLAG) + thread.load64(data));
                                        thread.store64(DONE, 1);
                                        thread.memoryWriteback();
                                        thread.reschedule();
                                    },
                                    ThreadAttributes.HANDLER);
                    fixture.process.host(
                            "source",
                            host -> {
                                host.activate(handler);
                                while (host.copyFrom(DONE, 1)[0] == 0) {
                                    host.pause();
                                }
                                host.store64(data, 1);
                                host.copyTo(FLAG, new byte[] {1});
                                host.activate(handler);
                            });
                    fixture.runsToItsEnd();
                    return fixture.process.read64(RESULT);
                });
        assertThat(outcomes)
                .containsExactlyElementsOf(drop ? Set.of(3L) : new TreeSet<>(Set.of(2L, 3L)));
    }

    /// A store of the first activation is not written by its end, nor lost: the writeback of the
    /// second one covers it.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement("DPA-MEM-14")
    void storesSurviveTheEndOfAnActivation(boolean writeBack) {
        Set<Long> outcomes =
                outcomes(seed -> {
                    ProcessFixture fixture = weak(seed);
                    long data = fixture.region.address() + 64;
                    ThreadHandle handler =
                            fixture.process.thread(
                                    "handler",
                                    thread -> {
                                        if (thread.load64(DONE) == 0) {
                                            thread.configureWindow(fixture.key.number());
                                            thread.store64(data, 1);
                                        } else {
                                            thread.store64(RESULT, thread.load64(data));
                                            if (writeBack) {
                                                thread.windowWriteback();
                                            }
                                        }
                                        thread.store64(DONE, 1);
                                        thread.memoryWriteback();
                                        thread.reschedule();
                                    },
                                    ThreadAttributes.HANDLER);
                    fixture.process.host(
                            "source",
                            host -> {
                                host.activate(handler);
                                while (host.copyFrom(DONE, 1)[0] == 0) {
                                    host.pause();
                                }
                                host.activate(handler);
                            });
                    fixture.runsToItsEnd();
                    assertThat(fixture.process.read64(RESULT)).as("own store").isEqualTo(1);
                    return fixture.process.read64(data);
                });
        assertThat(outcomes)
                .containsExactlyElementsOf(writeBack ? Set.of(1L) : new TreeSet<>(Set.of(0L, 1L)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement("DPA-FXH-5")
    void aCopyFromTheHeapGivesTheViewOfTheNic(boolean writeBack) {
        Set<Long> outcomes =
                outcomes(seed -> {
                    ProcessFixture fixture = weak(seed);
                    fixture.process.thread(
                            "writer",
                            thread -> {
                                thread.store64(RESULT, 1);
                                thread.memoryFence(Op.W, Op.W);
                                thread.store64(FLAG, 1);
                                if (writeBack) {
                                    thread.memoryWriteback();
                                }
                                thread.store64(DONE, 1);
                            });
                    fixture.process.thread(
                            "reader",
                            thread -> {
                                while (thread.load64(DONE) == 0 || thread.load64(FLAG) == 0) {}
                                thread.configureOutbox(fixture.outbox);
                                thread.store64(
                                        AddressMap.OUTBOX + AddressMap.MSIX_DOORBELL,
                                        Doorbell.interrupt(1));
                            });
                    long[] seen = new long[1];
                    fixture.process.host(
                            "host",
                            host -> {
                                host.awaitDoorbell(AddressMap.MSIX_DOORBELL, 1);
                                seen[0] = host.copyFrom(RESULT, 8)[0];
                            });
                    assertThat(fixture.run().end()).isEqualTo(End.DONE);
                    return seen[0];
                });
        assertThat(outcomes)
                .containsExactlyElementsOf(writeBack ? Set.of(1L) : new TreeSet<>(Set.of(0L, 1L)));
    }
}
