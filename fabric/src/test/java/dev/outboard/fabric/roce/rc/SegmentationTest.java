package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.SendRequest.Operation;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.verbs.QueueSizes;
import dev.outboard.testkit.Requirement;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// How messages become packets and packets become messages again (roce.md 3.1 to 3.3).
class SegmentationTest {
    private static final List<Operation> MESSAGES =
            List.of(
                    Operation.SEND,
                    Operation.SEND_WITH_IMMEDIATE,
                    Operation.RDMA_WRITE,
                    Operation.RDMA_WRITE_WITH_IMMEDIATE);

    private static final int IMMEDIATE = 0x01020304;
    private static final long MAX_MESSAGE = 1L << 31;

    static Stream<Arguments> everySizeAtEveryMtu() {
        return Stream.of(256, 512, 1024, 2048, 4096)
                .flatMap(mtu ->
                        Stream.of(
                                        0,
                                        1,
                                        mtu - 1,
                                        mtu,
                                        mtu + 1,
                                        2 * mtu,
                                        5 * mtu - 1,
                                        5 * mtu,
                                        5 * mtu + 1)
                                .flatMap(length ->
                                        MESSAGES.stream()
                                                .map(operation ->
                                                        Arguments.of(mtu, length, operation))));
    }

    @ParameterizedTest
    @MethodSource("everySizeAtEveryMtu")
    @Requirement({"ROCE-RC-1", "ROCE-RC-2", "ROCE-RC-4"})
    void cutsAMessageIntoPacketsAndPutsItTogetherAgain(int mtu, int length, Operation operation) {
        var sender = new QueuePairBench().pathMtu(mtu).firstPsns(0xFFFFFE, 0).connect();
        var receiver = new QueuePairBench().pathMtu(mtu).firstPsns(0, 0xFFFFFE).connect();
        RegisteredRegion source = sender.region(Math.max(1, length));
        Pattern.fill(source.segment(), 4711);
        receiver.postReceive(9, 0, QueuePairBench.MEMORY_BYTES);

        sender.post(request(operation, source, length, receiver.region));
        List<TestPacket> packets = sender.transmit();

        checkPackets(packets, mtu, length, operation, sender, receiver.region);
        TestPacket ack = receiver.answerTo(packets.toArray(TestPacket[]::new));
        assertThat(ack.syndrome).isEqualTo(Aeth.ACK);
        assertThat(ack.psn).isEqualTo(sender.sendPsn(packets.size() - 1));
        assertThat(receiver.bytes(0, length)).isEqualTo(QueuePairBench.pattern(4711, 0, length));
        sender.deliver(ack);
        assertThat(sender.sendCompletions()).containsExactly(success(1));
        if (operation != Operation.RDMA_WRITE) {
            assertThat(receiver.receiveCompletion().byteCount()).isEqualTo(length);
        }
    }

    private static SendRequest request(
            Operation operation, RegisteredRegion source, int length, RegisteredRegion target) {
        SendRequest request = new SendRequest().id(1).payload(source, 0, length);
        return switch (operation) {
            case SEND -> request.send();
            case SEND_WITH_IMMEDIATE -> request.sendWithImmediate(IMMEDIATE);
            case RDMA_WRITE -> request.write(target.address(), target.remoteKey());
            case RDMA_WRITE_WITH_IMMEDIATE ->
                    request.writeWithImmediate(target.address(), target.remoteKey(), IMMEDIATE);
            default -> throw new IllegalArgumentException(operation.toString());
        };
    }

