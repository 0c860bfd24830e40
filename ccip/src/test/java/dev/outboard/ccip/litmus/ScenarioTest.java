package dev.outboard.ccip.litmus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.ccip.platform.MemoryModel;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.testkit.Requirement;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScenarioTest {
    @Test
    void thereIsAScenarioOfEachRowOfTheCatalog() {
        assertThat(Scenario.all())
                .extracting(Scenario::name)
                .doesNotHaveDuplicates()
                .containsAll(
                        IntStream.concat(
                                        IntStream.rangeClosed(1, 23), IntStream.rangeClosed(30, 46))
                                .mapToObj(row -> "LIT-" + row)
                                .toList());
    }

    @Test
    void readsStepsOfAnAfuAndOfThreads() {
        Scenario scenario =
                ScenarioReader.read(
                                """
                                # a comment
                                T-1  what it is about
                                AFU  W[c] X=1; wait; a,b=R[any] Y,Z; fence[VA]; interrupt 2; wait all
                                CPU  X=2; c=X; fence; d=exchange Z 3
                                CPU  await X=2; await interrupt 2; e=interrupt 2
                                allowed  a=0 X=1 (one link) (manual)
                                """)
                        .getFirst();
        assertThat(scenario.title()).isEqualTo("what it is about");
        assertThat(scenario.afu())
                .containsExactly(
                        new AfuStep.Write("c", 0, 1, 1),
                        new AfuStep.Wait(false),
                        new AfuStep.Read("any1", 4, 2, 0),
                        new AfuStep.Fence("VA"),
                        new AfuStep.Interrupt(2),
                        new AfuStep.Wait(true));
        assertThat(scenario.threads())
                .containsExactly(
                        List.of(
                                new CpuStep.Store(0, 2),
                                new CpuStep.Load(0, 2),
                                new CpuStep.Fence(),
                                new CpuStep.Exchange(5, 3, 3)),
                        List.of(
                                new CpuStep.Await(0, 2),
                                new CpuStep.AwaitInterrupt(2),
                                new CpuStep.Interrupted(2, 4)));
        assertThat(scenario.expectations(Profile.PAC_A10, MemoryModel.MANUAL))
                .containsExactly(
                        new Expectation(
                                true,
                                Expectation.Links.ONE,
                                Set.of(MemoryModel.MANUAL),
                                List.of("a=0", "X=1")));
        assertThat(scenario.expectations(Profile.PAC_A10, MemoryModel.MEASURED)).isEmpty();
        assertThat(scenario.expectations(Profile.INTEGRATED, MemoryModel.MANUAL)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "AFU X=1 | 'AFU' before the name of a scenario",
                "T;AFU X=1 | no step of an AFU is 'X=1'",
                "T;CPU W[c] X=1 | no step of a processor is 'W[c] X=1'",
                "T;CPU interrupt 7 | no step of a processor is 'interrupt 7'",
                "T;AFU a=R[c] X,Y | 'a=R[c] X,Y' needs as many registers as lines",
                "T;CPU a=X, a=Y | no step of a processor is 'a=X, a=Y'",
                "T;CPU a=X;CPU a=Y | register a is set twice",
                "T;CPU a=X;allowed b=1 | 'b=1' speaks of nothing that the programs above have"
            })
    void saysWhereTextCannotBeUnderstood(String text, String message) {
        String lines = text.replace(';', '\n');
        assertThatThrownBy(() -> ScenarioReader.read(lines))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Line " + lines.lines().count() + ": " + message);
    }

    @ParameterizedTest
    @CsvSource({
        "LIT-9, INTEGRATED, c=VL0|c=VH0|c=VH1",
        "LIT-9, PAC_A10, c=VA|c=VH0",
        "LIT-11, PAC_A10, c=VA d=VH0|c=VH0 d=VA",
        "LIT-45, INTEGRATED, c=VL0 d=VH0|c=VL0 d=VH1|c=VH0 d=VL0|c=VH0 d=VH1|c=VH1 d=VL0|c=VH1"
                + " d=VH0",
        "LIT-4, INTEGRATED, ''",
        "LIT-4, PAC_A10, VH1=VA VL0=VH0|VH1=VH0 VL0=VA",
        "FENCE-4, INTEGRATED, any1=VA|any1=VL0|any1=VH0|any1=VH1",
        "LIT-30, PAC_A10, ''"
    })
    @Requirement("CCIP-LIT-60")
    void hasAVariantForEachChoiceOfChannels(String name, String platform, String channels) {
        Profile profile = platform.equals("PAC_A10") ? Profile.PAC_A10 : Profile.INTEGRATED;
        assertThat(Variant.of(scenario(name), profile))
                .extracting(Variant::channels)
                .containsExactly(channels.split("\\|", -1));
    }

    @Test
    @Requirement("CCIP-ORD-31")
    void asksForNoOrderOfOtherChannelsBehindTheFenceOfOne() {
        for (Scenario scenario : Scenario.all()) {
            for (int i = 0; i < scenario.afu().size(); i++) {
                if (scenario.afu().get(i) instanceof AfuStep.Fence(String scope)
                        && !scope.equals("VA")) {
                    assertThat(scenario.afu().subList(i, scenario.afu().size()))
                            .as("%s", scenario)
                            .noneMatch(step ->
                                    step instanceof AfuStep.Write write
                                            && !write.channel().equals(scope));
                }
            }
        }
    }

    @Test
    void needsInterruptsWhereTheAfuSendsThem() {
        assertThat(Variant.of(scenario("LIT-22"), Profile.INTEGRATED)).isEmpty();
        assertThat(Variant.of(scenario("LIT-22"), Profile.PAC_A10)).hasSize(2);
    }

    static Scenario scenario(String name) {
        return Scenario.all().stream()
                .filter(scenario -> scenario.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
