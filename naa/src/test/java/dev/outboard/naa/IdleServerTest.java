package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.naa.server.ServerUnderTest;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// What a server costs whose clients ask for nothing. Processor time is measured, not time: how
/// busy the machine is does not matter.
class IdleServerTest extends SessionSuite {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final long SPUN_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    @Override
    Device open() {
        return roce();
    }

    /// While the thread of a server that never sleeps spends 300 ms of processor time, that of one
    /// as it is by default spends less than half of it: on a busy machine the first one takes many
    /// seconds for that, and the other one looks ten times in each.
    @Test
    @Requirement("NAA-POLL-6")
    void anIdleConnectionCostsNoProcessor() {
        serve(ServerOptions.builder());
        try (Device spinning = open();
                ServerUnderTest spinner =
                        new ServerUnderTest(
                                spinning,
                                clientDevice,
                                ServerOptions.builder().spin(ServerOptions.POLLED));
                NaaClient idle = open(server);
                NaaClient spun = open(spinner)) {
            assertThat(idle.invoke().isSuccess() && spun.invoke().isSuccess()).isTrue();
            long idleThread = threadOf(server);
            long spinningThread = threadOf(spinner);
            long idleBefore = THREADS.getThreadCpuTime(idleThread);
            long spunBefore = THREADS.getThreadCpuTime(spinningThread);
            Eventually.until(
                    () -> THREADS.getThreadCpuTime(spinningThread) - spunBefore > SPUN_NANOS);
            assertThat(THREADS.getThreadCpuTime(idleThread) - idleBefore)
                    .isBetween(0L, SPUN_NANOS / 2);
        }
    }

    private static NaaClient open(ServerUnderTest server) {
        return server.client().region(RegionSpec.inputOutput(server.memory(10, 0))).open();
    }

    /// The thread that serves the clients of `server`.
    private static long threadOf(ServerUnderTest server) {
        String name = "naa-serve-" + server.server.port();
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(name))
                .findAny()
                .orElseThrow()
                .threadId();
    }
}
