package dev.outboard.node.offload;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.RegionFlags;
import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.server.Routine;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.naa.server.ServerLog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A routine whose target cannot be opened, fails or is busy, and its second target.
class SecondTargetTest {
    private static final AtomicInteger CARDS = new AtomicInteger();
    private static final int CODE = 13;

    /// What each target does in the place of its routine.
    private final Map<Target, Routine> computing = new ConcurrentHashMap<>();

    private final Set<Target> closed = ConcurrentHashMap.newKeySet();
    private final List<String> said = Collections.synchronizedList(new ArrayList<>());
    private final ServerLog log = new ServerLog(said::add);
    private Arena arena;
    private Device card;

    @BeforeEach
    void open() {
        arena = Arena.ofShared();
        card = Fabric.open("sim://second-%d/10.8.0.1".formatted(CARDS.incrementAndGet()));
    }

    @AfterEach
    void close() {
        card.close();
        arena.close();
    }

    private OffloadedRoutine opened(
            RoutineSpec spec, Target target, KernelLanguage kernels, Device device) {
        Routine routine = computing.get(target);
        if (routine == null) {
            throw new IllegalStateException("no tool for " + target.word());
        }
        return new OffloadedRoutine() {
            @Override
            public int run(RpcContext context) throws Exception {
                return routine.run(context);
            }

            @Override
            public void close() {
                closed.add(target);
            }
        };
    }

    /// "edges", which may run anywhere, marks the first byte of every region on the processor.
    private Targets targets(Placement place, Map<Target, TargetLimit> limits) {
        RoutineSpec edges = RoutineSpec.of(CODE, "edges", marking(1));
        return Targets.open(
                new RoutinePlan(RoutineSet.of(edges), Map.of("edges", place), limits),
                card,
                log,
                this::opened);
    }

    private Targets afuThenCpu() {
        return targets(Placement.on(Target.AFU).orElse(Target.CPU), Map.of());
    }

    /// Adds to the first byte of every region.
    private static Routine marking(int addend) {
        return rpc -> {
            List<RoutineRegion> all = new ArrayList<>(rpc.parameters());
            all.addAll(rpc.internals());
            for (RoutineRegion region : all) {
                byte old = region.memory().get(JAVA_BYTE, 0);
                region.memory().set(JAVA_BYTE, 0, (byte) (old + addend));
            }
            return ReturnCode.SUCCESS;
        };
    }

    private static Routine failing(TargetError error) {
        return rpc -> {
            marking(50).run(rpc);
            throw error.because("it broke");
        };
    }

    private RpcContext rpc(Duration time) {
        List<RoutineRegion> parameters = new ArrayList<>();
        for (int flags : new int[] {RegionFlags.INPUT, RegionFlags.OUTPUT, 3, 0}) {
            parameters.add(new RoutineRegion(parameters.size(), flags, 0, memory()));
        }
        List<RoutineRegion> internals = List.of(new RoutineRegion(0, 0, 0, memory()));
        return new RpcContext(CODE, 0, parameters, internals, System.nanoTime() + time.toNanos());
    }

    private RpcContext rpc() {
        return rpc(Duration.ofMinutes(2));
    }

    private MemorySegment memory() {
        MemorySegment memory = arena.allocate(5);
        memory.set(JAVA_BYTE, 0, (byte) 7);
        return memory;
    }

    private static int call(Targets targets, RpcContext rpc) throws Exception {
        return targets.routines().find(CODE).orElseThrow().routine().run(rpc);
    }

    private static List<Byte> marks(RpcContext rpc) {
        List<RoutineRegion> all = new ArrayList<>(rpc.parameters());
        all.addAll(rpc.internals());
        return all.stream().map(region -> region.memory().get(JAVA_BYTE, 0)).toList();
    }

    private static List<Byte> all(int mark) {
        return Collections.nCopies(5, (byte) mark);
    }

    private String lines() {
        assertThat(log.flush(Duration.ofMinutes(1))).isTrue();
        return String.join("\n", said);
    }

    @Test
    void theFirstTargetComputesWhileItCan() throws Exception {
        computing.put(Target.AFU, marking(10));
        try (Targets targets = afuThenCpu()) {
            RpcContext rpc = rpc();
            assertThat(call(targets, rpc)).isZero();

            assertThat(marks(rpc)).isEqualTo(all(17));
            assertThat(targets.counters()).containsEntry("routine.edges.fallbacks", 0L);
            assertThat(lines()).isEmpty();
        }
        assertThat(closed).containsExactly(Target.AFU);
    }

    @ParameterizedTest
    @EnumSource
    void whatItFailsIsComputedOnTheSecondWithTheRegionsThatTheClientHasSent(TargetError error)
            throws Exception {
        computing.put(Target.AFU, failing(error));
        try (Targets targets = afuThenCpu()) {
            RpcContext rpc = rpc();
            assertThat(call(targets, rpc)).isZero();

            assertThat(marks(rpc)).isEqualTo(all(8));
            assertThat(targets.counters())
                    .containsEntry("routine.edges.fallbacks", 1L)
                    .containsEntry("target.afu.running", 0L)
                    .containsEntry("target.cpu.running", 0L);
            assertThat(lines())
                    .isEqualTo("routine edges: a call runs on the second target, cpu: it broke");
        }
    }

