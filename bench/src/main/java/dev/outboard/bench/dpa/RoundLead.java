package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Contender;
import dev.outboard.bench.comparison.JavaProgram;
import dev.outboard.bench.comparison.ProgramRun;
import dev.outboard.bench.comparison.WarmUp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Rounds of RDMA with an end of the same kind in another process: the time of one, or the rate of
/// large writes. Both ends look all the time for what has come.
final class RoundLead implements Contender {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String name;
    private final String kind;
    private final int messageBytes;
    private @Nullable Connection connection;

    /// @param kind what [RoundProcess] is told to be
    /// @param messageBytes with [RoundEnd#LARGE_BYTES] the result is bytes per second, otherwise
    ///   the time of a round
    RoundLead(String name, String kind, int messageBytes) {
        this.name = name;
        this.kind = kind;
        this.messageBytes = messageBytes;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double measure(Duration time) {
        if (connection == null) {
            Connection made = new Connection(kind, messageBytes);
            connection = made;
            WarmUp.with(() -> made.run(time.toNanos()), made::compilerMillis);
        }
        return connection.run(time.toNanos());
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
        private final boolean isLarge;
        private final ProgramRun process;
        private final RoundEnd end;
        private long compiledThere;

        Connection(String kind, int messageBytes) {
            isLarge = messageBytes == RoundEnd.LARGE_BYTES;
            process =
                    new ProgramRun(
                            JavaProgram.command(RoundProcess.class, kind, "" + messageBytes),
                            Map.of());
            end = RoundProcess.end(kind, messageBytes);
            int port = number(process.await("ready ", PATIENCE));
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                RoundPeer.send(socket, end.exports());
                end.connect(RoundPeer.receive(socket));
            } catch (IOException e) {
                throw new MeasurementException(e.toString());
            }
        }

        private static int number(String line) {
            return Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1));
        }

        double run(long nanos) {
            process.tell("");
            process.await("answering", PATIENCE);
            double result = isLarge ? end.write(nanos) : end.lead(nanos);
            compiledThere = number(process.await("compiled ", PATIENCE));
            return result;
        }

        /// Of both ends.
        long compilerMillis() {
            return WarmUp.compilerMillis() + compiledThere;
        }

        @Override
        public void close() {
            process.close();
            end.close();
        }
    }
}
