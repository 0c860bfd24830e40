package dev.outboard.bench.fabric;

import dev.outboard.bench.comparison.Contender.MeasurementException;
import dev.outboard.bench.comparison.Ours;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.ServerOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/// RPCs of the empty routine from many clients of one device, client and node in this process.
/// Every client has one in flight at a time.
final class ClientsSubject implements Ours.Subject {
    private static final int BYTES = 64;
    private static final int SIGNIFICANT_DIGITS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /// How clients wait for their answers.
    enum Style {
        /// A thread for each, which blocks.
        THREADS,
        /// No thread: the next call begins when the future of the last is completed.
        FUTURES
    }

    /// What a measurement tells.
    enum Figure {
        /// RPCs per second, of all clients.
        RATE,
        /// The median time of an RPC.
        MEDIAN,
        /// The time within which 99 of 100 RPCs are done.
        P99
    }

    private final Style style;
    private final Figure figure;
    private final LoopbackNode node;
    private final List<Caller> callers;

    /// Starts a node and connects to it.
    ClientsSubject(int clients, Style style, Figure figure) {
        this.style = style;
        this.figure = figure;
        node =
                new LoopbackNode(
                        ServerOptions.builder()
                                .maxConnections(clients)
                                .maxAddressConnections(clients)
                                .build());
        callers = IntStream.range(0, clients).mapToObj(_ -> new Caller(connect())).toList();
    }

    private NaaClient connect() {
        return node.client(BYTES).connectLimit(PATIENCE).timeout(PATIENCE).open();
    }

    @Override
    public double run(long nanos) {
        CountDownLatch running = new CountDownLatch(callers.size());
        long start = System.nanoTime();
        callers.forEach(caller -> caller.start(start + nanos, running));
        try {
            running.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new MeasurementException("interrupted");
        }
        long took = System.nanoTime() - start;
        Histogram times = new Histogram(SIGNIFICANT_DIGITS);
        for (Caller caller : callers) {
            caller.addTo(times);
        }
        return switch (figure) {
            case RATE -> times.getTotalCount() * 1e9 / took;
            case MEDIAN -> times.getValueAtPercentile(50);
            case P99 -> times.getValueAtPercentile(99);
        };
    }

    @Override
    public void close() {
        callers.forEach(caller -> caller.client.close());
        node.close();
    }

    /// One client, which calls until the time is over.
    private final class Caller {
        private final NaaClient client;
        private final Histogram times = new Histogram(SIGNIFICANT_DIGITS);
        private volatile @Nullable Throwable failure;

        Caller(NaaClient client) {
            this.client = client;
        }

        void start(long end, CountDownLatch running) {
            times.reset();
            if (style == Style.THREADS) {
                Thread.ofPlatform()
                        .daemon()
                        .start(() -> {
                            block(end);
                            running.countDown();
                        });
            } else {
                callNext(end, running);
            }
        }

        private void block(long end) {
            try {
                long before = System.nanoTime();
                while (before - end < 0) {
                    client.invoke();
                    long after = System.nanoTime();
                    times.recordValue(after - before);
                    before = after;
                }
            } catch (RuntimeException e) {
                failure = e;
            }
        }

        private void callNext(long end, CountDownLatch running) {
            long before = System.nanoTime();
            if (before - end >= 0) {
                running.countDown();
                return;
            }
            var _ =
                    client.invokeAsync()
                            .whenComplete((_, problem) -> {
                                if (problem == null) {
                                    times.recordValue(System.nanoTime() - before);
                                    callNext(end, running);
                                } else {
                                    failure = problem;
                                    running.countDown();
                                }
                            });
        }

        void addTo(Histogram all) {
            Throwable problem = failure;
            if (problem != null) {
                throw new MeasurementException(problem.toString());
            }
            all.add(times);
        }
    }
}
