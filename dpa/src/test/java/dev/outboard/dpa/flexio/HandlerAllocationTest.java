package dev.outboard.dpa.flexio;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.dpa.flexio.FlexioEventHandler.Attributes;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.testkit.RunningProgram;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What activations of a handler allocate under FAST, once all is warm, with all that brings them
/// about and all that they bring about: on whatever thread. Measured in a process of its own, since
/// what the compiler leaves out depends on all that has run before.
class HandlerAllocationTest {
    private static final int ACTIVATIONS = 1_000;
    private static final int ROUNDS = 100;
    private static final int PROCESSES = 10;
    private static final String NOTHING = "nothing";

    /// What the rest of the process may allocate meanwhile: less than an object per activation.
    private static final long SLACK_BYTES = 4 * ACTIVATIONS;

    private static final long SECOND_NANOS = 1_000_000_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Completion completion = new Completion();
    private final SendRequest send = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();

    /// In one process of four or five the compiler calls what the JDK has around `recvmsg` instead
    /// of copying it in, and that allocates 100 bytes per call, for whoever receives; not in all of
    /// them.
    @Test
    void anActivationAllocatesNothing() throws IOException {
        List<String> said = new ArrayList<>();
        while (said.size() < PROCESSES && !said.contains(NOTHING)) {
            said.add(measureApart());
        }
        assertThat(said).contains(NOTHING);
    }

    private static String measureApart() throws IOException {
        List<String> command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--class-path",
                        System.getProperty("java.class.path"),
                        HandlerAllocationTest.class.getName());
        Process process = new ProcessBuilder(command).start();
        try (RunningProgram program = new RunningProgram("activations", process)) {
            assertThat(program.ends(Duration.ofMinutes(2))).isTrue();
            return program.output().strip();
        }
    }

    /// Says how many bytes the best of many rounds has allocated, if that is not nothing.
    public static void main(String... arguments) {
        long least = new HandlerAllocationTest().least();
        System.out.println(
                least < SLACK_BYTES
                        ? NOTHING
                        : "%d bytes in %d activations".formatted(least, ACTIVATIONS));
    }

    private long least() {
        try (FabricEnds ends = new FabricEnds("roce://auto?peer=127.0.0.1")) {
            FlexioEventHandler handler =
                    FlexioEventHandler.create(ends.process, EchoStub.echo, Attributes.DEFAULT);
            EchoSide server = new EchoSide(ends.process, Optional.of(handler));
            ends.connect(server.pair);
            handler.run(server.context.value());
            long least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS && least >= SLACK_BYTES; round++) {
                long before = threads.getTotalThreadAllocatedBytes();
                for (int i = 0; i < ACTIVATIONS; i++) {
                    exchange(ends);
                }
                least = Math.min(least, threads.getTotalThreadAllocatedBytes() - before);
            }
            return least;
        }
    }

    private void exchange(FabricEnds ends) {
        ends.peer.queuePair().post(receive.id(0).buffer(ends.peer.region(), 4096, 64));
        ends.peer.queuePair().post(send.id(1).payload(ends.peer.region(), 0, 8));
        CompletionQueue queue = ends.peer.completions();
        for (int left = 2; left > 0; left--) {
            while (!queue.poll(completion)) {
                queue.requestNotification(false);
                if (queue.poll(completion)) {
                    break;
                }
                queue.await(SECOND_NANOS);
            }
        }
    }
}
