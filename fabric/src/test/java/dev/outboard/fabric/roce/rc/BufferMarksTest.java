package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BufferMarksTest {
    private static final int CAPACITY = 16;

    private final PeerBuffer buffer = new PeerBuffer(new CongestionControl(false, 0), 0);
    private final BufferMarks marks = new BufferMarks();
    private final int footprint = PeerBuffer.footprint(16);

    /// Twenty requests are in the buffer, none of them marked.
    @BeforeEach
    void fillTheBuffer() {
        for (int i = 0; i < 20; i++) {
            buffer.requestSent(16);
        }
    }

    @Test
    void anAnswerDrainsTheBufferUpToTheNewestMarkItCovers() {
        marks.add(3, positionOf(3));
        marks.add(5, positionOf(5));
        marks.add(9, positionOf(9));

        marks.answeredBefore(3, buffer);
        assertThat(inBuffer()).isEqualTo(20);
        marks.answeredBefore(9, buffer);
        assertThat(inBuffer()).isEqualTo(14);
        marks.answeredBefore(10, buffer);
        assertThat(inBuffer()).isEqualTo(10);
    }

    /// A mark that comes late is harmless, one that comes early overruns the peer.
    @Test
    void whenTooManyAreMarkedTheNewestGivesWay() {
        for (int packet = 0; packet < CAPACITY + 2; packet++) {
            marks.add(packet, positionOf(packet));
        }

        marks.answeredBefore(CAPACITY - 1, buffer);
        assertThat(inBuffer()).isEqualTo(20 - (CAPACITY - 1));
        marks.answeredBefore(CAPACITY + 1, buffer);
        assertThat(inBuffer()).isEqualTo(20 - (CAPACITY - 1));
        marks.answeredBefore(CAPACITY + 2, buffer);
        assertThat(inBuffer()).isEqualTo(20 - (CAPACITY + 2));
    }

    @Test
    void whatIsSentAgainIsMarkedElsewhere() {
        marks.add(3, positionOf(3));
        marks.add(5, positionOf(5));

        marks.goBackTo(5);
        marks.answeredBefore(6, buffer);

        assertThat(inBuffer()).isEqualTo(16);
    }

    private int positionOf(int packet) {
        return (packet + 1) * footprint;
    }

    private int inBuffer() {
        return buffer.bytesTaken() / footprint;
    }
}
