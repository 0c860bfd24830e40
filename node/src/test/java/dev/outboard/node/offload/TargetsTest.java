package dev.outboard.node.offload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.ccip.rtl.RtlBuild;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.naa.server.ServerLog;
import dev.outboard.node.routine.EdgeDetection;
import dev.outboard.node.routine.RoutineCatalog;
import dev.outboard.node.routine.RoutineError;
import dev.outboard.node.watch.NodeTrace;
import dev.outboard.testkit.TraceFile;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TargetsTest {
    private static final AtomicInteger CARDS = new AtomicInteger();
    private static final int PAGE_BYTES = 4096;
    private static final int[][] IMAGES = {
        {1, 1, 1}, {3, 200, 1}, {200, 3, 3}, {129, 65, 3}, {640, 480, 3}
    };

    private Device card;
    private Arena arena;

    @BeforeEach
    void open() {
        card = Fabric.open("sim://targets-%d/10.6.0.1".formatted(CARDS.incrementAndGet()));
        arena = Arena.ofShared();
    }

    @AfterEach
    void close() {
        arena.close();
        card.close();
    }

    private Targets edgesOn(Target target, KernelLanguage kernels) {
        Kernels.assumeIn(kernels);
        return placed("edges", Placement.on(target), kernels);
    }

    private Targets placed(String routine, Placement place, KernelLanguage kernels) {
        return Targets.open(
                new RoutinePlan(RoutineCatalog.ROUTINES, Map.of(routine, place), Map.of(), kernels),
                card,
                new ServerLog(_ -> {}));
    }

    @ParameterizedTest
    @CsvSource({"CPU, JAVA", "AFU, JAVA", "DPA, JAVA", "DPA, C"})
    void edgesAreTheSameOnEachTarget(Target target, KernelLanguage kernels) throws Exception {
        try (Targets targets = edgesOn(target, kernels)) {
            for (int[] image : IMAGES) {
                for (boolean hasPages : new boolean[] {true, false}) {
                    List<RoutineRegion> regions = regions(hasPages, image[0], image[1], image[2]);
                    assertThat(call(targets, regions)).isZero();
                    assertThat(regions.get(2).memory().mismatch(expected(regions, image)))
                            .as("%d x %d x %d", image[0], image[1], image[2])
                            .isEqualTo(-1);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CPU", "AFU", "DPA"})
    void whatIsNoImageHasTheSameCodeOnEachTarget(Target target) throws Exception {
        try (Targets targets = edgesOn(target, KernelLanguage.JAVA)) {
            assertThat(call(targets, regions(true, 4, 4, 2)))
                    .isEqualTo(RoutineError.IMAGE_DIMENSIONS.code());
            List<RoutineRegion> regions = new ArrayList<>(regions(true, 4, 4, 1));
            regions.set(2, region(2, 15, true));
            assertThat(call(targets, regions)).isEqualTo(RoutineError.IMAGE_SIZE.code());
            assertThat(call(targets, regions(true, 4, 4, 1))).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CPU", "AFU", "DPA"})
    void otherRoutinesStayWhereTheyAre(Target target) {
        try (Targets targets = edgesOn(target, KernelLanguage.JAVA)) {
            assertThat(targets.routines().routines())
                    .filteredOn(spec -> !spec.name().equals("edges"))
                    .isEqualTo(
                            RoutineCatalog.ROUTINES.routines().stream()
                                    .filter(spec -> !spec.name().equals("edges"))
                                    .toList());
            assertThat(targets.routines().find(RoutineCatalog.EDGE_DETECTION))
                    .map(RoutineSpec::description)
                    .isEqualTo(
                            RoutineCatalog.ROUTINES
                                    .find(RoutineCatalog.EDGE_DETECTION)
                                    .map(RoutineSpec::description));
        }
    }

    @Test
    void edgesAreFoundInJavaWithoutVerilator(@TempDir Path cache) {
        Map<String, String> nothing = Map.of("PATH", cache.toString());
        List<String> lines = new ArrayList<>();
        try (AfuRoutine routine =
                AfuRoutine.of(
                        EdgeTarget.function(
                                Target.AFU, () -> RtlBuild.with(nothing, cache), lines::add))) {
            assertThat(routine.cycles()).isPositive();
            assertThat(lines).hasSize(1);
            assertThat(lines.getFirst())
                    .startsWith("edges on target afu: the function in Java (no verilator on the");
        }
    }

    /// Of the targets before a reload, and of those after it.
    @Test
    void theTraceShowsWhatFollowsToo() throws Exception {
        NodeTrace trace = new NodeTrace();
        Placement place = Placement.on(Target.DPA);
        try (Targets targets = placed("edges", place, KernelLanguage.JAVA)) {
            targets.show(trace);
            assertThat(call(targets, regions(true, 9, 9, 1))).isZero();
            try (Targets next =
                    targets.followedBy(
                            new RoutinePlan(
                                    RoutineCatalog.ROUTINES, Map.of("edges", place), Map.of()))) {
                assertThat(call(next, regions(true, 7, 7, 1))).isZero();
            }
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        trace.write(out);
        TraceFile file = TraceFile.read(out.toByteArray());
        assertThat(file.slices("launches"))
                .extracting(TraceFile.Slice::name)
                .containsExactly("detect: 9 threads", "detect: 7 threads");
        assertThat(file.slices("kernel thread.*"))
                .filteredOn(slice -> slice.name().startsWith("detect, rank"))
                .hasSize(16);
    }

    @Test
    void whatComputesSeveralRoutinesIsOpenedOnceAndClosedWithThem() throws Exception {
        List<String> events = new ArrayList<>();
        Offload offload = device -> new Recorder(device.name(), events);
        RoutineSet routines =
                RoutineSet.of(
                        RoutineSpec.of(64, "first", offload),
                        RoutineSpec.of(65, "second", offload));
        try (Targets targets =
                Targets.open(RoutinePlan.of(routines), card, new ServerLog(_ -> {}))) {
            for (RoutineSpec spec : targets.routines().routines()) {
                assertThat(spec.routine().run(new RpcContext(1, 0, List.of(), List.of(), 0)))
                        .isEqualTo(7);
            }
        }
        assertThat(events).containsExactly("opened on " + card.name(), "closed");
        RoutinePlan elsewhere =
                new RoutinePlan(routines, Map.of("first", Placement.on(Target.AFU)), Map.of());
        assertThatThrownBy(() -> Targets.open(elsewhere, card, new ServerLog(_ -> {})))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "routine 'first' does not run on target 'afu'; valid: none, it brings what it runs on");
        assertThatThrownBy(() -> offload.run(new RpcContext(64, 0, List.of(), List.of(), 0)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("function 64 runs on a target");
    }

    private record Recorder(String device, List<String> events) implements OffloadedRoutine {
        Recorder {
            events.add("opened on " + device);
        }

        @Override
        public int run(RpcContext rpc) {
            return 7;
        }

        @Override
        public void close() {
            events.add("closed");
        }
    }

    @Test
    void whatDoesNotExistIsRefused() {
        assertThatThrownBy(() -> placed("egdes", Placement.on(Target.AFU), KernelLanguage.JAVA))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("routine 'egdes'; valid: increment,");
        assertThatThrownBy(() -> placed("fft", Placement.on(Target.DPA), KernelLanguage.JAVA))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("routine 'fft' does not run on target 'dpa'; valid: cpu");
        assertThatThrownBy(() -> Target.of("gpu"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("target 'gpu'; valid: cpu, afu, dpa, dpa-handler, chain");
    }

    private static int call(Targets targets, List<RoutineRegion> regions) throws Exception {
        RoutineSpec spec = targets.routines().find(RoutineCatalog.EDGE_DETECTION).orElseThrow();
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        try {
            return spec.routine()
                    .run(new RpcContext(spec.functionCode(), 0, regions, List.of(), deadline));
        } catch (RoutineException e) {
            return e.returnCode();
        }
    }

    private MemorySegment expected(List<RoutineRegion> regions, int[] image) {
        MemorySegment edges = arena.allocate((long) image[0] * image[1]);
        EdgeDetection.detect(image[0], image[1], image[2], regions.get(1).memory(), edges);
        return edges;
    }

    private List<RoutineRegion> regions(boolean hasPages, int width, int height, int channels) {
        RoutineRegion header = region(0, EdgeDetection.HEADER_BYTES, hasPages);
        EdgeDetection.writeHeader(header.memory(), width, height, channels);
        RoutineRegion pixels = region(1, width * height * channels, hasPages);
        byte[] content = new byte[width * height * channels];
        new SplittableRandom(width).nextBytes(content);
        pixels.memory().copyFrom(MemorySegment.ofArray(content));
        return List.of(header, pixels, region(2, width * height, hasPages));
    }

    private RoutineRegion region(int index, int bytes, boolean hasPages) {
        MemorySegment pages =
                arena.allocate(Math.ceilDiv(bytes, PAGE_BYTES) * (long) PAGE_BYTES, PAGE_BYTES);
        MemorySegment memory = pages.asSlice(0, bytes);
        return new RoutineRegion(
                index, 0, 0, memory, hasPages ? Optional.of(pages) : Optional.empty());
    }
}
