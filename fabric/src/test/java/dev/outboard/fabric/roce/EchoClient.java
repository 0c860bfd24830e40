package dev.outboard.fabric.roce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.SimulatedDevice.Endpoint;
import dev.outboard.fabric.roce.cm.CmEvent;
import dev.outboard.fabric.roce.cm.Connection;
import dev.outboard.fabric.roce.rc.Pattern;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.sim.network.SimulatedNetwork;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/// The active application of a connection campaign: for each of some rounds it connects, sends
/// messages, one at a time, checks what comes back, and disconnects.
final class EchoClient {
    private static final int MAX_MESSAGES = 6;

    /// A service that acknowledged a message and then died is noticed by its silence only.
    private static final long PATIENCE_NANOS = 20_000_000_000L;

    private final SimulatedDevice device;
    private final Gid service;
    private final SplittableRandom random;
    private final int minMessages;
    private final int maxMessages;
    private final int maxBytes;
    private final RegisteredRegion region;
    private final List<ConnectionEvent.Type> story = new ArrayList<>();
    private int roundsLeft;
    private int completed;
    private Endpoint endpoint;
    private Connection connection;
    private int messagesLeft;
    private int length;
    private long pattern;
    private long giveUpNanos = SimulatedNetwork.NEVER;

    EchoClient(SimulatedDevice device, Gid service, int rounds, SplittableRandom random) {
        this(device, service, rounds, 1, MAX_MESSAGES, EchoService.MESSAGE_BYTES, random);
    }

    /// A client that sends exactly `messages` messages of fewer than `maxBytes` bytes over one
    /// connection.
    static EchoClient of(
            SimulatedDevice device,
            Gid service,
            int messages,
            int maxBytes,
            SplittableRandom random) {
        return new EchoClient(device, service, 1, messages, messages + 1, maxBytes, random);
    }

    private EchoClient(
            SimulatedDevice device,
            Gid service,
            int rounds,
            int minMessages,
            int maxMessages,
            int maxBytes,
            SplittableRandom random) {
        this.device = device;
        this.service = service;
        this.random = random;
        this.minMessages = minMessages;
        this.maxMessages = maxMessages;
        this.maxBytes = maxBytes;
        roundsLeft = rounds;
        region =
                device.regions.register(
                        SimulatedDevice.DOMAIN,
                        Arena.ofAuto().allocate(2L * EchoService.MESSAGE_BYTES),
                        Set.of(Access.LOCAL_WRITE));
        device.application(this::onEvent, this::onTurn);
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
        endpoint = device.create();
        connection = device.connect(service, EchoService.PORT, endpoint);
    }

    private void onEvent(CmEvent event) {
        story.add(event.type());
        switch (event.type()) {
            case ESTABLISHED -> sendNext();
            case DISCONNECTED, REJECTED, UNREACHABLE -> {
                device.destroy(endpoint);
                if (roundsLeft > 0) {
                    connect();
                }
            }
            case TIMEWAIT_EXIT -> {}
            default -> throw new AssertionError("unexpected: " + event);
        }
    }

    private void sendNext() {
        giveUpNanos = device.nowNanos() + PATIENCE_NANOS;
        device.wakeAt(giveUpNanos);
        length = random.nextInt(maxBytes);
        pattern = random.nextLong();
        Pattern.fill(outgoing(), pattern);
        incoming().fill((byte) 0);
        ReceiveRequest receive =
                new ReceiveRequest()
                        .buffer(region, EchoService.MESSAGE_BYTES, EchoService.MESSAGE_BYTES);
        assertThat(endpoint.post(receive)).isTrue();
        assertThat(endpoint.post(new SendRequest().payload(region, 0, length))).isTrue();
    }

    private void onTurn() {
        Completion completion = new Completion();
        while (endpoint.sendCompletions.poll(completion)) {
            if (completion.status() == CompletionStatus.RETRY_EXCEEDED) {
                disconnect();
            }
        }
        while (endpoint.receiveCompletions.poll(completion)) {
            if (completion.status() == CompletionStatus.SUCCESS) {
                received(completion);
            }
        }
        if (device.nowNanos() >= giveUpNanos) {
            disconnect();
        }
    }

    private void disconnect() {
        giveUpNanos = SimulatedNetwork.NEVER;
        device.wakeAt(giveUpNanos);
        device.disconnect(connection);
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
