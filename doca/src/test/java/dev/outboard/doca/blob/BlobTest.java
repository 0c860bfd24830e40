package dev.outboard.doca.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.outboard.testkit.Requirement;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Requirement("DCORE-MMAP-14")
class BlobTest {
    private static final byte[] BODY = {1, -2, 3, -4, 5};
    private static final int VERSION_AT = 5;

    @ParameterizedTest
    @EnumSource
    void bringsTheBodyBack(Blob.Kind kind) {
        assertThat(Blob.decode(kind, Blob.encode(kind, BODY))).isEqualTo(ByteBuffer.wrap(BODY));
        assertThat(Blob.decode(kind, Blob.encode(kind, new byte[0])).remaining()).isZero();
    }

    @Test
    void refusesEachFlippedBit() {
        byte[] blob = Blob.encode(Blob.Kind.MMAP, BODY);
        for (int bit = 0; bit < 8 * blob.length; bit++) {
            byte[] flipped = blob.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatIllegalArgumentException()
                    .as("bit %d", bit)
                    .isThrownBy(() -> Blob.decode(Blob.Kind.MMAP, flipped));
        }
    }

    @Test
    void refusesABlobCutAnywhereOrExtended() {
        byte[] blob = Blob.encode(Blob.Kind.MMAP, BODY);
        for (int length = 0; length < blob.length; length++) {
            byte[] cut = Arrays.copyOf(blob, length);
            assertThatIllegalArgumentException()
                    .as("%d bytes", length)
                    .isThrownBy(() -> Blob.decode(Blob.Kind.MMAP, cut))
                    .withMessageContaining("cut");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Blob.decode(Blob.Kind.MMAP, Arrays.copyOf(blob, blob.length + 1)))
                .withMessageContaining("extended");
    }

    @Test
    void saysThatTheVersionIsForeign() {
        byte[] blob = Blob.encode(Blob.Kind.MMAP, BODY);
        blob[VERSION_AT]++;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Blob.decode(Blob.Kind.MMAP, blob))
                .withMessageContaining("version 4");
    }

    @Test
    void saysThatTheKindIsAnother() {
        byte[] blob = Blob.encode(Blob.Kind.SYNC_EVENT, BODY);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Blob.decode(Blob.Kind.MMAP, blob))
                .withMessageContaining("SYNC_EVENT instead of MMAP");
    }

    @Test
    void saysThatItIsNoExportAtAll() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Blob.decode(Blob.Kind.MMAP, new byte[64]))
                .withMessageContaining("does not start");
    }
}