    private static void checkPackets(
            List<TestPacket> packets,
            int mtu,
            int length,
            Operation operation,
            QueuePairBench sender,
            RegisteredRegion target) {
        assertThat(packets)
                .extracting(packet -> packet.opcode)
                .isEqualTo(opcodes(mtu, length, operation));
        var all = new ByteArrayOutputStream();
        for (int i = 0; i < packets.size(); i++) {
            TestPacket packet = packets.get(i);
            assertThat(packet.psn).isEqualTo(sender.sendPsn(i));
            boolean isLast = i == packets.size() - 1;
            assertThat(packet.payload.length)
                    .isEqualTo(isLast ? length - (packets.size() - 1) * mtu : mtu);
            if (packet.opcode.hasReth()) {
                assertThat(i).as("RETH in the first packet only").isZero();
                assertThat(packet.dmaLength).as("of the whole message").isEqualTo(length);
                assertThat(packet.address).isEqualTo(target.address());
                assertThat(packet.key).isEqualTo(target.remoteKey());
            }
            if (packet.opcode.hasImmediate()) {
                assertThat(packet.immediate).isEqualTo(IMMEDIATE);
            }
            all.writeBytes(packet.payload);
        }
        assertThat(all.toByteArray()).isEqualTo(QueuePairBench.pattern(4711, 0, length));
    }

    /// As the table of roce.md 3.1 has them, written out once more.
    private static List<Opcode> opcodes(int mtu, int length, Operation operation) {
        List<Opcode> names =
                switch (operation) {
                    case SEND -> names("SEND", "");
                    case SEND_WITH_IMMEDIATE -> names("SEND", "_IMM");
                    case RDMA_WRITE -> names("WRITE", "");
                    case RDMA_WRITE_WITH_IMMEDIATE -> names("WRITE", "_IMM");
                    default -> throw new IllegalArgumentException(operation.toString());
                };
        if (length <= mtu) {
            return List.of(names.get(3));
        }
        var opcodes = new ArrayList<>(List.of(names.get(0)));
        int left = length - mtu;
        for (; left > mtu; left -= mtu) {
            opcodes.add(names.get(1));
        }
        opcodes.add(names.get(2));
        return opcodes;
    }

