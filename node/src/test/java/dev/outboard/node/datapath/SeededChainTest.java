package dev.outboard.node.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.node.offload.KernelLanguage;
import dev.outboard.node.offload.Kernels;
import dev.outboard.node.routine.EdgeDetection;
import dev.outboard.testkit.TraceFile;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SeededChainTest {
    private static final EdgeDetection.Image IMAGE = new EdgeDetection.Image(61, 47, 3);
    private static final byte[] PIXELS = new byte[61 * 47 * 3];
    private static final byte[] EDGES = new byte[61 * 47];

    static {
        new SplittableRandom(3).nextBytes(PIXELS);
        EdgeDetection.detect(
                61, 47, 3, MemorySegment.ofArray(PIXELS), MemorySegment.ofArray(EDGES));
    }

    private static SeededChain.Outcome run(long seed) {
        return SeededChain.run(Observer.NONE, seed, KernelLanguage.JAVA, IMAGE, PIXELS);
    }

    @Test
    void theSameSeedGivesTheSameTraceAndAnotherOneAnother() {
        SeededChain.Outcome one = run(7);
        assertThat(one.code()).isZero();
        assertThat(Arrays.mismatch(one.edges(), EDGES)).isEqualTo(-1);
        assertThat(one.cycles()).isPositive();
        assertThat(Arrays.equals(run(7).trace(), one.trace())).isTrue();
        assertThat(Arrays.equals(run(8).trace(), one.trace())).isFalse();
    }

    /// The steps of a call, one after the other.
    @Test
    void theTraceShowsEachStep() {
        TraceFile file = TraceFile.read(run(7).trace());
        assertThat(file.slices("function"))
                .singleElement()
                .satisfies(call -> assertThat(call.name()).matches("call: \\d+ cycles"));
        long begun = file.slices("function").getFirst().begin();
        long done = file.slices("function").getFirst().ended();
        assertThat(file.slices("forward.*"))
                .anyMatch(slice -> slice.begin() < begun && slice.ended() > done);
        assertThat(file.slices("queue pair 0x.*"))
                .anyMatch(slice -> slice.ended() <= begun)
                .anyMatch(slice -> slice.begin() >= done);
    }

    /// The library of handlers has all its fences.
    @ParameterizedTest
    @CsvSource({"1, JAVA", "2, JAVA", "3, JAVA", "1, C", "2, C", "3, C"})
    void theCheckerFindsNothing(long seed, KernelLanguage kernels) {
        Kernels.assumeIn(kernels);
        Checker checker = new Checker(Profile.SEED, false);
        SeededChain.Outcome outcome = SeededChain.run(checker, seed, kernels, IMAGE, PIXELS);
        assertThat(Arrays.mismatch(outcome.edges(), EDGES)).isEqualTo(-1);
        assertThat(checker.findings()).isEmpty();
    }
}
