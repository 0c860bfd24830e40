package dev.outboard.ccip.afu.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HelloTest {
    @ParameterizedTest
    @EnumSource(Mode.class)
    void saysHelloToEachBufferItIsShown(Mode mode) {
        for (Profile profile : List.of(Profile.PAC_A10, Profile.INTEGRATED)) {
            try (Rig rig = new Rig(profile, mode, 3, new Hello(), Hello.AFU_ID)) {
                for (int i = 0; i < 3; i++) {
                    Buffer buffer = rig.buffer(1, i + 1);
                    rig.write(Hello.BUFFER, buffer.lineAddress());
                    rig.await(() -> buffer.segment().get(ValueLayout.JAVA_BYTE, 0) == 'H');
                    assertThat(buffer.segment().getString(0)).isEqualTo("Hello world!");
                    rig.settle();
                }
            }
        }
    }

    @Test
    void keepsWhatSoftwareTries() {
        try (Rig rig = new Rig(Profile.PAC_A10, Mode.TIMED, 3, new Hello(), Hello.AFU_ID)) {
            rig.write(JobRegisters.SCRATCH, 0x1122_3344_5566_7788L);
            assertThat(rig.read(JobRegisters.SCRATCH)).isEqualTo(0x1122_3344_5566_7788L);
        }
    }
}
