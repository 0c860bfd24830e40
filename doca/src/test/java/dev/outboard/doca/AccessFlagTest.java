package dev.outboard.doca;

import static dev.outboard.doca.AccessFlag.LOCAL_READ_ONLY;
import static dev.outboard.doca.AccessFlag.LOCAL_READ_WRITE;
import static dev.outboard.doca.AccessFlag.PCI_READ_ONLY;
import static dev.outboard.doca.AccessFlag.PCI_READ_WRITE;
import static dev.outboard.doca.AccessFlag.PCI_RELAXED_ORDERING;
import static dev.outboard.doca.AccessFlag.RDMA_ATOMIC;
import static dev.outboard.doca.AccessFlag.RDMA_READ;
import static dev.outboard.doca.AccessFlag.RDMA_WRITE;
import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AccessFlagTest {
    @Test
    @Requirement("DCORE-MMAP-4")
    void hasTheBitsOfDoca() {
        assertThat(AccessFlag.values())
                .extracting(AccessFlag::bit)
                .containsExactly(0, 1, 2, 4, 8, 16, 32, 64);
        assertThat(AccessFlag.bits(EnumSet.of(LOCAL_READ_WRITE, RDMA_READ, RDMA_ATOMIC)))
                .isEqualTo(11);
        assertThat(AccessFlag.of(0)).containsExactly(LOCAL_READ_ONLY);
        assertThat(AccessFlag.of(1 + 4 + 16 + 64))
                .containsExactly(LOCAL_READ_WRITE, RDMA_WRITE, PCI_READ_ONLY, PCI_RELAXED_ORDERING);
    }

    @ParameterizedTest
    @ValueSource(ints = {128, 1 + 256, -1, Integer.MIN_VALUE})
    @Requirement("DCORE-MMAP-5")
    void refusesUndefinedBits(int bits) {
        assertRefused(DocaError.INVALID_VALUE, () -> AccessFlag.of(bits), "undefined bits");
    }

    @Test
    @Requirement("DCORE-MMAP-5")
    void refusesBothPciReadFlagsAtOnce() {
        assertRefused(DocaError.INVALID_VALUE, () -> AccessFlag.of(16 + 32));
        assertRefused(
                DocaError.INVALID_VALUE,
                () -> Mmap.builder().permissions(PCI_READ_WRITE, PCI_READ_ONLY),
                "PCI_READ_ONLY",
                "PCI_READ_WRITE");
    }
}
