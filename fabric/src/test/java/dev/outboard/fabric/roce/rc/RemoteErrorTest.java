package dev.outboard.fabric.roce.rc;

import static dev.outboard.fabric.roce.rc.QueuePairBench.flushed;
import static dev.outboard.fabric.roce.rc.QueuePairBench.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The peer refuses a request for good (roce.md 3.5).
class RemoteErrorTest {
    @ParameterizedTest
    @CsvSource({
        "0x61, 9, REMOTE_INVALID_REQUEST_ERROR",
        "0x62, 10, REMOTE_ACCESS_ERROR",
        "0x63, 11, REMOTE_OPERATION_ERROR"
    })
    @Requirement("ROCE-RC-18")
    void failsTheRefusedRequestAndFlushesTheRest(int syndrome, int code, String status) {
        var bench = new QueuePairBench().connect();
        bench.postReceive(11, 0, 10);
        bench.postReceive(12, 0, 10);
        bench.post(bench.send(1, 0));
        bench.post(bench.write(2, 600).signaled(false));
        bench.post(bench.send(3, 0).signaled(false));
        bench.post(bench.send(4, 0));
        bench.transmit();

        bench.deliver(TestPacket.nak(bench.sendPsn(2), syndrome));

        Completion completion = new Completion();
        assertThat(bench.sendCompletions.poll(completion)).isTrue();
        assertThat(completion.id()).isEqualTo(1);
        assertThat(completion.status().code()).isZero();
        assertThat(bench.sendCompletions.poll(completion)).isTrue();
        assertThat(completion.id()).isEqualTo(2);
        assertThat(completion.status().code()).isEqualTo(code);
        assertThat(completion.status()).hasToString(status);
        assertThat(bench.sendCompletions()).containsExactly(flushed(3), flushed(4));
        assertThat(bench.receiveCompletions()).containsExactly(flushed(11), flushed(12));
        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertThat(bench.transmit()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0x40, 0x5F, 0x65, 0x7F, 0x80, 0xFF})
    void takesAReservedSyndromeForABadResponse(int syndrome) {
        var bench = new QueuePairBench().connect();
        bench.post(bench.send(1, 0));
        bench.transmit();

        bench.deliver(TestPacket.nak(bench.sendPsn(0), syndrome));

        assertThat(bench.sendCompletions()).containsExactly("1 BAD_RESPONSE_ERROR");
    }

    @Test
    void ignoresARefusalOfARequestThatWasAcknowledged() {
        var bench = new QueuePairBench().connect();
        bench.post(bench.send(1, 0));
        bench.post(bench.send(2, 0));
        bench.transmit();
        bench.deliver(TestPacket.ack(bench.sendPsn(0)));

        bench.deliver(TestPacket.nak(bench.sendPsn(0), Aeth.NAK_REMOTE_ACCESS_ERROR));

        assertThat(bench.queuePair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        bench.deliver(TestPacket.ack(bench.sendPsn(1)));
        assertThat(bench.sendCompletions()).containsExactly(success(1), success(2));
    }
}
