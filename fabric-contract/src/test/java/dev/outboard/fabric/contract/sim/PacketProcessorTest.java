package dev.outboard.fabric.contract.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FlowMatch;
import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.contract.RawPacketEnd;
import dev.outboard.fabric.sim.SimNetwork;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A packet processor on a network that harms frames, many seeds: whatever was sent came back as it
/// should, or is counted where it was lost.
class PacketProcessorTest {
    private static final int FRAMES = 600;
    private static final int BURST = 12;
    private static final int FEW_RECEIVES = 4;
    private static final int NUMBER = 15;
    private static final int TYPE = 0x88B5;
    private static final String HARM =
            "&loss=4%25&duplicate=4%25&reorder=6%25&corrupt=4%25&latency=5us&jitter=3us&inbox=10&idle=2us";

    /// What is left of a run.
    private record Outcome(int answers, long endNanos, Map<String, Long> counters) {
        long sum(String... names) {
            return Stream.of(names).mapToLong(counters::get).sum();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void whatIsSentIsReceivedOrCounted(long seed) {
        Outcome outcome = run(seed, HARM);

        assertThat(outcome.sum("sent.frames", "network.duplicated"))
                .isEqualTo(
                        outcome.sum(
                                "network.lost",
                                "network.overflowed",
                                "discarded.bad-frame-check",
                                "discarded.no-receive",
                                "frames-received"));
        assertThat(outcome.sum("received.frames"))
                .isEqualTo(outcome.sum("discarded.no-receive", "frames-received"));
        assertThat(outcome.counters())
                .containsEntry("network.too-long", 0L)
                .containsEntry("network.undeliverable", 0L);
        assertThat(outcome.answers()).isPositive();
        for (String harm :
                List.of("network.lost", "network.duplicated", "discarded.bad-frame-check")) {
            assertThat(outcome.sum(harm)).as(harm).isPositive();
        }
    }

    @Test
    void theSameSeedIsTheSameRun() {
        assertThat(run(7, HARM)).isEqualTo(run(7, HARM)).isNotEqualTo(run(8, HARM));
    }

    @Test
    void withoutHarmEveryFrameComesBack() {
        assertThat(run(1, "").answers()).isEqualTo(FRAMES);
    }

    private static Outcome run(long seed, String harm) {
        int receives = harm.isEmpty() ? RawPacketEnd.SLOTS : FEW_RECEIVES;
        try (Device near = Fabric.open("sim://processor/10.0.0.1?seed=" + seed + harm);
                Device far = Fabric.open("sim://processor/10.0.0.2");
                RawPacketEnd generator = new RawPacketEnd(near);
                PacketProcessor processor = new PacketProcessor(far, receives)) {
            SimNetwork network = SimNetwork.of(near);
            generator.queuePair().createFlow(FlowMatch.destination(generator.address()));
            for (int slot = 0; slot < RawPacketEnd.SLOTS; slot++) {
                generator.postReceive(slot);
            }
            int answers = 0;
            for (int number = 0; number < FRAMES; number += BURST) {
                for (int i = 0; i < BURST; i++) {
                    generator.post(
                            generator
                                    .send(i, question(generator, far, number + i))
                                    .signaled(false));
                }
                answers += exchange(network, generator, processor, 50_000);
            }
            answers += exchange(network, generator, processor, 1_000_000);
            return new Outcome(
                    answers, network.nowNanos(), counters(network, generator, processor.end()));
        }
    }

    private static byte[] question(RawPacketEnd generator, Device far, int number) {
        byte[] frame =
                generator.frame(far.macAddress().orElseThrow(), TYPE, 64 + number * 13 % 9000);
        ByteBuffer.wrap(frame).putInt(NUMBER, number);
        return frame;
    }

    /// Lets `nanos` pass, and checks every answer.
    private static int exchange(
            SimNetwork network, RawPacketEnd generator, PacketProcessor processor, long nanos) {
        int answers = 0;
        Completion completion = new Completion();
        long end = network.nowNanos() + nanos;
        while (network.nowNanos() < end) {
            processor.work();
            while (generator.completions().poll(completion)) {
                assertThat(completion.opcode()).isEqualTo(CompletionOpcode.RECEIVE);
                check(
                        generator,
                        processor,
                        generator.bytes(completion.id(), completion.byteCount()));
                generator.postReceive(completion.id());
                answers++;
            }
        }
        return answers;
    }

    private static void check(RawPacketEnd generator, PacketProcessor processor, byte[] answer) {
        int number = ByteBuffer.wrap(answer).getInt(NUMBER);
        byte[] expected = question(generator, processor.end().device(), number);
        ByteBuffer addresses = ByteBuffer.wrap(expected);
        byte[] destination = new byte[MacAddress.LENGTH];
        byte[] source = new byte[MacAddress.LENGTH];
        addresses.get(destination).get(source);
        addresses.rewind().put(source).put(destination);
        expected[PacketProcessor.REWRITTEN]++;
        assertThat(answer).isEqualTo(expected);
    }

    private static Map<String, Long> counters(SimNetwork network, RawPacketEnd... ends) {
        Map<String, Long> sums = new TreeMap<>();
        network.counters().forEach((name, count) -> sums.put("network." + name, count));
        for (RawPacketEnd end : ends) {
            end.device().counters().forEach((name, count) -> sums.merge(name, count, Long::sum));
            end.queuePair().counters().forEach((name, count) -> sums.merge(name, count, Long::sum));
        }
        return sums;
    }
}
