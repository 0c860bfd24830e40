package dev.outboard.fabric.roce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.roce.SimulatedHost.End;
import dev.outboard.fabric.roce.rc.Pattern;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// The active application of a connection campaign: for each of some rounds it connects, sends
/// messages, one at a time, checks what comes back, and disconnects.
final class EchoClient {
    private static final int MAX_MESSAGES = 6;

    /// As often as a request can be repeated: on the worst of networks the twelve seconds that an
    /// attempt has otherwise are too few once in some thousand connections.
    static final Duration ATTEMPT = Duration.ofMinutes(1);

    /// A service that acknowledged a message and then died is noticed by its silence only.
    private static final long PATIENCE_NANOS = 20_000_000_000L;

    private final Simulation simulation;
    private final SimulatedHost host;
    private final InetAddress service;
    private final SplittableRandom random;
    private final int minMessages;
    private final int maxMessages;
    private final int maxBytes;
    private final MemoryRegion region;
    private final List<ConnectionEvent.Type> story = new ArrayList<>();
    private int roundsLeft;
    private int completed;
    private End end;
    private int messagesLeft;
    private int length;
    private long pattern;
    private long giveUpNanos = Simulation.NEVER;

    EchoClient(
            Simulation simulation,
            SimulatedHost host,
            InetAddress service,
            int rounds,
            SplittableRandom random) {
        this(simulation, host, service, rounds, 1, MAX_MESSAGES, EchoService.MESSAGE_BYTES, random);
    }

    /// A client that sends exactly `messages` messages of fewer than `maxBytes` bytes over one
    /// connection.
    static EchoClient of(
            Simulation simulation,
            SimulatedHost host,
            InetAddress service,
            int messages,
            int maxBytes,
            SplittableRandom random) {
        return new EchoClient(
                simulation, host, service, 1, messages, messages + 1, maxBytes, random);
    }

    private EchoClient(
            Simulation simulation,
            SimulatedHost host,
            InetAddress service,
            int rounds,
            int minMessages,
            int maxMessages,
            int maxBytes,
            SplittableRandom random) {
        this.simulation = simulation;
        this.host = host;
        this.service = service;
        this.random = random;
        this.minMessages = minMessages;
        this.maxMessages = maxMessages;
        this.maxBytes = maxBytes;
        roundsLeft = rounds;
        region = host.register(2L * EchoService.MESSAGE_BYTES);
        host.application(this::onEvent, this::onLook);
        connect();
    }

    /// Rounds in which everything came back.
    int completed() {
        return completed;
    }

    /// What happened to the connections, in order.
    List<ConnectionEvent.Type> story() {
        return story;
    }

    private void connect() {
        roundsLeft--;
        messagesLeft = random.nextInt(minMessages, maxMessages);
        end = host.endTo(service, EchoService.PORT);
        end.id.limitAttempt(ATTEMPT);
        end.connect();
    }

    private void onEvent(ConnectionEvent event) {
        story.add(event.type());
        switch (event.type()) {
            case ESTABLISHED -> sendNext();
            case DISCONNECTED, REJECTED, UNREACHABLE -> {
                end.close();
                if (roundsLeft > 0) {
                    connect();
                }
            }
            case TIMEWAIT_EXIT -> {}
            default -> throw new AssertionError("unexpected: " + event);
        }
    }

    private void sendNext() {
        giveUpNanos = simulation.nowNanos() + PATIENCE_NANOS;
        host.wakeAt(giveUpNanos);
        length = random.nextInt(maxBytes);
        pattern = random.nextLong();
        Pattern.fill(outgoing(), pattern);
        incoming().fill((byte) 0);
        ReceiveRequest receive =
                new ReceiveRequest()
                        .buffer(region, EchoService.MESSAGE_BYTES, EchoService.MESSAGE_BYTES);
        assertThat(end.queuePair.post(receive)).isTrue();
        assertThat(end.queuePair.post(new SendRequest().payload(region, 0, length))).isTrue();
    }

    private void onLook() {
        Completion completion = new Completion();
        while (end.sends.poll(completion)) {
            if (completion.status() == CompletionStatus.RETRY_EXCEEDED) {
                disconnect();
            }
        }
        while (end.receives.poll(completion)) {
            if (completion.status() == CompletionStatus.SUCCESS) {
                received(completion);
            }
        }
        if (simulation.nowNanos() >= giveUpNanos) {
            disconnect();
        }
    }

    /// The last round is over.
    void close() {
        region.close();
    }

    private void disconnect() {
        giveUpNanos = Simulation.NEVER;
        host.wakeAt(giveUpNanos);
        end.id.disconnect();
    }

    private void received(Completion completion) {
        assertThat(completion.byteCount()).isEqualTo(length);
        assertThat(Pattern.mismatch(incoming(), pattern, 0)).isEqualTo(-1);
        messagesLeft--;
        if (messagesLeft > 0) {
            sendNext();
        } else {
            completed++;
            disconnect();
        }
    }

    private MemorySegment outgoing() {
        return region.segment().asSlice(0, length);
    }

    private MemorySegment incoming() {
        return region.segment().asSlice(EchoService.MESSAGE_BYTES, length);
    }
}
