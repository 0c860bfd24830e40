package dev.outboard.ccip.afu.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class Sha256Test {
    private static final int[] LENGTHS = {
        0, 1, 7, 8, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000, 4096
    };

    @ParameterizedTest
    @EnumSource(Mode.class)
    void digestsAsTheLibraryDoes(Mode mode) throws NoSuchAlgorithmException {
        try (Rig rig = new Rig(Profile.PAC_A10, mode, 13, new Sha256(), Sha256.AFU_ID)) {
            Buffer message = rig.buffer(64, 1);
            Buffer digest = rig.buffer(1, 2);
            rig.write(JobRegisters.SOURCE, message.lineAddress());
            rig.write(JobRegisters.DESTINATION, digest.lineAddress());
            for (int length : LENGTHS) {
                rig.write(Sha256.LENGTH, length);
                rig.run();
                byte[] bytes = message.segment().asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
                assertThat(digest.segment().asSlice(0, 32).toArray(ValueLayout.JAVA_BYTE))
                        .as("digest of %d bytes", length)
                        .isEqualTo(MessageDigest.getInstance("SHA-256").digest(bytes));
            }
        }
    }
}
