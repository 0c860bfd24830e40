package dev.outboard.ccip.afu.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class VectorAddTest {
    private static final int LINES = 301;

    @ParameterizedTest
    @EnumSource(Mode.class)
    void addsEachPairOfIntegers(Mode mode) {
        for (Profile profile : List.of(Profile.PAC_D5005, Profile.INTEGRATED)) {
            try (Rig rig = new Rig(profile, mode, 11, new VectorAdd(), VectorAdd.AFU_ID)) {
                Buffer first = rig.buffer(LINES, 1);
                Buffer second = rig.buffer(LINES, 2);
                Buffer sums = rig.buffer(LINES, 3);
                rig.setLines(first.lineAddress(), sums.lineAddress(), LINES);
                rig.write(VectorAdd.SECOND_SOURCE, second.lineAddress());
                rig.run();
                for (long i = 0; i < LINES * 16L; i++) {
                    assertThat(sums.segment().getAtIndex(ValueLayout.JAVA_INT, i))
                            .isEqualTo(
                                    first.segment().getAtIndex(ValueLayout.JAVA_INT, i)
                                            + second.segment().getAtIndex(ValueLayout.JAVA_INT, i));
                }
            }
        }
    }
}