    private static List<Opcode> names(String operation, String suffix) {
        return Stream.of("_FIRST", "_MIDDLE", "_LAST" + suffix, "_ONLY" + suffix)
                .map(part -> Opcode.valueOf(operation + part))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(
            value = Operation.class,
            names = {"RDMA_WRITE", "RDMA_WRITE_WITH_IMMEDIATE"})
    void looksAtNeitherAddressNorKeyOfAnEmptyWrite(Operation operation) {
        var receiver = new QueuePairBench().connect();
        receiver.postReceive(9, 0, 10);
        boolean hasImmediate = operation == Operation.RDMA_WRITE_WITH_IMMEDIATE;
        Opcode opcode = hasImmediate ? Opcode.WRITE_ONLY_IMM : Opcode.WRITE_ONLY;

        TestPacket answer =
                receiver.answerTo(
                        TestPacket.of(opcode, receiver.receivePsn(0))
                                .ackRequest()
                                .target(-1, 0, 0));

        assertThat(answer.syndrome).isEqualTo(Aeth.ACK);
        assertThat(receiver.receiveCompletions()).hasSize(hasImmediate ? 1 : 0);
    }

    @Test
    void padsToAMultipleOfFourBytesWithoutCountingThem() {
        for (int length = 0; length < 8; length++) {
            var sender = new QueuePairBench().connect();
            sender.post(sender.send(1, length));
            assertThat(sender.transmitOne().payload).hasSize(length);
        }
    }

    @Test
    @Requirement("ROCE-RC-26")
    void refusesToPostMoreThanTwoGibibytes() {
        var bench = new QueuePairBench().maxPieces(2049).connect();
        RegisteredRegion mebibyte = bench.region(1 << 20);
        SendRequest request = new SendRequest().noPayload();
        for (int i = 0; i < MAX_MESSAGE >> 20; i++) {
            request.appendPayload(mebibyte, 0, 1 << 20);
        }
        bench.post(request);

        request.appendPayload(mebibyte, 0, 1);
        assertThatThrownBy(() -> bench.queuePair.post(request))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("2147483648");
    }

    @Test
    @Requirement("ROCE-RC-26")
    void refusesAWriteOfMoreThanTwoGibibytes() {
        var bench = new QueuePairBench().connect();

        TestPacket answer =
                bench.answerTo(
                        TestPacket.of(Opcode.WRITE_FIRST, bench.receivePsn(0))
                                .ackRequest()
                                .target(
                                        bench.region.address(),
                                        bench.region.remoteKey(),
                                        MAX_MESSAGE + 1)
                                .payload(new byte[256]));

        assertThat(answer.syndrome).isEqualTo(Aeth.NAK_INVALID_REQUEST);
    }

    /// Through 16 MiB of memory, named often enough on both sides.
    @Test
    @Tag("large")
    @Requirement("ROCE-RC-26")
    void carriesAMessageOfTwoGibibytes() {
        int pieceBytes = 1 << 24;
        int pieces = (int) (MAX_MESSAGE / pieceBytes);
        var pair = new JoinedPair(4096, new QueueSizes(1, 1, pieces, 0));
        RegisteredRegion source = pair.region(Arena.ofAuto().allocate(pieceBytes));
        RegisteredRegion sink = pair.region(Arena.ofAuto().allocate(pieceBytes));
        Pattern.fill(source.segment(), 31);
        SendRequest send = new SendRequest().id(1).send().noPayload();
        ReceiveRequest receive = new ReceiveRequest().id(2).noBuffer();
        for (int i = 0; i < pieces; i++) {
            send.appendPayload(source, 0, pieceBytes);
            receive.appendBuffer(sink, 0, pieceBytes);
        }

        pair.queuePairs[1].post(receive);
        pair.queuePairs[0].post(send);
        pair.exchange();

        var completion = new Completion();
        assertThat(pair.receiveCompletions[1].poll(completion)).isTrue();
        assertThat(completion.byteCount()).isEqualTo(MAX_MESSAGE);
        assertThat(pair.sendCompletions[0].poll(completion)).isTrue();
        assertThat(completion.byteCount()).isEqualTo(MAX_MESSAGE);
        assertThat(Pattern.mismatch(sink.segment(), 31, 0)).isEqualTo(-1);
        pair.assertNothingIsRetransmitted();
        assertThat(pair.queuePairs[0].counters().get(QueuePairCounter.REQUESTS_SENT))
                .isEqualTo(MAX_MESSAGE / 4096);
    }

    /// A sparse file stands for the memory; its last 16 MiB are what stays in the sink.
    @Test
    @Tag("large")
    @Requirement("ROCE-RC-26")
    void readsTwoGibibytes(@TempDir Path directory) throws IOException {
        int pieceBytes = 1 << 24;
        int pieces = (int) (MAX_MESSAGE / pieceBytes);
        var pair = new JoinedPair(4096, new QueueSizes(1, 1, pieces, 0));
        try (Arena arena = Arena.ofShared();
                FileChannel file =
                        FileChannel.open(
                                directory.resolve("memory"),
                                StandardOpenOption.CREATE_NEW,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE)) {
            MemorySegment memory = file.map(FileChannel.MapMode.READ_WRITE, 0, MAX_MESSAGE, arena);
            Pattern.fill(memory.asSlice(MAX_MESSAGE - pieceBytes), 31);
            RegisteredRegion source = pair.region(memory);
            RegisteredRegion sink = pair.region(arena.allocate(pieceBytes));
            SendRequest read =
                    new SendRequest().id(1).read(source.address(), source.remoteKey()).noPayload();
            for (int i = 0; i < pieces; i++) {
                read.appendPayload(sink, 0, pieceBytes);
            }

            pair.queuePairs[0].post(read);
            pair.exchange();

            var completion = new Completion();
            assertThat(pair.sendCompletions[0].poll(completion)).isTrue();
            assertThat(completion.status()).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(completion.byteCount()).isEqualTo(MAX_MESSAGE);
            assertThat(Pattern.mismatch(sink.segment(), 31, 0)).isEqualTo(-1);
            pair.assertNothingIsRetransmitted();
            assertThat(pair.queuePairs[0].counters().get(QueuePairCounter.RESPONSES_RECEIVED))
                    .isEqualTo(MAX_MESSAGE / 4096);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Operation.class,
            names = {"SEND", "RDMA_WRITE", "RDMA_WRITE_WITH_IMMEDIATE", "RDMA_READ"})
    @Requirement("ROCE-RC-3")
    void aMessageOfNothingNeedsNeitherAddressNorKey(Operation operation) {
        var pair = new JoinedPair(256, new QueueSizes(1, 1, 1, 0));
        pair.queuePairs[1].post(new ReceiveRequest().id(2).noBuffer());
        SendRequest request = new SendRequest().id(1).noPayload();
        switch (operation) {
            case RDMA_WRITE -> request.write(-1, 0);
            case RDMA_WRITE_WITH_IMMEDIATE -> request.writeWithImmediate(-1, 0, IMMEDIATE);
            case RDMA_READ -> request.read(-1, 0);
            default -> request.send();
        }

        pair.queuePairs[0].post(request);
        pair.exchange();

        var completion = new Completion();
        assertThat(pair.sendCompletions[0].poll(completion)).isTrue();
        assertThat(completion.status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(pair.receiveCompletions[1].poll(completion))
                .isEqualTo(
                        operation == Operation.SEND
                                || operation == Operation.RDMA_WRITE_WITH_IMMEDIATE);
    }

    @Test
    @Requirement("ROCE-RC-4")
    void retransmitsAndCompletesAcrossTheWrapOfThePsn() {
        var bench = new QueuePairBench().firstPsns(0xFFFFFE, 0).connect();
        bench.post(bench.send(1, 4 * 256));
        assertThat(psns(bench.transmit())).containsExactly(0xFFFFFE, 0xFFFFFF, 0, 1);

        bench.deliver(TestPacket.nak(0xFFFFFF, Aeth.NAK_PSN_SEQUENCE_ERROR));
        assertThat(psns(bench.transmit())).containsExactly(0xFFFFFF, 0, 1);
        bench.deliver(TestPacket.ack(0));
        bench.deliver(TestPacket.ack(0xFFFFFF));
        assertThat(bench.sendCompletions()).isEmpty();
        bench.deliver(TestPacket.ack(1));

        assertThat(bench.sendCompletions()).containsExactly(success(1));
    }

    private static int[] psns(List<TestPacket> packets) {
        return packets.stream().mapToInt(packet -> packet.psn).toArray();
    }

    @Test
    void gathersAndScattersPieces() {
        var sender = new QueuePairBench().connect();
        var receiver = new QueuePairBench().connect();
        sender.post(
                new SendRequest()
                        .payload(sender.region, 1_000, 300)
                        .appendPayload(sender.region, 50, 0)
                        .appendPayload(sender.region, 0, 411));
        receiver.queuePair.post(
                new ReceiveRequest()
                        .buffer(receiver.region, 5_000, 10)
                        .appendBuffer(receiver.region, 6_000, 500)
                        .appendBuffer(receiver.region, 7_000, 400));
        TestPacket[] packets = sender.transmit().toArray(TestPacket[]::new);
        for (int i = 0; i < packets.length; i++) {
            packets[i].psn = receiver.receivePsn(i);
        }

        receiver.deliver(packets);

        byte[] expected = Arrays.copyOf(sender.bytes(1_000, 300), 711);
        System.arraycopy(sender.bytes(0, 411), 0, expected, 300, 411);
        var actual = new ByteArrayOutputStream();
        actual.writeBytes(receiver.bytes(5_000, 10));
        actual.writeBytes(receiver.bytes(6_000, 500));
        actual.writeBytes(receiver.bytes(7_000, 201));
        assertThat(actual.toByteArray()).isEqualTo(expected);
        assertThat(receiver.bytes(7_201, 199)).isEqualTo(QueuePairBench.pattern(0, 7_201, 199));
    }
}
