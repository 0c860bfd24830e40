package dev.outboard.ccip.afu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CsrSpaceTest {
    private static final UUID AFU_ID = UUID.fromString("01234567-89ab-cdef-fedc-ba9876543210");
    private static final UUID BBB_ID = UUID.fromString("a0000000-0000-0000-b000-000000000001");
    private static final int REGISTER = 0x40;

    private final CsrSpace csrs = new CsrSpace(AFU_ID).readWrite(REGISTER);
    private final Rx rx = new Rx();
    private final Tx tx = new Tx();

    @Test
    @Requirement({"CCIP-CSR-10", "CCIP-CSR-13", "CCIP-CSR-14"})
    void hasTheRegistersThatEveryAfuMustHave() {
        assertThat(read(csrs, 0)).isEqualTo(0x1000_0100_0048_0080L);
        assertThat(read(csrs, 0x18)).isZero();
        assertThat(read(csrs, 0x20)).isZero();
    }

    @Test
    @Requirement({"CCIP-CSR-11", "CCIP-CSR-12", "CCIP-CSR-23"})
    void showsItsIdInTwoHalves() {
        assertThat(read(csrs, 0x08)).isEqualTo(0xfedc_ba98_7654_3210L);
        assertThat(read(csrs, 0x10)).isEqualTo(0x0123_4567_89ab_cdefL);
    }

    @Test
    @Requirement("CCIP-CSR-10")
    void anAfuHasAVersionOfItsOwn() {
        assertThat(read(new CsrSpace(AFU_ID, 3, 2), 0)).isEqualTo(0x1002_0100_0028_3080L);
    }

    @Test
    @Requirement({"CCIP-MMIO-7", "CCIP-MMIO-10"})
    void answersAReadOfWhatIsNotDefined() {
        for (int offset : new int[] {0x28, 0x38, 0x48, 0x1000, 0x3FFF8}) {
            assertThat(read(csrs, offset)).isZero();
        }
    }

    @Test
    @Requirement({"CCIP-MMIO-8", "CCIP-MMIO-9", "CCIP-MMIO-17"})
    void aReadOfFourBytesGivesHalfARegister() {
        csrs.set(REGISTER, 0x1122_3344_5566_7788L);
        assertThat(read(csrs, REGISTER, MmioLength.BYTES_4)).isEqualTo(0x5566_7788L);
        assertThat(read(csrs, REGISTER + 4, MmioLength.BYTES_4)).isEqualTo(0x1122_3344L);
        assertThat(read(csrs, REGISTER)).isEqualTo(0x1122_3344_5566_7788L);
    }

    @Test
    @Requirement("CCIP-CSR-2")
    void aWriteOfFourBytesChangesHalfARegister() {
        csrs.set(REGISTER, 0x1122_3344_5566_7788L);
        write(REGISTER + 4, MmioLength.BYTES_4, 0xFFFF_FFFF_AAAA_AAAAL);
        assertThat(csrs.get(REGISTER)).isEqualTo(0xAAAA_AAAA_5566_7788L);
        write(REGISTER, MmioLength.BYTES_4, 0xFFFF_FFFF_BBBB_BBBBL);
        assertThat(csrs.get(REGISTER)).isEqualTo(0xAAAA_AAAA_BBBB_BBBBL);
        assertThat(csrs.written(REGISTER)).isTrue();
    }

    @Test
    @Requirement("CCIP-CSR-3")
    void softwareChangesOnlyTheBitsItMay() {
        csrs.readWrite(0x48, 0xF0, 0x0F).readOnly(0x50, 7);
        write(0x48, MmioLength.BYTES_8, -1);
        write(0x50, MmioLength.BYTES_8, -1);
        for (int offset = 0; offset <= 0x20; offset += 8) {
            long before = csrs.get(offset);
            write(offset, MmioLength.BYTES_8, -1);
            assertThat(csrs.get(offset)).isEqualTo(before);
            write(offset, MmioLength.BYTES_8, 0);
            assertThat(csrs.get(offset)).isEqualTo(before);
        }
        assertThat(csrs.get(0x48)).isEqualTo(0xFF);
        assertThat(csrs.get(0x50)).isEqualTo(7);
        csrs.set(0x50, 8);
        assertThat(read(csrs, 0x50)).isEqualTo(8);
    }

    @Test
    @Requirement("CCIP-MMIO-5")
    void aWriteOf64BytesFillsEightRegisters() {
        CsrSpace wide = new CsrSpace(AFU_ID);
        for (int offset = 0x40; offset < 0x78; offset += 8) {
            wide.readWrite(offset);
        }
        for (int i = 0; i < 8; i++) {
            rx.c0.data[i] = 100L + i;
        }
        rx.c0.mmioWrite(0x40 / 4, MmioLength.BYTES_64, 0);
        wide.clock(rx, tx);
        for (int offset = 0x40; offset < 0x78; offset += 8) {
            assertThat(wide.get(offset)).isEqualTo(100L + (offset - 0x40) / 8);
            assertThat(wide.written(offset)).isTrue();
        }
        assertThat(wide.written(0x38)).isFalse();
        assertThat(tx.c2.mmioRdValid).isFalse();
    }

    @Test
    @Requirement({"CCIP-MMIO-6", "CCIP-RSP-16"})
    void aWriteIsNotAnsweredAndIsSeenForOneCycle() {
        write(REGISTER, MmioLength.BYTES_8, 5);
        assertThat(tx.c2.mmioRdValid).isFalse();
        assertThat(csrs.written(REGISTER)).isTrue();
        assertThat(csrs.written(0x38)).isFalse();
        rx.idle();
        csrs.clock(rx, tx);
        assertThat(csrs.written(REGISTER)).isFalse();
        write(0x3FFF8, MmioLength.BYTES_8, 5);
        assertThat(csrs.written(0x3FFF8)).isTrue();
    }

    @Test
    @Requirement({"CCIP-MMIO-16", "CCIP-MMIO-11"})
    void takesARequestInEveryCycle() {
        List<Integer> answered = new ArrayList<>();
        for (int tid = 0; tid < 512; tid++) {
            rx.idle();
            tx.idle();
            if (tid % 3 == 2) {
                rx.c0.data[0] = tid;
                rx.c0.mmioWrite(REGISTER / 4, MmioLength.BYTES_8, tid);
            } else {
                rx.c0.mmioRead(REGISTER / 4, MmioLength.BYTES_8, tid);
            }
            csrs.clock(rx, tx);
            if (tx.c2.mmioRdValid) {
                answered.add(tx.c2.tid);
                assertThat(tx.c2.data).isEqualTo(tid < 3 ? 0 : tid / 3 * 3 - 1);
            }
        }
        assertThat(answered).hasSize(342).allMatch(tid -> tid % 3 != 2).isSorted();
    }

    @Test
    @Requirement("CCIP-RST-2")
    void aSoftResetSetsAllRegistersBackAndAnswersNothing() {
        csrs.readOnly(0x48, 9);
        write(REGISTER, MmioLength.BYTES_8, 5);
        csrs.set(0x48, 10);
        rx.idle();
        rx.softReset = true;
        rx.c0.mmioRead(0, MmioLength.BYTES_8, 1);
        tx.idle();
        csrs.clock(rx, tx);
        assertThat(tx.c2.mmioRdValid).isFalse();
        assertThat(csrs.written(REGISTER)).isFalse();
        assertThat(csrs.get(REGISTER)).isZero();
        assertThat(csrs.get(0x48)).isEqualTo(9);
    }

    @Test
    @Requirement({"CCIP-DFL-2", "CCIP-DFL-3", "CCIP-DFL-4", "CCIP-DFL-5", "CCIP-DFL-12"})
    void linksItsFeaturesInOrder() {
        CsrSpace space =
                new CsrSpace(AFU_ID)
                        .readWrite(REGISTER)
                        .privateFeature(0x100, 7, 1)
                        .readWrite(0x200)
                        .privateFeature(0x280, 2, 0)
                        .readOnly(0x2F8, 0);
        assertThat(header(space, 0)).isEqualTo(DeviceFeatureHeader.afu(0, 0, 0x100).followed());
        assertThat(header(space, 0x100))
                .isEqualTo(
                        DeviceFeatureHeader.feature(DeviceFeatureHeader.PRIVATE, 7, 1, 0x180)
                                .followed());
        assertThat(header(space, 0x280))
                .isEqualTo(DeviceFeatureHeader.feature(DeviceFeatureHeader.PRIVATE, 2, 0, 0x80));
    }

    @Test
    @Requirement({"CCIP-DFL-6", "CCIP-DFL-8", "CCIP-DFL-9"})
    void aBuildingBlockBeginsWithItsHeaderAndIdentity() {
        CsrSpace space = new CsrSpace(AFU_ID).buildingBlock(0x80, 5, 1, BBB_ID).readWrite(0x98);
        assertThat(header(space, 0x80))
                .isEqualTo(DeviceFeatureHeader.feature(DeviceFeatureHeader.BBB, 5, 1, 0x20));
        assertThat(read(space, 0x88)).isEqualTo(0xb000_0000_0000_0001L);
        assertThat(read(space, 0x90)).isEqualTo(0xa000_0000_0000_0000L);
    }

    @Test
    void refusesRegistersThatCannotBe() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> csrs.readWrite(0x44))
                .withMessage("Register at 0x44; valid are multiples of 8 below 0x40000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> csrs.readOnly(0x40000, 0))
                .withMessageContaining("0x40000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> csrs.readWrite(0x10))
                .withMessage("Register at 0x10 twice");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> csrs.privateFeature(0x40, 1, 1))
                .withMessage("Feature at 0x40; valid is what lies behind all registers, from 0x48");
    }

    private long read(CsrSpace space, int offset) {
        return read(space, offset, MmioLength.BYTES_8);
    }

    private long read(CsrSpace space, int offset, MmioLength length) {
        rx.idle();
        tx.idle();
        rx.c0.mmioRead(offset / 4, length, 0x155);
        space.clock(rx, tx);
        assertThat(tx.c2.mmioRdValid).isTrue();
        assertThat(tx.c2.tid).isEqualTo(0x155);
        return tx.c2.data;
    }

    private void write(int offset, MmioLength length, long value) {
        rx.idle();
        tx.idle();
        rx.c0.data[0] = value;
        rx.c0.mmioWrite(offset / 4, length, 0x155);
        csrs.clock(rx, tx);
    }

    private DeviceFeatureHeader header(CsrSpace space, int offset) {
        return new DeviceFeatureHeader(read(space, offset));
    }
}
