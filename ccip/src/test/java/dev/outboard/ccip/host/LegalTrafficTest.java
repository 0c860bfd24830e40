package dev.outboard.ccip.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.LegalAfu;
import dev.outboard.ccip.checker.Severity;
import dev.outboard.ccip.fiu.Interrupts;
import dev.outboard.ccip.fiu.Mapping;
import dev.outboard.ccip.fiu.Umsgs;
import dev.outboard.ccip.platform.Access;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.PageSize;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.platform.ResponseFormat;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.PowerState;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Ten million cycles of everything that CCI-P allows, between an AFU and an FIU of which neither
/// may be reported, and every line is read as it was written.
class LegalTrafficTest {
    private static final long CYCLES = 10_000_000;
    private static final int LINES = 1 << 12;
    private static final int CHUNK = 97;

    private static Stream<Arguments> platforms() {
        return Stream.of(Profile.PAC_A10, Profile.PAC_N3000, Profile.PAC_D5005, Profile.INTEGRATED)
                .flatMap(profile ->
                        Stream.of(Mode.values()).map(mode -> Arguments.of(profile, mode)));
    }

    private LegalAfu afu = new LegalAfu(Profile.PAC_A10, 0, LINES, 0);

    @ParameterizedTest
    @MethodSource("platforms")
    @Requirement({"CCIP-CHK-3", "CCIP-CHK-6", "CCIP-FLW-6", "CCIP-RSP-17", "CCIP-ORD-46"})
    void reportsNothingAndSeesEveryCase(Profile profile, Mode mode) {
        long seed = 31L * profile.name().hashCode() + mode.ordinal();
        Simulation simulation =
                Simulation.of(profile, (rx, tx) -> afu.clock(rx, tx))
                        .mode(mode)
                        .seed(seed)
                        .format(ResponseFormat.RANDOM)
                        .build();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(LINES * 64L, 4096);
            long address =
                    simulation.memory().map(List.of(memory), PageSize.KIB_4, Access.READ_WRITE);
            afu = new LegalAfu(profile, address / 64, LINES, seed);
            MemorySegment umas = arena.allocate(4096, 4096);
            if (profile.umsgs()) {
                watchUmas(simulation, umas);
            }
            for (int id = 0; id < Interrupts.IDS; id++) {
                simulation.interrupts().register(id);
            }
            SplittableRandom random = new SplittableRandom(seed);
            while (simulation.cycle() < CYCLES / 8) {
                host(simulation, umas, random);
                simulation.step(CHUNK);
            }
            simulation.power(PowerState.AP0);
            afu.stop();
            assertThat(simulation.stepUntil(afu::isDone, 100_000)).isTrue();
        }
        assertThat(afu.wrongReads()).isZero();
        Checker checker = simulation.checker();
        checker.finish(simulation.cycle());
        assertThat(checker.counts().keySet())
                .allMatch(violation -> checker.severity(violation) == Severity.INFO);
        Map<String, Long> cases = checker.coverage().cases(profile);
        assertThat(cases.keySet().stream().filter(name -> cases.get(name) == 0)).isEmpty();
    }

    private static void watchUmas(Simulation simulation, MemorySegment umas) {
        long line = simulation.memory().map(List.of(umas), PageSize.KIB_4, Access.READ_WRITE) / 64;
        Mapping mapping = Objects.requireNonNull(simulation.memory().find(line));
        simulation.requireUmsgs().setUp(mapping, line);
    }

    private static void host(Simulation simulation, MemorySegment umas, SplittableRandom random) {
        int choice = random.nextInt(1000);
        if (choice == 0) {
            simulation.reset();
        } else if (choice == 1) {
            simulation.power(PowerState.values()[random.nextInt(3)]);
        } else if (choice < 100) {
            int index = random.nextInt(Profile.MMIO_BYTES / 64);
            for (int i = random.nextInt(100); i >= 0; i--) {
                mmio(simulation, index * 64, random.nextInt(5));
            }
        } else if (choice < 150 && simulation.profile().umsgs()) {
            int id = random.nextInt(Umsgs.COUNT);
            if (random.nextBoolean()) {
                simulation.requireUmsgs().falseHint(id);
            } else {
                umas.set(ValueLayout.JAVA_LONG, id * 64L, random.nextLong());
                simulation.requireUmsgs().written(id);
            }
        }
    }

    private static void mmio(Simulation simulation, int address, int kind) {
        switch (kind) {
            case 0 -> simulation.mmio().read(address, MmioLength.BYTES_4);
            case 1 -> simulation.mmio().read(address, MmioLength.BYTES_8);
            case 2 -> simulation.mmio().write(address, MmioLength.BYTES_4, 1);
            case 3 -> simulation.mmio().write(address, MmioLength.BYTES_8, 2);
            default -> simulation.mmio().write(address, MmioLength.BYTES_64, new long[8]);
        }
    }
}
