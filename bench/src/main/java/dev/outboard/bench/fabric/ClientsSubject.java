package dev.outboard.bench.fabric;

import com.sun.management.OperatingSystemMXBean;
import dev.outboard.bench.comparison.Contender.MeasurementException;
import dev.outboard.bench.comparison.Ours;
import dev.outboard.naa.client.NaaClient;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/// RPCs of the empty routine from many clients of one device, in this process. Every client that
/// calls has one in flight at a time.
final class ClientsSubject implements Ours.Subject {
    private static final int SIGNIFICANT_DIGITS = 2;
    private static final long LEAST_NANOS = 100;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    /// Who calls, and who is there besides.
    ///
    /// @param callers clients that call again and again
    /// @param style how they wait
    /// @param bytes what each sends and gets back
    /// @param idle clients that are connected and do nothing
    /// @param streamBytes of another client, which calls with a thread of its own; 0 for none
    record Scene(int callers, Style style, long bytes, int idle, long streamBytes) {
        int clients() {
            return callers + idle + (streamBytes == 0 ? 0 : 1);
        }
    }

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
        P99,
        /// The processor time of an RPC, on both sides together.
        PROCESSOR_TIME,
        /// The processor time of everything in a second; measured for ten times as long, because
        /// the kernel tells it in hundredths of a second.
        PROCESSOR_TIME_PER_SECOND
    }

    private final Figure figure;
    private final Optional<LoopbackNode> node;
    private final LoopbackClients clients;
    private final List<NaaClient> idle;
    private final List<Caller> callers;
    private final Optional<Caller> stream;

    /// Starts a node in this process and connects to it.
    ClientsSubject(Scene scene, Figure figure) {
        this(scene, figure, new LoopbackNode(scene.clients()));
    }

    private ClientsSubject(Scene scene, Figure figure, LoopbackNode node) {
        this(scene, figure, Optional.of(node), new LoopbackClients(node.host(), node.port()));
    }

    /// Connects to a node in another process.
    ClientsSubject(Scene scene, Figure figure, LoopbackClients clients) {
        this(scene, figure, Optional.empty(), clients);
    }

    private ClientsSubject(
            Scene scene, Figure figure, Optional<LoopbackNode> node, LoopbackClients clients) {
        this.figure = figure;
        this.node = node;
        this.clients = clients;
        idle = Stream.generate(() -> connect(scene.bytes())).limit(scene.idle()).toList();
        callers =
                Stream.generate(() -> new Caller(connect(scene.bytes()), scene.style()))
                        .limit(scene.callers())
                        .toList();
        stream =
                Optional.of(scene.streamBytes())
                        .filter(bytes -> bytes > 0)
                        .map(bytes -> new Caller(connect(bytes), Style.THREADS));
        // What connecting has left is collected now, and not while calls are measured.
        System.gc();
    }

    /// Of a fixed size: hundreds that grow while calls are measured make garbage, whose collection
    /// would be measured too.
    private static Histogram histogram() {
        return new Histogram(LEAST_NANOS, PATIENCE.toNanos(), SIGNIFICANT_DIGITS);
    }

    private NaaClient connect(long bytes) {
        return clients.client(bytes).connectLimit(PATIENCE).timeout(PATIENCE).open();
    }

    @Override
    public double run(long wantedNanos) {
        long nanos = figure == Figure.PROCESSOR_TIME_PER_SECOND ? 10 * wantedNanos : wantedNanos;
        List<Caller> all = Stream.concat(callers.stream(), stream.stream()).toList();
        CountDownLatch running = new CountDownLatch(all.size());
        long processorTime = PROCESS.getProcessCpuTime();
        long start = System.nanoTime();
        all.forEach(caller -> caller.start(start + nanos, running));
        try {
            running.await();
            TimeUnit.NANOSECONDS.sleep(start + nanos - System.nanoTime());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new MeasurementException("interrupted");
        }
        long took = System.nanoTime() - start;
        processorTime = PROCESS.getProcessCpuTime() - processorTime;
        stream.ifPresent(Caller::requireSuccess);
        Histogram times = histogram();
        for (Caller caller : callers) {
            caller.requireSuccess();
            times.add(caller.times);
        }
        return switch (figure) {
            case RATE -> times.getTotalCount() * NANOS_PER_SECOND / took;
            case MEDIAN -> times.getValueAtPercentile(50);
            case P99 -> times.getValueAtPercentile(99);
            case PROCESSOR_TIME -> (double) processorTime / times.getTotalCount();
            case PROCESSOR_TIME_PER_SECOND -> processorTime * NANOS_PER_SECOND / took;
        };
    }

    @Override
    public void close() {
        idle.forEach(NaaClient::close);
        callers.forEach(caller -> caller.client.close());
        stream.ifPresent(caller -> caller.client.close());
        clients.close();
        node.ifPresent(LoopbackNode::close);
    }

    /// One client, which calls until the time is over.
    private static final class Caller {
        private final NaaClient client;
        private final Style style;
        private final Histogram times = histogram();
        private volatile @Nullable Throwable failure;

        Caller(NaaClient client, Style style) {
            this.client = client;
            this.style = style;
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

        void requireSuccess() {
            Throwable problem = failure;
            if (problem != null) {
                throw new MeasurementException(problem.toString());
            }
        }
    }
}
