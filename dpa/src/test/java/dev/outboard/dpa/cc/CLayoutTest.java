package dev.outboard.dpa.cc;

import static dev.outboard.dpa.cc.Clang.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.run.OutsidePort;
import dev.outboard.dpa.machine.run.SizedAccess;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.EthernetSegment;
import dev.outboard.dpa.nic.layout.EventEntry;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpa.nic.layout.TransposeSegment;
import dev.outboard.dpa.nic.layout.WaitSegment;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Requirement;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Entries of queues that C writes and reads are those of Java, byte by byte.
class CLayoutTest extends CProcessFixture {
    private static final int SEGMENT = SendEntry.SEGMENT_BYTES;

    /// Memory of the host, from address 0 on.
    private record Bytes(byte[] bytes) implements SizedAccess {
        @Override
        public long load(long address, int lengthBytes) {
            return OutsidePort.word(bytes, (int) address, lengthBytes);
        }

        @Override
        public void store(long address, int lengthBytes, long value) {
            OutsidePort.put(bytes, (int) address, lengthBytes, value);
        }

        String hex() {
            return HexFormat.of().formatHex(bytes);
        }
    }

    CLayoutTest() {
        super("layouts");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0x0A, 3",
        "1, 0x0A, 2",
        "2, 0x0A, 3",
        "3, 0x01000032, 4",
        "4, 0x08, 3",
        "5, 0x10, 3",
        "6, 0x0E, 4",
        "7, 0x00, 1",
        "8, 0x09, 3",
        "9, 0x32, 4",
        "10, 0x0100000F, 3",
        "11, 0x11, 4",
        "12, 0x12, 4"
    })
    void controlSegmentsAreThoseOfTheirKind(int kind, String opcode, int segments) {
        DpaAddr to =
                heap.copyFromHost(
                        new byte[] {
                            -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1
                        });
        for (int mode : new int[] {SendEntry.COMPLETE_ON_ERROR, SendEntry.COMPLETE_ALWAYS}) {
            call(process, app, "control", to.value(), 0x5ABCD, 0xA1B2C3, mode, kind);
            Bytes expected = new Bytes(new byte[SEGMENT]);
            SendEntry.writeControl(
                    expected, 0, 0x5ABCD, Integer.decode(opcode), 0xA1B2C3, segments, mode);
            assertThat(HexFormat.of().formatHex(heap.copyOut(to, SEGMENT)))
                    .isEqualTo(expected.hex());
        }
    }

    @Test
    void segmentsAreThoseOfJava() {
        DpaAddr to = heap.zeros(10 * SEGMENT);
        call(process, app, "segments", to.value());
        Bytes expected = new Bytes(new byte[10 * SEGMENT]);
        int checksums = EthernetSegment.L3_CHECKSUM | EthernetSegment.L4_CHECKSUM;
        EthernetSegment.write(expected, 0, checksums, 1448, 18);
        expected.store16(EthernetSegment.inlineData(0), (short) 0xA2A1);
        EthernetSegment.write(expected, SEGMENT, 0);
        SendEntry.writeRemote(expected, 2 * SEGMENT, 0xC1C2C3C4C5C6C7C8L, 0xB1B2B3B4);
        DataSegment.write(expected, 3 * SEGMENT, 0x11223344, 0xD1D2D3D4, 0xE1E2E3E4E5E6E7E8L);
        DataSegment.writeInline(expected, 4 * SEGMENT, 12);
        for (int i = 0; i < 12; i++) {
            expected.store8(DataSegment.inlineData(4 * SEGMENT) + i, (byte) (i + 1));
        }
        SendEntry.writeAtomic(expected, 5 * SEGMENT, 0x1122334455667788L, 0x99AABBCCDDEEFF00L);
        TransposeSegment.write(expected, 6 * SEGMENT, 8, 127, 5);
        WaitSegment.write(
                expected,
                7 * SEGMENT,
                WaitSegment.CYCLIC_SMALLER,
                true,
                0xF1F2F3F4,
                0x8123456789ABCDE8L);
        WaitSegment.writeData(expected, 8 * SEGMENT, 0x1122334455667788L, 0x00FF00FF00FF00FFL);
        // The next entry of a shared receive queue, which Java has no class for.
        expected.store16(9 * SEGMENT + 2, (short) 0xCDAB);
        expected.store8(9 * SEGMENT + 4, (byte) 0x5A);
        assertThat(HexFormat.of().formatHex(heap.copyOut(to, 10 * SEGMENT)))
                .isEqualTo(expected.hex());
    }

    @Test
    void fieldsAreReadWhereJavaWritesThem() {
        Bytes completion = new Bytes(new byte[CompletionEntry.BYTES]);
        CompletionEntry.writeBody(completion, 0, 0xA2A3A4, 0xB1B2B3B4, 0xC1C2C3C4, 0x13, 6);
        CompletionEntry.writeOwner(completion, 0, 0xD1D2D3, 0xE1E2, 0xD, 1);
        Bytes event = new Bytes(new byte[EventEntry.BYTES]);
        EventEntry.write(event, 0, 0xF1F2F3, 1);
        Bytes receive = new Bytes(new byte[DataSegment.BYTES]);
        DataSegment.write(receive, 0, 64, 3, 0x1122334455667788L);
        DpaAddr to = heap.zeros(88);
        call(
                process,
                app,
                "read",
                heap.copyFromHost(completion.bytes).value(),
                heap.copyFromHost(event.bytes).value(),
                heap.copyFromHost(receive.bytes).value(),
                to.value());
        ByteBuffer read = ByteBuffer.wrap(heap.copyOut(to, 88)).order(ByteOrder.LITTLE_ENDIAN);
        long[] fields = new long[11];
        read.asLongBuffer().get(fields);
        assertThat(fields)
                .containsExactly(
                        1,
                        0xD,
                        0xD1D2D3,
                        0xE1E2,
                        0xC1C2C3C4L,
                        0x13,
                        6,
                        0xA2A3A4,
                        0xF1F2F3,
                        1,
                        0x1122334455667788L);
    }

    @Test
    void doorbellRecordsAreBigEndianAndWrap() {
        DpaAddr receive = heap.copyFromHost(new byte[] {0, 0, -1, -2});
        DpaAddr completions = heap.zeros(4);
        for (int index : new int[] {0, 1, 0x123456, 0xFFFFFF, 0x1000001}) {
            call(process, app, "records", receive.value(), completions.value(), index);
            Bytes taken = new Bytes(heap.copyOut(completions, 4));
            assertThat(DoorbellRecord.consumerIndex(taken, 0)).isEqualTo(index & 0xFFFFFF);
            assertThat(taken.bytes[0]).isZero();
        }
        // Five more than 0xFFFE.
        assertThat(heap.copyOut(receive, 4)).containsExactly(0, 0, 0, 3);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "0xA1B2C3, 0x12345678", "0xFFFFFF, -1"})
    void doorbellsAreTheWordsOfJava(String queueText, String indexText) {
        int queue = Integer.decode(queueText);
        int index = Integer.decode(indexText);
        for (int isOlder = 0; isOlder < 2; isOlder++) {
            DpaAddr page = heap.zeros(0x400);
            call(process, app, "doorbells", page.value(), queue, index, isOlder);
            Bytes rung = new Bytes(heap.copyOut(page, 0x400));
            Bytes expected = new Bytes(new byte[0x400]);
            long emulated = Doorbell.eventQueue(queue, index);
            expected.store64(AddressMap.SEND_DOORBELL, Doorbell.send(queue, index));
            expected.store64(AddressMap.ARM_DOORBELL, Doorbell.arm(queue, index));
            expected.store64(AddressMap.EVENT_QUEUE_DOORBELL, emulated);
            expected.store64(AddressMap.MSIX_DOORBELL, Doorbell.interrupt(queue));
            expected.store64(AddressMap.EMULATION_DOORBELL, emulated);
            expected.store64(AddressMap.EMULATION_COMPLETION_DOORBELL, emulated);
            assertThat(rung.hex()).isEqualTo(expected.hex());
        }
    }

    /// Two writebacks before each of the six, and none without the option.
    @Test
    @Requirement({"DPA-FXO-10", "DPA-FXO-11"})
    void doorbellsWriteBackIfTheMachineIsToldSo() {
        assertThat(writebacks(MachineOptions.DEFAULT)).isZero();
        assertThat(writebacks(MachineOptions.DEFAULT.withFencedCalls())).isEqualTo(12);
    }

    private int writebacks(MachineOptions options) {
        AtomicInteger count = new AtomicInteger();
        Observer counting =
                new Observer() {
                    @Override
                    public void memoryWriteback(int actor, int site) {
                        count.incrementAndGet();
                    }

                    @Override
                    public void windowWriteback(int actor, int site) {
                        count.incrementAndGet();
                    }
                };
        try (FlexioProcess watched =
                FlexioProcess.create(
                        host,
                        DpaDevice.of(options, RunMode.check(Observer.NONE, 1)),
                        app,
                        FlexioProcess.Attributes.DEFAULT.withObserver(counting))) {
            DpaAddr page = watched.heap().zeros(0x400);
            call(watched, app, "nothing");
            int before = count.get();
            call(watched, app, "nothing");
            int always = count.get() - before;
            call(watched, app, "doorbells", page.value(), 1, 1, 0);
            return count.get() - before - 2 * always;
        }
    }
}
