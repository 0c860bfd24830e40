package dev.outboard.dpa.nic.layout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.run.OutsidePort;
import dev.outboard.dpa.machine.run.SizedAccess;
import dev.outboard.testkit.Requirement;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/// Entries byte by byte.
class LayoutTest {
    private static final String ZEROS = "00".repeat(32);

    /// Memory whose bytes begin at a slot that is not the first.
    private static final class Bytes implements SizedAccess {
        private static final int AT = 64;
        private final byte[] bytes = new byte[3 * AT];

        Bytes() {}

        Bytes(String hex) {
            byte[] given = HexFormat.of().parseHex(hex);
            System.arraycopy(given, 0, bytes, AT, given.length);
        }

        @Override
        public long load(long address, int lengthBytes) {
            return OutsidePort.word(bytes, (int) address, lengthBytes);
        }

        @Override
        public void store(long address, int lengthBytes, long value) {
            OutsidePort.put(bytes, (int) address, lengthBytes, value);
        }

        String hex(int lengthBytes) {
            assertThat(Arrays.copyOf(bytes, AT)).containsOnly(0);
            assertThat(Arrays.copyOfRange(bytes, AT + lengthBytes, bytes.length)).containsOnly(0);
            return HexFormat.of().formatHex(bytes, AT, AT + lengthBytes);
        }
    }

    private static final int AT = Bytes.AT;

    /// Fields at 0x20 (user index), 0x24, 0x2C (byte count), 0x34 (syndrome), 0x38 (queue number),
    /// 0x3C (counter), 0x3F (opcode and owner).
    private static final String COMPLETION =
            ZEROS
                    + "a1a2a3a4"
                    + "b1b2b3b4"
                    + "00000000"
                    + "c1c2c3c4"
                    + "00000000"
                    + "00000013"
                    + "00d1d2d3"
                    + "e1e2"
                    + "00"
                    + "d1";

    @Test
    @Requirement("DPA-FXQ-3")
    void aCompletionEntryHasItsFieldsBigEndian() {
        Bytes read = new Bytes(COMPLETION);
        assertThat(CompletionEntry.userIndex(read, AT)).isEqualTo(0xA1A2A3A4);
        assertThat(CompletionEntry.immediate(read, AT)).isEqualTo(0xB1B2B3B4);
        assertThat(CompletionEntry.byteCount(read, AT)).isEqualTo(0xC1C2C3C4);
        assertThat(CompletionEntry.syndrome(read, AT)).isEqualTo(0x13);
        assertThat(CompletionEntry.queueNumber(read, AT)).isEqualTo(0xD1D2D3);
        assertThat(CompletionEntry.workCounter(read, AT)).isEqualTo(0xE1E2);
        assertThat(CompletionEntry.opcode(read, AT)).isEqualTo(CompletionEntry.REQUEST_ERROR);
        assertThat(CompletionEntry.owner(read, AT)).isEqualTo(1);

        Bytes written = new Bytes("ff".repeat(64));
        CompletionEntry.writeBody(written, AT, 0xA1A2A3A4, 0xB1B2B3B4, 0xC1C2C3C4, 0x13, 0);
        CompletionEntry.writeOwner(written, AT, 0xD1D2D3, 0xE1E2, 0xD, 1);
        assertThat(written.hex(64)).isEqualTo(COMPLETION);
    }

    @Test
    @Requirement("DPA-FXQ-3")
    void anEventEntryHasQueueNumberAndOwner() {
        String event = "00".repeat(0x38) + "00d1d2d3" + "000000" + "01";
        Bytes read = new Bytes(event);
        assertThat(EventEntry.queueNumber(read, AT)).isEqualTo(0xD1D2D3);
        assertThat(EventEntry.owner(read, AT)).isEqualTo(1);
        Bytes written = new Bytes("ff".repeat(64));
        EventEntry.write(written, AT, 0xD1D2D3, 1);
        assertThat(written.hex(64)).isEqualTo(event);
    }

