package dev.outboard.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.sim.network.SimulatedNetwork;
import dev.outboard.fabric.sim.network.SimulatedNetwork.Node;
import dev.outboard.fabric.spi.DeviceUri;
import dev.outboard.testkit.Eventually;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The network behind the sites: who waits there, and for whom time passes.
class SharedNetworkTest {
    private static final Gid A = Gid.ofIpv4(0x0A000001);
    private static final Gid B = Gid.ofIpv4(0x0A000002);
    private static final Gid C = Gid.ofIpv4(0x0A000003);
    private static final Path TO_B = new Path(A, B, 1, 0);
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);
    private static final Set<Thread.State> ASLEEP =
            EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

    private final Deque<Runnable> open = new ArrayDeque<>();

    /// A network with A, B and C on it, who take what arrives and want no turns.
    private SharedNetwork network(String options) {
        SharedNetwork network = join(A, options, SimulatedNetwork.NEVER);
        join(B, "", SimulatedNetwork.NEVER);
        join(C, "", SimulatedNetwork.NEVER);
        return network;
    }

    /// Somebody at `address` who wants one turn, at `nanos`.
    private SharedNetwork join(Gid address, String options, long nanos) {
        SharedNetwork network =
                SharedNetwork.join(
                        SimOptions.of(DeviceUri.parse("sim://shared/" + address + options)));
        network.attach(address, new Wish(nanos));
        open.push(() -> network.leave(address));
        return network;
    }

    /// Somebody who wants one turn, at `deadlineNanos`.
    private static final class Wish implements Node {
        private long deadlineNanos;

        Wish(long deadlineNanos) {
            this.deadlineNanos = deadlineNanos;
        }

        @Override
        public long deadlineNanos() {
            return deadlineNanos;
        }

        @Override
        public void turn(long nowNanos) {
            deadlineNanos = SimulatedNetwork.NEVER;
        }
    }

    @AfterEach
    void leave() {
        open.forEach(Runnable::run);
    }

    private static byte[] frameTo(Gid address) {
        byte[] frame = new byte[60];
        SwitchPorts.addressOf(address).writeTo(MemorySegment.ofArray(frame), 0);
        return frame;
    }

    /// What `wait` returns; once it sleeps, `meanwhile` is done.
    private static <T> T waiting(java.util.concurrent.Callable<T> wait, Runnable meanwhile)
            throws Exception {
        FutureTask<T> task = new FutureTask<>(wait);
        Thread thread = Thread.ofPlatform().daemon().start(task);
        Eventually.until(() -> ASLEEP.contains(thread.getState()));
        meanwhile.run();
        return task.get(2, TimeUnit.MINUTES);
    }

    private static boolean awaitMail(SharedNetwork network, BooleanSupplier isWoken) {
        network.awaitMail(B, isWoken, HOUR);
        return network.hasMail(B);
    }

    @Test
    void itsNameIsThatInTheUris() {
        assertThat(network("").name()).isEqualTo("shared");
    }

    @Test
    void theTimeOfTheWallBeginsAtZero() {
        assertThat(network("?clock=real").nowNanos()).isBetween(0L, HOUR);
    }

    @Test
    void whoWaitsForMailThatDoesNotComeWaitsHisTime() {
        SharedNetwork network = network("?clock=real");
        long before = System.nanoTime();

        network.awaitMail(B, () -> false, 20_000_000);

        assertThat(System.nanoTime() - before).isBetween(20_000_000L, HOUR);
    }

    @Test
    void mailThatIsThereIsNotWaitedFor() {
        SharedNetwork network = network("?clock=real&latency=0ns");
        network.send(TO_B, new byte[20]);

        assertThat(awaitMail(network, () -> false)).isTrue();
        assertThat(awaitMail(network, () -> false)).isTrue();
        assertThat(network.nowNanos()).isLessThan(HOUR);
    }

    @Test
    void mailEndsAWait() throws Exception {
        SharedNetwork network = network("?clock=real");

        assertThat(
                        waiting(
                                () -> awaitMail(network, () -> false),
                                () -> network.send(TO_B, new byte[20])))
                .isTrue();
    }

    @Test
    void aFrameEndsAWait() throws Exception {
        SharedNetwork network = network("?clock=real");

        assertThat(
                        waiting(
                                () -> awaitMail(network, () -> false),
                                () -> network.sendFrame(A, frameTo(B))))
                .isTrue();
    }

    @Test
    void aSignalEndsAWaitIfItIsMeant() throws Exception {
        SharedNetwork network = network("?clock=real");
        boolean[] woken = new boolean[1];

        assertThat(
                        waiting(
                                () -> awaitMail(network, () -> woken[0]),
                                () -> {
                                    woken[0] = true;
                                    network.signal();
                                }))
                .isFalse();
    }

    @Test
    void anInterruptEndsNoWaitAndIsNotLost() throws Exception {
        SharedNetwork network = network("?clock=real");
        Thread[] waiter = new Thread[1];

        assertThat(
                        waiting(
                                () -> {
                                    waiter[0] = Thread.currentThread();
                                    return awaitMail(network, () -> false)
                                            && Thread.currentThread().isInterrupted();
                                },
                                () -> {
                                    Thread thread = Objects.requireNonNull(waiter[0]);
                                    thread.interrupt();
                                    Eventually.until(() -> !thread.isInterrupted());
                                    network.send(TO_B, new byte[20]);
                                }))
                .isTrue();
    }

    @Test
    void whoeverStepsWakesThoseWhoWait() throws Exception {
        SharedNetwork network = network("?clock=stepped");
        network.send(TO_B, new byte[20]);

        assertThat(
                        waiting(
                                () -> network.pass(() -> network.hasMail(B), HOUR),
                                () -> assertThat(network.step()).isTrue()))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {500, 501})
    void whoeverMovesTheTimeOnEndsTheWaitsUntilThen(long nanos) throws Exception {
        SharedNetwork network = network("?clock=stepped");

        assertThat(waiting(() -> network.pass(() -> false, 500), () -> network.runUntil(nanos)))
                .isFalse();
    }

    @Test
    void whatIsSoNeedNotBeWaitedFor() {
        SharedNetwork network = network("?clock=stepped");

        assertThat(network.pass(() -> true, HOUR)).isTrue();
        assertThat(network.pass(() -> true, 0)).isTrue();
    }

    /// One microsecond for a look, whether that is still below the limit.
    @Test
    void aDeviceAtWorkLetsAMicrosecondPass() {
        SharedNetwork network = network("");

        assertThat(network.passTurns(2_000)).isTrue();
        assertThat(network.passTurns(2_000)).isFalse();
        assertThat(network.nowNanos()).isEqualTo(2_000);
    }

    @Test
    void whatDoesNotFitTheWayIsRefused() {
        SharedNetwork network = network("");
        network.limit(A.toInetAddress(), B.toInetAddress(), 20);

        assertThat(network.send(TO_B, new byte[20])).isTrue();
        assertThat(network.send(TO_B, new byte[21])).isFalse();
    }

    @Test
    void theDeadTakeNoTurns() {
        SharedNetwork network = join(A, "?clock=stepped", SimulatedNetwork.NEVER);
        join(B, "", 5);
        assertThat(network.nextNanos()).isEqualTo(5);

        network.kill(B.toInetAddress());

        assertThat(network.nextNanos()).isEqualTo(SimulatedNetwork.NEVER);
    }

    /// As a switch does that does not know an address any more.
    @Test
    void aFrameForWhoHasLeftGoesToAllOthers() {
        SharedNetwork network = network("?clock=stepped");
        network.sendFrame(A, frameTo(C));
        network.runUntil(HOUR);
        assertThat(network.hasMail(B)).isFalse();
        open.pop().run();

        network.sendFrame(A, frameTo(C));
        network.runUntil(2 * HOUR);

        assertThat(network.hasMail(B)).isTrue();
        assertThat(network.hasMail(A)).isFalse();
        assertThat(MacAddress.bitsAt(MemorySegment.ofArray(frameTo(C)), 0))
                .isEqualTo(0x02000A000003L);
    }

    @Test
    void aCardEndsWithTheLastOfItsFunctionsAlthoughTheNetworkGoesOn() {
        SharedNetwork network = network("");
        Gid card = Gid.ofIpv4(0x0A000004);
        Gid function = Gid.ofIpv4(0x0A000005);
        join(card, "?functions=vf:10.0.0.5", SimulatedNetwork.NEVER);
        join(function, "", SimulatedNetwork.NEVER);
        open.pop().run();
        assertThat(network.card(card).functions()).hasSize(2);
        open.pop().run();

        join(function, "", SimulatedNetwork.NEVER);

        assertThat(network.card(function).functions()).hasSize(1);
    }
}
