package dev.outboard.fabric.roce.cm;

import static dev.outboard.fabric.ConnectionEvent.Type.CONNECT_REQUEST;
import static dev.outboard.fabric.ConnectionEvent.Type.ESTABLISHED;
import static dev.outboard.fabric.ConnectionEvent.Type.UNREACHABLE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.cm.CmCampaign.Manners;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/// The part of a campaign that asks for datagram services and answers, on the same endpoints as the
/// connections. Every request carries a number by which both sides know it.
final class ResolutionTraffic {
    private static final int PORT = 7174;
    private static final int MAX_REQUESTS = 6;

    /// What the application of the service answered.
    private record Answer(boolean accepts, int queueKey) {}

    private final SplittableRandom random;
    private final Manners manners;
    private final CmNetwork network;
    private final List<CmEndpoint> endpoints;
    private final Map<Long, Resolution> asked = new HashMap<>();
    private final Map<Long, Answer> answers = new HashMap<>();

    /// When the application was asked.
    private final Map<Long, Long> requestedNanos = new HashMap<>();

    ResolutionTraffic(
            SplittableRandom random,
            Manners manners,
            CmNetwork network,
            List<CmEndpoint> endpoints) {
        this.random = random;
        this.manners = manners;
        this.network = network;
        this.endpoints = endpoints;
        for (CmEndpoint endpoint : endpoints) {
            endpoint.agent().resolver().listen(PORT, MAX_REQUESTS);
            endpoint.reactToResolutions(event -> react(endpoint, event));
        }
    }

    void start() {
        int count = random.nextInt(MAX_REQUESTS + 1);
        for (int i = 0; i < count; i++) {
            network.at(within(Duration.ofSeconds(5)), this::ask);
        }
    }

    private void ask() {
        int index = random.nextInt(2);
        CmEndpoint from = endpoints.get(index);
        boolean nobodyListens = isErratic() && chance(0.1);
        long number = random.nextLong();
        byte[] privateData = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
        Resolution resolution =
                from.resolve(
                        endpoints.get(1 - index), nobodyListens ? PORT + 1 : PORT, privateData);
        asked.put(number, resolution);
        if (isErratic() && chance(0.1)) {
            network.at(within(Duration.ofSeconds(3)), () -> from.destroy(resolution));
        }
    }

    private void react(CmEndpoint endpoint, ResolutionEvent event) {
        if (event.type() == CONNECT_REQUEST) {
            long number = event.privateData().asByteBuffer().getLong();
            assertThat(asked).containsKey(number);
            checkNotRepeated(number);
            Duration thinking =
                    isErratic() && chance(0.5) ? within(Duration.ofSeconds(2)) : Duration.ZERO;
            network.at(thinking, () -> answer(endpoint, event.resolution(), number));
        } else if (event.type() == ESTABLISHED) {
            long number = event.privateData().asByteBuffer().getLong();
            assertThat(asked.get(number)).isSameAs(event.resolution());
            assertThat(answers.get(number)).isEqualTo(new Answer(true, event.queueKey()));
        }
    }

    /// An application is asked again only after its answer was forgotten.
    private void checkNotRepeated(long number) {
        Long before = requestedNanos.put(number, network.nowNanos());
        if (before != null) {
            assertThat(network.nowNanos() - before)
                    .isGreaterThan(SidrResponder.ANSWER_KEPT.toNanos());
        }
    }

    private void answer(CmEndpoint endpoint, Resolution resolution, long number) {
        boolean accepts = !isErratic() || chance(0.7);
        int queueKey = random.nextInt();
        answers.put(number, new Answer(accepts, queueKey));
        if (accepts) {
            byte[] privateData = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
            endpoint.accept(resolution, queueKey, privateData);
        } else if (chance(0.5)) {
            endpoint.reject(resolution);
        } else {
            endpoint.destroy(resolution);
        }
    }

    /// How it ended.
    void check() {
        for (CmEndpoint endpoint : endpoints) {
            assertThat(endpoint.agent().resolver().resolutionCount()).isZero();
        }
        asked.forEach((number, resolution) -> {
            List<ResolutionEvent> ends =
                    endpoints.stream()
                            .flatMap(endpoint -> endpoint.resolutionEvents().stream())
                            .filter(event -> event.resolution() == resolution)
                            .toList();
            if (resolution.isDestroyed) {
                assertThat(ends).hasSizeLessThanOrEqualTo(1);
            } else {
                assertThat(ends).hasSize(1);
            }
            assertThat(ends)
                    .extracting(ResolutionEvent::type)
                    .isSubsetOf(
                            isErratic() ? List.of(ESTABLISHED, UNREACHABLE) : List.of(ESTABLISHED));
        });
    }

    private boolean isErratic() {
        return manners == Manners.ERRATIC;
    }

    private boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    private Duration within(Duration longest) {
        return Duration.ofNanos(random.nextLong(longest.toNanos() + 1));
    }
}