    /// Three laps around a ring of 4, as the seed's loop with parentheses around the mask has it:
    /// `while ((owner & 1) == expected);`, with an expected bit that starts at 1 and flips.
    @Test
    @Requirement({"DPA-FXQ-4", "DPA-FXQ-5"})
    void ownershipFlipsAtEachWrap() {
        int logDepth = 2;
        int expected = 1;
        StringBuilder bits = new StringBuilder();
        Bytes ring = new Bytes();
        for (long index = 0; index < 12; index++) {
            int hardware = CompletionEntry.hardwareOwner(index, logDepth);
            bits.append(hardware);
            CompletionEntry.writeOwner(ring, AT, 7, 0, CompletionEntry.RECEIVED_SEND, expected);
            assertThat(CompletionEntry.isReady(ring, AT, index, logDepth)).isFalse();
            CompletionEntry.writeOwner(ring, AT, 7, 0, CompletionEntry.RECEIVED_SEND, hardware);
            assertThat(CompletionEntry.isReady(ring, AT, index, logDepth)).isTrue();
            assertThat((ring.load8(AT + 0x3F) & 0x1) == expected).isFalse();
            expected ^= index % 4 == 3 ? 1 : 0;
        }
        assertThat(bits).hasToString("000011110000");
    }

    @Test
    @Requirement("DPA-FXQ-4")
    void aFreshRingBelongsToTheNic() {
        byte[] ring = CompletionEntry.freshRing(1);
        String entry = "00".repeat(63) + "f1";
        assertThat(HexFormat.of().formatHex(ring)).isEqualTo(entry + entry);
    }

    @Test
    @Requirement({"DPA-FXQ-6", "DPA-FXQ-7"})
    void doorbellRecordsHave24And16BitsBigEndian() {
        Bytes consumer = new Bytes();
        DoorbellRecord.setConsumerIndex(consumer, AT, 0x7712_3456);
        assertThat(consumer.hex(4)).isEqualTo("00123456");
        assertThat(DoorbellRecord.consumerIndex(new Bytes("99abcdef"), AT)).isEqualTo(0xABCDEF);
        Bytes producer = new Bytes();
        DoorbellRecord.setProducerIndex(producer, AT, 0x7712_3456);
        assertThat(producer.hex(4)).isEqualTo("00003456");
        assertThat(DoorbellRecord.producerIndex(new Bytes("99abcdef"), AT)).isEqualTo(0xCDEF);
    }

    @Test
    @Requirement("DPA-FXQ-8a")
    void aSendEntryIsOfSegmentsOf16Bytes() {
        // A compare and swap: control, remote, atomic and data segment.
        String entry =
                "00123411"
                        + "d1d2d304"
                        + "00000008"
                        + "a1a2a3a4"
                        + "0102030405060708"
                        + "b1b2b3b4"
                        + "00000000"
                        + "1112131415161718"
                        + "2122232425262728"
                        + "00000008"
                        + "c1c2c3c4"
                        + "3132333435363738";
        Bytes read = new Bytes(entry);
        assertThat(SendEntry.index(read, AT)).isEqualTo(0x1234);
        assertThat(SendEntry.opcode(read, AT)).isEqualTo(SendEntry.ATOMIC_COMPARE_SWAP);
        assertThat(SendEntry.queueNumber(read, AT)).isEqualTo(0xD1D2D3);
        assertThat(SendEntry.segments(read, AT)).isEqualTo(4);
        assertThat(SendEntry.completion(read, AT)).isEqualTo(SendEntry.COMPLETE_ALWAYS);
        assertThat(SendEntry.immediate(read, AT)).isEqualTo(0xA1A2A3A4);
        assertThat(SendEntry.remoteAddress(read, AT + 16)).isEqualTo(0x0102030405060708L);
        assertThat(SendEntry.remoteKey(read, AT + 16)).isEqualTo(0xB1B2B3B4);
        assertThat(SendEntry.operand(read, AT + 32)).isEqualTo(0x1112131415161718L);
        assertThat(SendEntry.compare(read, AT + 32)).isEqualTo(0x2122232425262728L);
        assertThat(DataSegment.byteCount(read, AT + 48)).isEqualTo(8);
        assertThat(DataSegment.isInline(read, AT + 48)).isFalse();
        assertThat(DataSegment.key(read, AT + 48)).isEqualTo(0xC1C2C3C4);
        assertThat(DataSegment.address(read, AT + 48)).isEqualTo(0x3132333435363738L);

        Bytes written = new Bytes("ff".repeat(64));
        SendEntry.writeControl(
                written,
                AT,
                0x91234,
                SendEntry.ATOMIC_COMPARE_SWAP,
                0xD1D2D3,
                4,
                SendEntry.COMPLETE_ALWAYS);
        SendEntry.writeImmediate(written, AT, 0xA1A2A3A4);
        SendEntry.writeRemote(written, AT + 16, 0x0102030405060708L, 0xB1B2B3B4);
        SendEntry.writeAtomic(written, AT + 32, 0x1112131415161718L, 0x2122232425262728L);
        DataSegment.write(written, AT + 48, 8, 0xC1C2C3C4, 0x3132333435363738L);
        assertThat(written.hex(64)).isEqualTo(entry);
    }

