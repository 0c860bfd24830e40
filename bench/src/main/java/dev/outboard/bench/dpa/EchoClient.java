package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Contender;
import dev.outboard.bench.comparison.JavaProgram;
import dev.outboard.bench.comparison.ProgramRun;
import dev.outboard.bench.comparison.RoundTripTimes;
import dev.outboard.bench.comparison.WarmUp;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Messages of 64 bytes to an end in another process, and back. The client is the same whatever the
/// other end is: verbs, asleep until an answer comes.
final class EchoClient implements Contender {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String name;
    private final String end;
    private final int inFlight;
    private final RoundTripTimes times = new RoundTripTimes();
    private @Nullable Connection connection;

    /// @param end what [EchoProcess] is told to be
    /// @param inFlight how many messages are on their way at once: with one, the result is the time
    ///   of a round trip, and otherwise messages per second
    EchoClient(String name, String end, int inFlight) {
        this.name = name;
        this.end = end;
        this.inFlight = inFlight;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double measure(Duration time) {
        if (connection == null) {
            Connection made = new Connection(end);
            connection = made;
            WarmUp.with(() -> run(made, time), made::compilerMillis);
        }
        return run(connection, time);
    }

    private double run(Connection to, Duration time) {
        long nanos = time.toNanos();
        return inFlight == 1
                ? times.median(nanos, () -> exchange(to.verbs))
                : rate(to.verbs, nanos);
    }

    private static void exchange(EchoVerbs verbs) {
        verbs.send(1);
        await(verbs, 1);
    }

    private static void await(EchoVerbs verbs, int count) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (int left = count; left > 0; ) {
            left -= verbs.take(false);
            if (left > 0 && System.nanoTime() - deadline > 0) {
                throw new MeasurementException("%d answers did not come".formatted(left));
            }
        }
    }

    private double rate(EchoVerbs verbs, long nanos) {
        long start = System.nanoTime();
        long now = start;
        long count = 0;
        verbs.send(inFlight);
        while (now - start < nanos) {
            count += verbs.take(true);
            now = System.nanoTime();
        }
        await(verbs, inFlight);
        return count * 1e9 / (now - start);
    }

    @Override
    public void close() {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }

    /// With the process of the other end.
    private static final class Connection implements AutoCloseable {
        private final ProgramRun process;
        private final Device device = Fabric.open(EchoProcess.LOOPBACK);
        private final EchoVerbs verbs = new EchoVerbs(device);
        private final Socket socket;

        Connection(String end) {
            process = new ProgramRun(JavaProgram.command(EchoProcess.class, end), Map.of());
            String ready = process.await("ready ", PATIENCE);
            int port = Integer.parseInt(ready.substring(ready.lastIndexOf(' ') + 1));
            try {
                socket = new Socket(InetAddress.getLoopbackAddress(), port);
                new EchoPeer(device.address(), verbs.number()).send(socket);
                verbs.connect(EchoPeer.receive(socket));
            } catch (IOException e) {
                throw new MeasurementException(e.toString());
            }
        }

        /// Of both ends.
        long compilerMillis() {
            process.tell("");
            String line = process.await("compiled ", PATIENCE);
            return WarmUp.compilerMillis()
                    + Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
        }

        @Override
        public void close() {
            verbs.close();
            device.close();
            process.close();
            try {
                socket.close();
            } catch (IOException _) {
                // The process has gone.
            }
        }
    }
}