    @Test
    void aTargetThatCannotBeOpenedIsNeverAsked() throws Exception {
        try (Targets targets = afuThenCpu()) {
            assertThat(lines())
                    .isEqualTo(
                            "routine edges runs on its second target, cpu: target 'afu' cannot be"
                                    + " opened: no tool for afu");
            RpcContext rpc = rpc();
            assertThat(call(targets, rpc)).isZero();
            assertThat(call(targets, rpc)).isZero();

            assertThat(marks(rpc)).isEqualTo(all(9));
            assertThat(targets.counters()).containsEntry("routine.edges.fallbacks", 2L);
        }
    }

    @Test
    void withoutASecondTargetItIsAFailure() throws Exception {
        assertThatThrownBy(() -> targets(Placement.on(Target.AFU), Map.of()))
                .hasMessage("no tool for afu");
        computing.put(Target.AFU, failing(TargetError.FAILED));
        try (Targets targets = targets(Placement.on(Target.AFU), Map.of())) {
            assertThatThrownBy(() -> call(targets, rpc())).hasMessage("it broke");
            assertThat(targets.counters()).doesNotContainKey("routine.edges.fallbacks");
        }
    }

    @Test
    void aSecondTargetThatCannotBeOpenedIsRefusedAndTheOtherClosed() {
        computing.put(Target.DPA, marking(1));
        assertThatThrownBy(() -> targets(Placement.on(Target.DPA).orElse(Target.AFU), Map.of()))
                .hasMessage("no tool for afu");
        assertThatThrownBy(() -> Placement.on(Target.AFU).orElse(Target.AFU))
                .hasMessage("the second target is 'afu', like the first; valid: another one");
    }

    @Test
    void whatTheRoutineItselfRefusesIsNotComputedAgain() throws Exception {
        computing.put(
                Target.AFU,
                rpc -> {
                    marking(50).run(rpc);
                    throw new RoutineException(0x23, "no image");
                });
        try (Targets targets = afuThenCpu()) {
            RpcContext rpc = rpc();
            assertThatThrownBy(() -> call(targets, rpc)).hasMessage("no image");
            assertThat(marks(rpc)).isEqualTo(all(57));
            assertThat(targets.counters()).containsEntry("routine.edges.fallbacks", 0L);
        }
    }

    @Test
    void nobodyComputesAgainWhatNobodyWaitsFor() {
        computing.put(Target.AFU, failing(TargetError.BUSY));
        try (Targets targets = afuThenCpu()) {
            assertThatThrownBy(() -> call(targets, rpc(Duration.ZERO))).hasMessage("it broke");
        }
    }

    /// The one place is taken by whoever calls again from inside.
    @Test
    void whatFindsNoPlaceOnTheFirstTargetRunsOnTheSecond() throws Exception {
        List<Targets> one = new ArrayList<>();
        RpcContext inner = rpc();
        computing.put(
                Target.AFU,
                rpc -> {
                    assertThat(call(one.getFirst(), inner)).isZero();
                    return marking(10).run(rpc);
                });
        try (Targets targets =
                targets(
                        Placement.on(Target.AFU).orElse(Target.CPU),
                        Map.of(Target.AFU, new TargetLimit(1, 0)))) {
            one.add(targets);
            RpcContext outer = rpc();
            assertThat(call(targets, outer)).isZero();

            assertThat(marks(inner)).isEqualTo(all(8));
            assertThat(marks(outer)).isEqualTo(all(17));
            assertThat(targets.counters())
                    .containsEntry("target.afu.busy", 1L)
                    .containsEntry("routine.edges.fallbacks", 1L);
            assertThat(lines()).contains("1 calls run on target 'afu', and 0 wait already");
        }
    }

    @Test
    void whoeverFollowsHasTheirCountersAndClosesNothingOfTheirs() throws Exception {
        computing.put(Target.AFU, failing(TargetError.FAILED));
        try (Targets targets = afuThenCpu()) {
            call(targets, rpc());
            computing.put(Target.DPA, marking(20));
            RoutineSpec edges = RoutineSpec.of(CODE, "edges", marking(1));
            try (Targets next =
                    targets.followedBy(
                            new RoutinePlan(
                                    RoutineSet.of(edges),
                                    Map.of("edges", Placement.on(Target.DPA)),
                                    Map.of()))) {
                RpcContext rpc = rpc();
                call(next, rpc);
                assertThat(marks(rpc)).isEqualTo(all(27));
                assertThat(next.counters()).containsEntry("routine.edges.fallbacks", 1L);
            }
            assertThat(closed).containsExactly(Target.DPA);
            call(targets, rpc());
        }
        assertThat(closed).contains(Target.AFU);
    }
}