    @Test
    @Requirement("DPA-FXQ-8a")
    void inlineDataFollowTheirCount() {
        Bytes written = new Bytes();
        DataSegment.writeInline(written, AT, 5);
        written.store8(DataSegment.inlineData(AT), 0x77);
        assertThat(written.hex(5)).isEqualTo("8000000577");
        assertThat(DataSegment.isInline(written, AT)).isTrue();
        assertThat(DataSegment.byteCount(written, AT)).isEqualTo(5);
    }

    @Test
    @Requirement("DPA-FXQ-8b")
    void anEthernetSegmentHasTheBeginOfTheFrame() {
        Bytes written = new Bytes("ff".repeat(14));
        EthernetSegment.write(written, AT, 0x0123);
        written.store8(EthernetSegment.inlineData(AT), 0xA1);
        written.store8(EthernetSegment.inlineData(AT) + 1, 0xA2);
        String segment = "00000000" + "0000" + "0000" + "00000000" + "0123" + "a1a2";
        assertThat(written.hex(16)).isEqualTo(segment);
        assertThat(EthernetSegment.inlineBytes(written, AT)).isEqualTo(0x0123);
        assertThat(EthernetSegment.segments(0)).isEqualTo(1);
        assertThat(EthernetSegment.segments(2)).isEqualTo(1);
        assertThat(EthernetSegment.segments(3)).isEqualTo(2);
        assertThat(EthernetSegment.segments(18)).isEqualTo(2);
        assertThat(EthernetSegment.segments(19)).isEqualTo(3);
    }

    @Test
    @Requirement("DPA-FXQ-8e")
    void aTransposeSegmentHasSizeColumnsAndRows() {
        String segment = "000000a1" + "0071" + "0072" + "00".repeat(8);
        Bytes written = new Bytes("ff".repeat(16));
        TransposeSegment.write(written, AT, 0xA1, 0x71, 0x72);
        assertThat(written.hex(16)).isEqualTo(segment);
        Bytes read = new Bytes("ffffffa1" + "ff71" + "ff72" + "ff".repeat(8));
        assertThat(TransposeSegment.elementBytes(read, AT)).isEqualTo(0xA1);
        assertThat(TransposeSegment.columns(read, AT)).isEqualTo(0x71);
        assertThat(TransposeSegment.rows(read, AT)).isEqualTo(0x72);
    }

    @Test
    @Requirement("DPA-FXQ-8e")
    void waitSegmentsHaveTheWordAndWhatItIsComparedWith() {
        String segments =
                "00000015"
                        + "b1b2b3b4"
                        + "3132333435363738"
                        + "0807060504030201"
                        + "1112131415161718";
        Bytes written = new Bytes("ff".repeat(32));
        WaitSegment.write(
                written, AT, WaitSegment.CYCLIC_SMALLER, true, 0xB1B2B3B4, 0x3132333435363738L);
        WaitSegment.writeData(written, AT + 16, 0x0102030405060708L, 0x1112131415161718L);
        assertThat(written.hex(32)).isEqualTo(segments);
        Bytes read = new Bytes(segments.replace("38" + "08", "3f" + "08"));
        assertThat(WaitSegment.operation(read, AT)).isEqualTo(WaitSegment.CYCLIC_SMALLER);
        assertThat(WaitSegment.isInverted(read, AT)).isTrue();
        assertThat(WaitSegment.key(read, AT)).isEqualTo(0xB1B2B3B4);
        assertThat(WaitSegment.address(read, AT)).isEqualTo(0x3132333435363738L);
        assertThat(WaitSegment.failAction(read, AT)).isEqualTo(7);
        assertThat(WaitSegment.data(read, AT + 16)).isEqualTo(0x0102030405060708L);
        assertThat(WaitSegment.mask(read, AT + 16)).isEqualTo(0x1112131415161718L);
        WaitSegment.write(written, AT, WaitSegment.BIGGER, false, 0, 0);
        assertThat(WaitSegment.isInverted(written, AT)).isFalse();
        assertThat(
                        new int[] {
                            WaitSegment.ALWAYS,
                            WaitSegment.EQUAL,
                            WaitSegment.BIGGER,
                            WaitSegment.SMALLER,
                            WaitSegment.CYCLIC_BIGGER,
                            WaitSegment.CYCLIC_SMALLER
                        })
                .containsExactly(0, 1, 2, 3, 4, 5);
    }

