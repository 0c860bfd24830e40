package dev.outboard.ccip.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.outboard.ccip.afu.DeviceFeatureHeader;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.testkit.Requirement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class FeatureListTest {
    private static final UUID BBB_ID = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    private static final long END = 1L << 40;

    private final Map<Long, Long> registers = new HashMap<>();

    @Test
    @Requirement({"CCIP-DFL-12", "CCIP-DFL-3", "CCIP-DFL-4", "CCIP-DFL-5", "CCIP-DFL-6"})
    void walksTheExampleOfTheManual() {
        header(0x0, 1, false, 0x100);
        header(0x100, 3, false, 0x180);
        header(0x280, 3, true, 0x80);
        FeatureList list = walk();
        assertThat(list.features())
                .extracting(FeatureList.Feature::address, FeatureList.Feature::size)
                .containsExactly(tuple(0x0L, 0x100L), tuple(0x100L, 0x180L), tuple(0x280L, 0x80L));
        assertThat(list.unallocated()).isEqualTo(0x300);
        assertThat(list.findings()).isEmpty();
    }

    @Test
    @Requirement({"CCIP-DFL-11", "CCIP-DFL-8", "CCIP-DFL-9", "CCIP-DFL-7", "CCIP-DFL-2"})
    void readsTheIdsOfAfuAndBuildingBlocksButOfNoPrivateFeature() {
        UUID afuId = UUID.fromString("c000c966-0d82-4272-9aef-fe5f84570612");
        header(0x0, 1, false, 0x40);
        id(0x0, afuId);
        registers.put(0x40L, new DeviceFeatureHeader(0x2000000000401005L).bits());
        id(0x40, BBB_ID);
        header(0x80, 3, true, 0x40);
        id(0x80, BBB_ID);
        FeatureList list = walk();
        assertThat(list.features().get(0).id()).contains(afuId);
        assertThat(list.features().get(1).id()).contains(BBB_ID);
        assertThat(list.features().get(1).header().revision()).isEqualTo(1);
        assertThat(list.features().get(1).header().id()).isEqualTo(5);
        assertThat(list.features().get(2).id()).isEmpty();
        assertThat(list.buildingBlock(BBB_ID)).contains(list.features().get(1));
        assertThat(list.buildingBlock(afuId)).isEmpty();
    }

    @Test
    @Requirement("CCIP-CSR-23")
    void theFirstGroupsOfAGuidAreInTheHighRegister() {
        header(0x0, 1, true, 0);
        registers.put(0x10L, 0x0011_2233_4455_6677L);
        registers.put(0x8L, 0x8899_AABB_CCDD_EEFFL);
        assertThat(walk().features().getFirst().id()).contains(BBB_ID);
    }

    @Test
    @Requirement("CCIP-DFL-14")
    void acceptsAnEndWithoutOffsetAndVersionsOfZero() {
        registers.put(0L, 0x1000010000000000L);
        FeatureList list = walk();
        assertThat(list.findings()).isEmpty();
        assertThat(list.features()).hasSize(1);
        assertThat(list.features().getFirst().size()).isEqualTo(Profile.MMIO_BYTES);
    }

    @Test
    @Requirement({"CCIP-DFL-13", "CCIP-DFL-15"})
    void stopsWithAWarningAtWhatLeadsNowhere() {
        header(0, 1, false, 0);
        assertWarns(Violation.DFL_NEXT_ZERO, 1);
        header(0, 1, false, 0x104);
        assertWarns(Violation.DFL_MISALIGNED, 1);
        header(0, 1, false, Profile.MMIO_BYTES);
        assertWarns(Violation.DFL_RANGE, 1);
        // A header of a real AFU: what lies at 0x1000 is no header.
        registers.put(0L, 0x1000000010001070L);
        registers.put(0x1000L, 0xDEADBEEFL);
        assertWarns(Violation.DFL_UNKNOWN_TYPE, 1);
    }

    @Test
    @Requirement({"CCIP-DFL-13", "CCIP-DFL-15"})
    void endsWhenTheListLoops() {
        header(0, 1, false, 0x100);
        header(0x100, 3, false, 0x100);
        header(0x200, 3, false, 0xFF_FF00);
        assertWarns(Violation.DFL_LOOP, 3);
        for (int i = 0; i < Profile.MMIO_BYTES; i += 8) {
            header(i, i == 0 ? 1 : 3, false, 8);
        }
        assertWarns(Violation.DFL_LOOP, FeatureList.MOST_ENTRIES);
    }

    @Test
    @Requirement("CCIP-DFL-13")
    void anAfuWhoseListLeadsToNothingIsOpenedAllTheSame() {
        Simulation simulation =
                Simulation.of(Profile.PAC_A10, HostFaults.halfAnswering())
                        .policy(ErrorPolicy.STOP)
                        .build();
        try (Fpga fpga = Fpga.open(simulation, new UUID(0, 7))) {
            assertThat(fpga.features().features()).hasSize(1);
            assertThat(simulation.checker().reports().getFirst().toString())
                    .startsWith("DFL_NO_ANSWER (warning)")
                    .contains(
                            "the header at 0x0, 0x1000000000400000, leads to 0x40, where no read");
        }
    }

    @Test
    @Requirement("CCIP-DFL-13")
    void aBlockWithoutAnswerToItsIdIsTakenWithoutOne() {
        header(0x0, 1, false, 0x40);
        header(0x40, 2, false, 0x40);
        header(0x80, 3, true, 0x40);
        FeatureList list =
                FeatureList.walk(address -> {
                    if (address == 0x50) {
                        throw new FpgaException(FpgaException.Reason.NO_ANSWER, "0x50");
                    }
                    return registers.getOrDefault(address, 0L);
                });
        assertThat(list.features()).extracting(FeatureList.Feature::address).hasSize(3);
        assertThat(list.features().get(1).id()).isEmpty();
        assertThat(list.findings())
                .extracting(Finding::violation)
                .containsExactly(Violation.DFL_NO_ANSWER);
    }

    @Test
    void theHeaderAtAddress0HasToBeAnswered() {
        assertThatThrownBy(() ->
                        FeatureList.walk(_ -> {
                            throw new FpgaException(FpgaException.Reason.NO_ANSWER, "0x0");
                        }))
                .isInstanceOf(FpgaException.class);
    }

    @Test
    @Requirement("CCIP-DFL-15")
    void warnsOfWhatIsOddAndGoesOn() {
        header(0, 3, true, 0x40);
        assertWarns(Violation.DFL_AFU_NOT_FIRST, 1);
        header(0, 1, false, 0x40);
        header(0x40, 1, true, 0x40);
        assertWarns(Violation.DFL_AFU_NOT_FIRST, 2);
        header(0x40, 2, true, 0x40);
        assertWarns(Violation.DFL_BBB_ID_ZERO, 2);
        id(0x40, BBB_ID);
        registers.put(0x40L, 2L << 60 | END | 1L << 52);
        assertWarns(Violation.DFL_RSVD_NONZERO, 2);
        registers.put(0x40L, 2L << 60 | END | 1L << 48);
        assertWarns(Violation.DFL_RSVD_NONZERO, 2);
    }

    @Test
    void anAfuThatShowsNothingHasNoFeatures() {
        FeatureList list = FeatureList.walk(address -> -1);
        assertThat(list.features()).isEmpty();
        assertThat(list.unallocated()).isZero();
        assertThat(list.findings().getFirst().toString())
                .isEqualTo(
                        "DFL_UNKNOWN_TYPE: the header at 0x0, 0xffffffffffffffff, has type 15, so"
                                + " it is not taken for a header");
    }

    private void assertWarns(Violation violation, int features) {
        FeatureList list = walk();
        assertThat(list.findings()).extracting(Finding::violation).isEqualTo(List.of(violation));
        assertThat(list.features()).hasSize(features);
    }

    private FeatureList walk() {
        return FeatureList.walk(address -> registers.getOrDefault(address, 0L));
    }

    private void header(long address, int type, boolean end, int next) {
        registers.put(address, (long) type << 60 | (end ? END : 0) | (long) next << 16 | 0x80);
    }

    private void id(long address, UUID id) {
        registers.put(address + 8, id.getLeastSignificantBits());
        registers.put(address + 16, id.getMostSignificantBits());
    }
}
