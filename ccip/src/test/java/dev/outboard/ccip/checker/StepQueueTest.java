package dev.outboard.ccip.checker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StepQueueTest {
    private final StepQueue queue = new StepQueue();

    /// Of an element with lines 1 to 3 from address 100 on: which of them are also among these.
    @ParameterizedTest
    @CsvSource({
        "100, 0011, 0010",
        "100, 1111, 1110",
        "101, 0011, 0110",
        "102, 0011, 1100",
        "103, 0001, 1000",
        "104, 1111, 0000",
        " 99, 0110, 0010",
        " 97, 1111, 0000",
        " 96, 1111, 0000"
    })
    void knowsWhichLinesAreCommon(long address, String lines, String common) {
        queue.add(7, 0b1110, 100, 0);
        assertThat(queue.common(0, address, Integer.parseInt(lines, 2)))
                .isEqualTo(Integer.parseInt(common, 2));
    }

    @Test
    void anElementStaysUntilItsLastLineIsTakenOut() {
        queue.add(1, 0b0011, 100, 0);
        queue.add(2, 0b0001, 200, 0);
        queue.add(3, 0b0001, 300, 5);
        queue.remove(queue.find(2, 0b0001), 0b0001);
        queue.remove(queue.find(1, 0b0010), 0b0010);
        assertThat(queue.size()).isEqualTo(2);
        assertThat(queue.find(1, 0b0010)).isEqualTo(-1);
        assertThat(queue.find(1, 0b0001)).isZero();
        assertThat(queue.request(1)).isEqualTo(3);
        assertThat(queue.mark(1)).isEqualTo(5);
        queue.remove(0, 0b0001);
        queue.remove(0, 0b0001);
        assertThat(queue.size()).isZero();
    }

    @Test
    void growsAndKeepsTheOrder() {
        queue.add(0, 1, 0, 0);
        for (int i = 1; i < 5000; i++) {
            queue.add(i, 1, i, i);
            if (i < 100) {
                queue.remove(0, 1);
            }
        }
        assertThat(queue.size()).isEqualTo(4901);
        for (int i = 0; i < queue.size(); i++) {
            assertThat(queue.request(i)).isEqualTo(99 + i);
            assertThat(queue.address(i)).isEqualTo(99 + i);
        }
    }
}