    /// Opcodes with a modifier, which is the first byte of the control segment.
    @Test
    @Requirement("DPA-FXQ-8e")
    void opcodesWithoutAPeerHaveModifiers() {
        int[] opcodes = {SendEntry.TRANSPOSE, SendEntry.LOCAL_DMA, SendEntry.WAIT_ON_DATA};
        String[] words = {"00123432", "01123432", "0112340f"};
        for (int i = 0; i < opcodes.length; i++) {
            Bytes written = new Bytes();
            int always = SendEntry.COMPLETE_ALWAYS;
            SendEntry.writeControl(written, AT, 0x91234, opcodes[i], 0xD1D2D3, 4, always);
            assertThat(written.hex(12)).isEqualTo(words[i] + "d1d2d304" + "00000008");
            assertThat(SendEntry.opcode(written, AT)).isEqualTo(opcodes[i]);
            assertThat(SendEntry.index(written, AT)).isEqualTo(0x1234);
        }
    }

    @Test
    @Requirement("DPA-FXQ-8d")
    void anEthernetSegmentAsksForMore() {
        Bytes written = new Bytes("ff".repeat(14));
        EthernetSegment.write(written, AT, 0xC2F3, 0xF5B4, 0x0123);
        assertThat(written.hex(14)).isEqualTo("00000000" + "c2f3" + "f5b4" + "00000000" + "0123");
        assertThat(EthernetSegment.flags(written, AT)).isEqualTo(0xC2F3);
        assertThat(EthernetSegment.segmentBytes(written, AT)).isEqualTo(0xF5B4);
        assertThat(EthernetSegment.inlineBytes(written, AT)).isEqualTo(0x0123);
        assertThat(EthernetSegment.L4_CHECKSUM).isEqualTo(0x8000);
        assertThat(EthernetSegment.L3_CHECKSUM).isEqualTo(0x4000);
        assertThat(SendEntry.LSO).isEqualTo(0x0E);
    }

    @Test
    @Requirement("DPA-FXQ-8d")
    void aCompletionEntryTellsOfChecksums() {
        Bytes written = new Bytes("ff".repeat(64));
        CompletionEntry.writeBody(written, AT, 0, 0, 0, 0, 0xF1F2);
        CompletionEntry.writeOwner(written, AT, 0, 0, 0, 0);
        assertThat(written.hex(64)).isEqualTo("00".repeat(0x14) + "f1f2" + "00".repeat(0x2A));
        assertThat(CompletionEntry.checksumsOk(written, AT)).isEqualTo(0xF1F2);
        assertThat(CompletionEntry.L3_OK).isEqualTo(2);
        assertThat(CompletionEntry.L4_OK).isEqualTo(4);
    }

    @Test
    @Requirement("DPA-FXQ-8a")
    void opcodesAreThoseOfTheHeader() {
        assertThat(
                        new int[] {
                            SendEntry.NOP,
                            SendEntry.RDMA_WRITE,
                            SendEntry.RDMA_WRITE_IMMEDIATE,
                            SendEntry.SEND,
                            SendEntry.SEND_IMMEDIATE,
                            SendEntry.RDMA_READ,
                            SendEntry.ATOMIC_COMPARE_SWAP,
                            SendEntry.ATOMIC_FETCH_ADD
                        })
                .containsExactly(0x00, 0x08, 0x09, 0x0A, 0x0B, 0x10, 0x11, 0x12);
    }
}
