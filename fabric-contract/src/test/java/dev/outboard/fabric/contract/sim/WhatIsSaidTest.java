package dev.outboard.fabric.contract.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.Flow;
import dev.outboard.fabric.FlowMatch;
import dev.outboard.fabric.contract.RawPacketEnd;
import dev.outboard.fabric.contract.VerbsEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/// What a device says to people: in its log, and as the names of its parts.
class WhatIsSaidTest {
    /// Of one queue, however often it fails; another queue's is news.
    @Test
    void theFirstFailureOfASinkIsLogged() {
        List<LogRecord> logged = new ArrayList<>();
        Handler handler = new Collecting(logged);
        Logger root = Logger.getLogger("");
        root.addHandler(handler);
        try (Device device = Fabric.open("sim://said/10.0.0.1")) {
            fail(device, new IllegalArgumentException("the first queue's"));
            fail(device, new IllegalArgumentException("the second queue's"));
            assertThat(device.counters()).containsEntry("completions.sink-failures", 6L);
        } finally {
            root.removeHandler(handler);
        }
        assertThat(logged)
                .extracting(each -> each.getThrown().getMessage())
                .containsExactly("the first queue's", "the second queue's");
        assertThat(logged)
                .allSatisfy(each -> {
                    assertThat(each.getLevel()).isEqualTo(Level.SEVERE);
                    assertThat(each.getMessage()).contains("sink of sim://said/10.0.0.1");
                });
    }

    /// Three completions go to a sink that throws `failure`.
    private static void fail(Device device, RuntimeException failure) {
        CompletionQueue queue =
                device.createCompletionQueue(completion -> {
                    throw failure;
                });
        try (VerbsEnd near = new VerbsEnd(device).create();
                VerbsEnd far = new VerbsEnd(device)) {
            far.create(attributes -> attributes.withReceiveQueue(queue));
            VerbsEnd.connect(near, far);
            for (int id = 1; id <= 3; id++) {
                far.postReceive(id);
                near.post(near.message(id));
                assertThat(near.status()).isEqualTo(id + " SUCCESS");
            }
        }
        queue.close();
    }

    @Test
    void aFlowNamesDeviceQueuePairAndFrames() {
        try (Device device = Fabric.open("sim://said/10.0.0.2");
                RawPacketEnd end = new RawPacketEnd(device)) {
            FlowMatch match = FlowMatch.destination(end.address());
            Flow flow = end.queuePair().createFlow(match);
            assertThat(flow)
                    .hasToString(
                            "flow of sim://said/10.0.0.2 to queue pair %d: %s"
                                    .formatted(end.queuePair().number(), match));
        }
    }

    private static final class Collecting extends Handler {
        private final List<LogRecord> records;

        Collecting(List<LogRecord> records) {
            this.records = records;
        }

        @Override
        public void publish(LogRecord entry) {
            if (entry.getThrown() instanceof IllegalArgumentException) {
                records.add(entry);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
