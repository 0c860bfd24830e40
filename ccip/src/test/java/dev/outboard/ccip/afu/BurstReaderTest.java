package dev.outboard.ccip.afu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.outboard.ccip.wire.C0Tx;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BurstReaderTest {
    private final Rx rx = new Rx();
    private final Tx tx = new Tx();
    private final long[] line = new long[Line.LONGS];
    private final List<Asked> asked = new ArrayList<>();

    /// One line that a request asks for.
    private record Asked(long address, int lineNumber, int mdata) {}

    @Test
    @Requirement({"CCIP-HDR-21", "CCIP-HDR-22"})
    void requestsAreAsLargeAsTheirAlignmentAllows() {
        BurstReader reader = new BurstReader(0, 64);
        reader.start(0x1001, 10);
        assertThat(requests(reader))
                .containsExactly("1001+1", "1002+2", "1004+4", "1008+2", "100a+1");
        finish(reader, 0x1001, 10);
        reader.use(ReadType.RDLINE_S, VirtualChannel.VH1, LineCount.TWO);
        reader.start(0x1000, 4);
        assertThat(requests(reader)).containsExactly("1000+2", "1002+2");
        assertThat(ReadType.of(tx.c0.requestType())).isEqualTo(ReadType.RDLINE_S);
        assertThat(VirtualChannel.of(tx.c0.channel())).isEqualTo(VirtualChannel.VH1);
        finish(reader, 0x1000, 4);
        reader.use(ReadType.RDLINE_I, VirtualChannel.VA, LineCount.ONE);
        reader.start(0x1000, 2);
        assertThat(requests(reader)).containsExactly("1000+1", "1001+1");
    }

    @Test
    @Requirement("CCIP-FLW-10")
    void asksForNoLineThatItHasNoRoomFor() {
        BurstReader reader = new BurstReader(0, 8);
        reader.start(0, 100);
        assertThat(requests(reader)).containsExactly("0+4", "4+4");
        for (int i = 0; i < 3; i++) {
            answer(i, 0, i);
            reader.accept(rx);
            reader.take(line);
            assertThat(requests(reader)).isEmpty();
        }
        answer(3, 0, 3);
        reader.accept(rx);
        reader.take(line);
        assertThat(requests(reader)).containsExactly("8+4");
    }

    @Test
    @Requirement("CCIP-FLW-2")
    void asksForNothingWhileTheChannelIsNearlyFull() {
        BurstReader reader = new BurstReader(0, 64);
        reader.start(0, 100);
        rx.c0TxAlmFull = true;
        assertThat(requests(reader)).isEmpty();
        rx.c0TxAlmFull = false;
        assertThat(requests(reader)).hasSize(16);
    }

    @Test
    @Requirement({"CCIP-RSP-3", "CCIP-RSP-8"})
    void givesLinesInOrderHoweverTheyCome() {
        Seeds.campaign(
                50,
                seed -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    BurstReader reader = new BurstReader(0x8000, 32);
                    for (int run = 0; run < 3; run++) {
                        long address = random.nextLong(1L << 30);
                        int count = 1 + random.nextInt(200);
                        reader.start(address, count);
                        readAll(reader, random, address, count);
                    }
                });
    }

    private void readAll(BurstReader reader, SplittableRandom random, long address, int count) {
        int taken = 0;
        while (taken < count) {
            rx.idle();
            tx.idle();
            if (!asked.isEmpty() && random.nextInt(4) != 0) {
                Asked next = asked.remove(random.nextInt(asked.size()));
                answer(next.address, next.lineNumber, next.mdata);
            }
            reader.accept(rx);
            if (reader.available()) {
                reader.take(line);
                assertThat(line[0]).isEqualTo(address + taken);
                taken++;
            }
            if (reader.request(rx, tx)) {
                note(tx.c0);
            }
        }
        assertThat(reader.done()).isTrue();
    }

    @Test
    @Requirement({"CCIP-SIG-14", "CCIP-UMSG-13"})
    void takesNoNoticeOfWhatIsNotItsOwn() {
        BurstReader reader = new BurstReader(16, 16);
        reader.start(0, 1);
        assertThat(requests(reader)).hasSize(1);
        answer(5, 0, 15);
        reader.accept(rx);
        answer(5, 0, 32);
        reader.accept(rx);
        rx.idle();
        rx.c0.umsg(false, 0);
        reader.accept(rx);
        assertThat(reader.available()).isFalse();
        answer(0, 0, 16);
        reader.accept(rx);
        assertThat(reader.available()).isTrue();
    }

    @Test
    @Requirement("CCIP-RST-2")
    void aResetForgetsLinesHereAndLinesUnderway() {
        BurstReader reader = new BurstReader(0, 8);
        reader.start(0, 100);
        assertThat(requests(reader)).hasSize(2);
        answer(0, 0, 0);
        reader.accept(rx);
        reader.reset();
        asked.clear();
        assertThat(reader.done()).isTrue();
        assertThat(reader.available()).isFalse();
        reader.start(0x40, 3);
        assertThat(requests(reader)).containsExactly("40+2", "42+1");
        finish(reader, 0x40, 3);
    }

    @Test
    void refusesTagsThatMdataCannotHold() {
        assertThatIllegalArgumentException().isThrownBy(() -> new BurstReader(0, 12));
        assertThatIllegalArgumentException().isThrownBy(() -> new BurstReader(0, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> new BurstReader(0xFFF8, 16));
        assertThatIllegalArgumentException().isThrownBy(() -> new BurstReader(-1, 16));
    }

    /// All requests that the reader makes one after the other, as `address+lines`.
    private List<String> requests(BurstReader reader) {
        List<String> requests = new ArrayList<>();
        rx.idle();
        tx.idle();
        while (reader.request(rx, tx)) {
            C0Tx c0 = tx.c0;
            assertThat(c0.valid).isTrue();
            note(c0);
            requests.add(
                    Long.toHexString(c0.address()) + "+" + LineCount.of(c0.lengthCode()).lines());
        }
        return requests;
    }

    /// Answers all lines that were asked for, and takes them.
    private void finish(BurstReader reader, long address, int count) {
        for (Asked next : asked) {
            answer(next.address, next.lineNumber, next.mdata);
            reader.accept(rx);
        }
        asked.clear();
        for (int i = 0; i < count; i++) {
            assertThat(reader.available()).isTrue();
            reader.take(line);
            assertThat(line[0]).isEqualTo(address + i);
        }
        assertThat(reader.done()).isTrue();
    }

    private void note(C0Tx c0) {
        for (int i = 0; i < LineCount.of(c0.lengthCode()).lines(); i++) {
            asked.add(new Asked(c0.address() + i, i, c0.mdata()));
        }
    }

    private void answer(long address, int lineNumber, int mdata) {
        rx.idle();
        rx.c0.data[0] = address;
        rx.c0.readResponse(VirtualChannel.VH0, false, lineNumber, mdata);
    }
}
