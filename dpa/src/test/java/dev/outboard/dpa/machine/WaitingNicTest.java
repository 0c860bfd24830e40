package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.process.DpaProcess;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A NIC under FAST that waits for memory to change, which nobody tells it of.
class WaitingNicTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    /// Waits until a word is not 0.
    private static final class Waiting implements Nic.Engine {
        private final long word;
        private final AtomicInteger looks = new AtomicInteger();
        private final AtomicInteger commands = new AtomicInteger();
        private final AtomicBoolean changed = new AtomicBoolean();

        private Waiting(long word) {
            this.word = word;
        }

        @Override
        public void begin(Nic nic) {
            // Nothing to do.
        }

        @Override
        public Nic.Work work(Nic nic) {
            looks.getAndIncrement();
            if (nic.pollDoorbell((_, _, _, _) -> commands.getAndIncrement())) {
                return Nic.Work.DONE;
            }
            boolean isSet = nic.load64(word) != 0;
            changed.compareAndSet(false, isSet);
            return isSet ? Nic.Work.NONE : Nic.Work.WAITS;
        }

        @Override
        public void take(Nic nic, int register, long value, int uar, long token) {
            commands.getAndIncrement();
        }

        @Override
        public void end() {
            // Nothing to do.
        }
    }

    @Test
    @Timeout(60)
    void itLooksNowAndThenAndAtOnceIfThereAreNews() {
        DpaProcess process =
                DpaProcess.open(MachineOptions.DEFAULT, ProgramImage.EMPTY, RunMode.fast());
        long word = process.heap().allocate(8);
        process.write64(word, 0);
        Waiting nic = new Waiting(word);
        process.nicServer("NIC", nic);
        process.start();
        long begin = System.nanoTime();
        process.await(() -> false, Duration.ofMillis(300));
        long millis = (System.nanoTime() - begin) / 1_000_000;
        // A thousand at once, then at most every 10 us more, and every millisecond in the end.
        assertThat(nic.looks.get()).isBetween(2, 1000 + 200 + (int) millis);
        for (int i = 1; i <= 200; i++) {
            int expected = i;
            process.act(host -> {
                host.command();
                return true;
            });
            assertThat(process.await(() -> nic.commands.get() == expected, LONG)).isTrue();
        }
        process.write64(word, 1);
        assertThat(process.await(nic.changed::get, LONG)).isTrue();
        process.close();
    }
}
