package dev.outboard.fabric.roce.cm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Many seeds. A failure names its seed; `-Dseed=N` runs that one alone.
class CmCampaignTest {
    private static final int SEEDS = 400;

    static LongStream seeds() {
        Long only = Long.getLong("seed");
        return only == null ? LongStream.range(0, SEEDS) : LongStream.of(only);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @Requirement({"ROCE-CM-7", "ROCE-CM-9", "ROCE-CM-14", "ROCE-CM-17"})
    void everyConnectionAndResolutionEndsProperlyWhateverHappens(long seed) {
        run(seed, CmCampaign.Manners.ERRATIC);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @Requirement({"ROCE-CM-3", "ROCE-CM-6", "ROCE-CM-8", "ROCE-CM-14"})
    void patientApplicationsAlwaysConnectAndDisconnectDespiteLoss(long seed) {
        run(seed, CmCampaign.Manners.PATIENT);
    }

    @Test
    void aSeedGivesTheSameRunEveryTime() {
        CmCampaign first = new CmCampaign(7, CmCampaign.Manners.ERRATIC);
        CmCampaign second = new CmCampaign(7, CmCampaign.Manners.ERRATIC);
        first.run();
        second.run();

        assertThat(first.transcript()).isNotEmpty().isEqualTo(second.transcript());
    }

    private static void run(long seed, CmCampaign.Manners manners) {
        try {
            new CmCampaign(seed, manners).run();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + " failed; -Dseed=" + seed + " repeats it", e);
        }
    }
}
