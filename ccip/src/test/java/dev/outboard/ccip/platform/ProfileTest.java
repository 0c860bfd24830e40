package dev.outboard.ccip.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.testkit.Requirement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProfileTest {
    private static final List<Profile> CARDS =
            List.of(Profile.PAC_A10, Profile.PAC_N3000, Profile.PAC_D5005);

    @Test
    @Requirement({"CCIP-PLT-5", "CCIP-PLT-12"})
    void onlyTheIntegratedPlatformCaches() {
        assertThat(CARDS).noneMatch(Profile::cached);
        assertThat(Profile.INTEGRATED.cached()).isTrue();
    }

    @Test
    @Requirement({"CCIP-PLT-7", "CCIP-PLT-8"})
    void cardsInterruptAndTheIntegratedPlatformHasUmsgs() {
        assertThat(CARDS).allMatch(Profile::interrupts).noneMatch(Profile::umsgs);
        assertThat(Profile.INTEGRATED.interrupts()).isFalse();
        assertThat(Profile.INTEGRATED.umsgs()).isTrue();
    }

    @Test
    @Requirement({"CCIP-PLT-13", "CCIP-PLT-14"})
    void aCardHasOneLinkAndTheIntegratedPlatformThree() {
        for (Profile card : CARDS) {
            assertThat(card.channels()).containsExactly(VirtualChannel.VH0);
            assertThat(card.has(VirtualChannel.VA)).isTrue();
            assertThat(card.has(VirtualChannel.VL0)).isFalse();
            assertThat(card.has(VirtualChannel.VH1)).isFalse();
        }
        assertThat(Profile.INTEGRATED.channels())
                .containsExactly(VirtualChannel.VL0, VirtualChannel.VH0, VirtualChannel.VH1);
        assertThat(VirtualChannel.values()).allMatch(Profile.INTEGRATED::has);
    }

    @Test
    @Requirement("CCIP-PLT-16")
    void onlyTheD5005WritesBytes() {
        assertThat(Profile.PAC_D5005.byteEnable()).isTrue();
        assertThat(List.of(Profile.PAC_A10, Profile.PAC_N3000, Profile.INTEGRATED))
                .noneMatch(Profile::byteEnable);
    }

    @Test
    @Requirement("CCIP-PLT-17")
    void aPlatformWithoutTheFirstPcieLinkHasNoControlPath() {
        for (Profile platform : Profile.ALL) {
            LinkParameters link = platform.links().get(VirtualChannel.VH0);
            Map<VirtualChannel, LinkParameters> others =
                    Map.of(VirtualChannel.VL0, link, VirtualChannel.VH1, link);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> platform.withLinks(others))
                    .withMessageContaining("has no VH0, over which the host reaches the AFU");
            Map<VirtualChannel, LinkParameters> first = Map.of(VirtualChannel.VH0, link);
            assertThat(platform.withLinks(first).links()).isEqualTo(first);
        }
    }

    @Test
    @Requirement("CCIP-PLT-20")
    void aUserDerivesAPlatformByOneFeature() {
        LinkParameters fast = new LinkParameters(1, 2, 3, 4, 5);
        Profile card = Profile.PAC_A10;
        assertThat(card.withName("MINE").name()).isEqualTo("MINE");
        assertThat(card.withLink(VirtualChannel.VL0, fast).links())
                .isEqualTo(
                        Map.of(
                                VirtualChannel.VL0,
                                fast,
                                VirtualChannel.VH0,
                                card.links().get(VirtualChannel.VH0)));
        assertThat(card.withPClkMegahertz(300).pClkMegahertz()).isEqualTo(300);
        assertThat(card.withCache(true).cached()).isTrue();
        assertThat(card.withByteEnable(true).byteEnable()).isTrue();
        assertThat(card.withInterrupts(false).interrupts()).isFalse();
        assertThat(card.withUmsgs(true).umsgs()).isTrue();
        Profile derived =
                card.withName("MINE")
                        .withCache(true)
                        .withByteEnable(true)
                        .withInterrupts(false)
                        .withUmsgs(true)
                        .withPClkMegahertz(300)
                        .withMmioTimeout(512);
        assertThat(derived.name()).isEqualTo("MINE");
        assertThat(derived.links()).isEqualTo(card.links());
        assertThat(derived.pClkMegahertz()).isEqualTo(300);
        assertThat(derived.cached()).isTrue();
        assertThat(derived.byteEnable()).isTrue();
        assertThat(derived.interrupts()).isFalse();
        assertThat(derived.umsgs()).isTrue();
        assertThat(derived.mmioTimeout()).isEqualTo(512);
        assertThat(card.name()).isEqualTo("PAC_A10");
    }

    @Test
    @Requirement("CCIP-PLT-20")
    void fourPlatformsAreSupplied() {
        assertThat(
                        List.of(
                                Profile.PAC_A10.name(),
                                Profile.PAC_N3000.name(),
                                Profile.PAC_D5005.name(),
                                Profile.INTEGRATED.name()))
                .containsExactly("PAC_A10", "PAC_N3000", "PAC_D5005", "INTEGRATED");
    }

    @Test
    @Requirement({"CCIP-PLT-21", "CCIP-CLK-6"})
    void eachPlatformHasItsFrequency() {
        assertThat(Profile.INTEGRATED.pClkMegahertz()).isEqualTo(400);
        assertThat(Profile.PAC_A10.pClkMegahertz()).isEqualTo(200);
        assertThat(Profile.PAC_D5005.pClkMegahertz()).isEqualTo(250);
        assertThat(Profile.PAC_N3000.pClkMegahertz()).isEqualTo(200);
    }

    @Test
    @Requirement({"CCIP-PLT-22", "CCIP-PLT-23"})
    void theMmioSpaceIsTheSameEverywhere() {
        assertThat(Profile.MMIO_READS).isEqualTo(64);
        assertThat(Profile.MMIO_BYTES).isEqualTo(262_144);
    }

    @Test
    @Requirement("CCIP-PLT-24")
    void saysHowManyLinesInFlightGiveTheHighestBandwidth() {
        Profile integrated = Profile.INTEGRATED;
        assertThat(List.of(VirtualChannel.values()))
                .extracting(channel -> integrated.sizing(channel).readLines())
                .containsExactly(512, 512, 256, 256);
        assertThat(List.of(VirtualChannel.values()))
                .extracting(channel -> integrated.sizing(channel).writeLines())
                .containsExactly(512, 256, 128, 128);
        for (Profile card : CARDS) {
            for (VirtualChannel channel : List.of(VirtualChannel.VA, VirtualChannel.VH0)) {
                assertThat(card.sizing(channel).readLines()).isEqualTo(256);
                assertThat(card.sizing(channel).writeLines()).isEqualTo(128);
            }
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Profile.PAC_A10.sizing(VirtualChannel.VL0))
                .withMessage("Platform PAC_A10 has no VL0; it has VA and [VH0]");
    }

    @Test
    @Requirement({"CCIP-GUI-4", "CCIP-GUI-5"})
    void saysHowManyRequestsKeepALinkBusy() {
        for (Profile card : CARDS) {
            assertThat(card.sizing(VirtualChannel.VH0).mostRequests()).isEqualTo(64);
            assertThat(card.sizing(VirtualChannel.VA)).isEqualTo(card.sizing(VirtualChannel.VH0));
        }
        Profile integrated = Profile.INTEGRATED;
        for (VirtualChannel pcie : List.of(VirtualChannel.VH0, VirtualChannel.VH1)) {
            assertThat(integrated.sizing(pcie).mostRequests()).isEqualTo(64);
        }
        assertThat(integrated.sizing(VirtualChannel.VL0).leastRequests()).isEqualTo(128);
        assertThat(integrated.sizing(VirtualChannel.VL0).mostRequests()).isEqualTo(256);
        assertThat(integrated.sizing(VirtualChannel.VA).leastRequests()).isEqualTo(256);
        assertThat(integrated.sizing(VirtualChannel.VA).mostRequests()).isEqualTo(384);
    }

    @Test
    @Requirement("CCIP-GUI-8")
    void aLinkTakesAsManyRequestsAsItsGuidanceSays() {
        for (Profile profile : List.of(Profile.PAC_A10, Profile.PAC_D5005, Profile.INTEGRATED)) {
            profile.links()
                    .forEach((channel, link) ->
                            assertThat(link.outstanding())
                                    .isEqualTo(profile.sizing(channel).mostRequests()));
        }
    }

    @Test
    @Requirement("CCIP-VC-10")
    void latenciesAreThoseOfFunctionalTests() {
        Map<VirtualChannel, LinkParameters> links = Profile.INTEGRATED.links();
        assertThat(links.get(VirtualChannel.VL0))
                .extracting(LinkParameters::minimumLatency, LinkParameters::maximumLatency)
                .containsExactly(20, 118);
        for (VirtualChannel pcie : List.of(VirtualChannel.VH0, VirtualChannel.VH1)) {
            assertThat(links.get(pcie))
                    .extracting(LinkParameters::minimumLatency, LinkParameters::maximumLatency)
                    .containsExactly(140, 180);
        }
        LinkParameters measured = new LinkParameters(5, 6, 7, 8, 9);
        assertThat(
                        Profile.INTEGRATED
                                .withLink(VirtualChannel.VL0, measured)
                                .links()
                                .get(VirtualChannel.VL0))
                .isEqualTo(measured);
    }

    @Test
    void linksAreInTheOrderOfTheirChannels() {
        Map<VirtualChannel, LinkParameters> links = Profile.INTEGRATED.links();
        assertThat(links.keySet())
                .containsExactly(VirtualChannel.VL0, VirtualChannel.VH0, VirtualChannel.VH1);
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        Profile.PAC_A10.withLink(
                                VirtualChannel.VA, new LinkParameters(1, 2, 3, 4, 5)))
                .withMessageContaining("valid are VL0, VH0 and VH1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Profile.PAC_A10.withPClkMegahertz(0))
                .withMessageContaining("0 MHz");
    }

    @Test
    void aLinkRefusesNumbersThatMeanNothing() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LinkParameters(0, 1, 0, 0, 4))
                .withMessageContaining("0 to 1 cycles");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LinkParameters(2, 1, 0, 0, 4))
                .withMessageContaining("2 to 1 cycles");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LinkParameters(1, 2, -1, 0, 4))
                .withMessageContaining("-1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LinkParameters(1, 2, 0, 0, 0))
                .withMessageContaining("0 requests outstanding");
    }
}
