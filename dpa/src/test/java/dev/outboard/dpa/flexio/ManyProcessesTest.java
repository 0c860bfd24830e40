package dev.outboard.dpa.flexio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.flexio.FlexioErrorState.Kind;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MachineOptions.Storage;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.QueueStatus;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Processes that share a machine, and nothing else.
class ManyProcessesTest {
    private static final int PROCESSES = 200;
    private static final int FAULTY = 20;
    private static final int SEEDS = 100;
    private static final MachineOptions OPTIONS =
            MachineOptions.DEFAULT
                    .withUnits(UnitGrid.SMALL)
                    .withStorage(new Storage(64 << 10, 8 << 10, false));

    static List<RunMode> modes() {
        return List.of(RunMode.fast(), RunMode.check(Observer.NONE, 1));
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-SYS-5")
    void thoseThatFailAreNotNoticedByTheOthers(RunMode mode) {
        DpaDevice device = DpaDevice.of(OPTIONS, mode);
        SplittableRandom random = new SplittableRandom(7);
        try (HostProcess host = HostProcess.open()) {
            List<FlexioProcess> processes = new ArrayList<>();
            List<DpaAddr> words = new ArrayList<>();
            for (int i = 0; i < PROCESSES; i++) {
                FlexioProcess process = FlexioProcess.create(host, device, LedgerStub.APP);
                processes.add(process);
                words.add(process.heap().zeros(8));
            }
            int faults = 0;
            long[] sums = new long[PROCESSES];
            for (int call = 0; call < 10 * PROCESSES; call++) {
                int i = random.nextInt(PROCESSES);
                FlexioProcess process = processes.get(i);
                if (process.errorState().kind() == Kind.FATAL) {
                    continue;
                }
                if (faults < FAULTY && random.nextInt(20) == 0) {
                    faults++;
                    assertThatThrownBy(() -> process.call(LedgerStub.load(new DpaAddr(3))))
                            .isInstanceOf(FlexioException.class);
                } else {
                    sums[i] += call;
                    assertThat(process.call(LedgerStub.add(words.get(i), call))).isEqualTo(sums[i]);
                }
            }
            assertThat(faults).isEqualTo(FAULTY);
            assertThat(processes)
                    .filteredOn(process -> process.errorState().kind() == Kind.FATAL)
                    .hasSize(FAULTY);
        }
    }

    /// In turns, both run while the host waits for one of them.
    @Test
    @Requirement("DPA-SYS-5")
    void aFaultDuringTheCallOfAnotherProcessDoesNotEndTheCall() {
        int during = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            DpaDevice device = DpaDevice.of(OPTIONS, RunMode.check(Observer.NONE, seed));
            try (HostProcess host = HostProcess.open()) {
                FlexioProcess healthy = FlexioProcess.create(host, device, LedgerStub.APP);
                DpaAddr word = healthy.heap().zeros(8);
                FlexioProcess faulty = FlexioProcess.create(host, device, LedgerStub.APP);
                FlexioCmdQueue tasks =
                        FlexioCmdQueue.create(
                                faulty,
                                new FlexioCmdQueue.Attributes(1, 1, FlexioCmdQueue.State.RUNNING));
                tasks.add(LedgerStub.APP.function("load"), 3);
                boolean before = faulty.errorState().kind() == Kind.FATAL;
                for (int call = 1; call <= 20; call++) {
                    assertThat(healthy.call(LedgerStub.add(word, 1)))
                            .as("seed %d", seed)
                            .isEqualTo(call);
                }
                boolean after = faulty.errorState().kind() == Kind.FATAL;
                during += !before && after ? 1 : 0;
            }
        }
        assertThat(during).isPositive();
    }

    @Test
    @Requirement({"DPA-SYS-5", "DPA-FXO-4a", "DPA-FXW-7"})
    void guessingNumbersHitsNothingOfAnotherProcess() {
        DpaDevice device = DpaDevice.of(OPTIONS, RunMode.fast());
        try (HostProcess host = HostProcess.open()) {
            FlexioProcess victim = FlexioProcess.create(host, device, EchoStub.APP);
            FlexioProcess attacker = FlexioProcess.create(host, device, EchoStub.APP);
            FlexioEventHandler handler =
                    FlexioEventHandler.create(
                            victim, EchoStub.echo, FlexioEventHandler.Attributes.DEFAULT);
            EchoSide server = new EchoSide(victim, Optional.of(handler));
            EchoSide client = new EchoSide(victim, Optional.empty());
            server.pair.connect(client.pair);
            handler.run(server.context.value());
            FlexioBuffer secret = FlexioBuffer.create(victim, "secret", ExternalKind.HOST, 64);
            FlexioMkey.create(victim.domain(), secret, 0, 64, Access.LOCAL_WRITE);
            FlexioWindow.create(victim, victim.domain());
            FlexioMsix vector = FlexioMsix.create(victim);
            FlexioEq events =
                    FlexioEq.create(
                            victim,
                            FlexioEq.Attributes.of(victim.heap().zeros(64), 0)
                                    .interrupting(vector));
            FlexioCq.create(
                    victim,
                    FlexioCq.Attributes.of(victim.heap().zeros(64), 0, victim.heap().zeros(8))
                            .reporting(events));
            assertThat(victim.call(EchoStub.call(client.context, 1))).isEqualTo(1);

            FlexioWindow window = FlexioWindow.create(attacker, attacker.domain());
            FlexioOutbox outbox = FlexioOutbox.create(attacker, attacker.uar());
            // Seven guesses each: an outbox, two windows and keys, four doorbells.
            assertThat(attacker.call(EchoStub.guess(outbox.number(), window.number(), 0, 20_000)))
                    .isZero();
            assertThat(attacker.errorState().kind()).isEqualTo(Kind.USER);
            assertThat(victim.errorState()).isEqualTo(FlexioErrorState.NONE);
            assertThat(vector.await(Duration.ofMillis(20))).isFalse();
            assertThat(victim.status().queues())
                    .filteredOn(queue -> queue.kind() == QueueStatus.Kind.EVENT_QUEUE)
                    .allMatch(queue -> queue.written() == 0 && !queue.armed() && !queue.error());
            assertThat(EchoSide.word(victim, server, Echo.ECHOED)).isEqualTo(1);
            assertThat(victim.call(EchoStub.call(client.context, 2))).isEqualTo(2);
        }
    }

    /// While another process keeps all processors: what has not had its turn yet ends, too.
    @Test
    @Requirement("DPA-FXP-6")
    void aProcessEndsThatHasHardlyBegun() {
        DpaDevice device = DpaDevice.of(OPTIONS, RunMode.fast());
        try (HostProcess host = HostProcess.open()) {
            FlexioProcess busy = FlexioProcess.create(host, device, EchoStub.APP);
            int spinners = 2 * Runtime.getRuntime().availableProcessors();
            DpaAddr flag = busy.heap().zeros(8);
            for (int i = 0; i < Math.min(spinners, UnitGrid.SMALL.usable() - 1); i++) {
                FlexioEventHandler handler =
                        FlexioEventHandler.create(
                                busy, EchoStub.spin, FlexioEventHandler.Attributes.DEFAULT);
                EchoSide side = new EchoSide(busy, Optional.of(handler));
                side.pair.connect(side.pair);
                handler.run(flag.value());
                busy.call(EchoStub.send(side.context, 1));
            }
            for (int i = 0; i < 300; i++) {
                FlexioProcess.create(host, device, LedgerStub.APP).close();
            }
            busy.heap().copyIn(flag, EchoSide.bytes(1));
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXR-2")
    void callsOfSeveralThreadsAreServedOneAtATime(RunMode mode)
            throws ExecutionException, InterruptedException {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(host, DpaDevice.of(OPTIONS, mode), LedgerStub.APP);
                ExecutorService callers = Executors.newFixedThreadPool(4)) {
            DpaAddr word = process.heap().zeros(8);
            List<Future<?>> all = new ArrayList<>();
            for (int caller = 0; caller < 4; caller++) {
                all.add(
                        callers.submit(() -> {
                            for (int i = 0; i < 200; i++) {
                                process.call(LedgerStub.add(word, 1));
                            }
                        }));
            }
            for (Future<?> one : all) {
                one.get();
            }
            // The additions are not atomic.
            assertThat(process.call(LedgerStub.add(word, 0))).isEqualTo(800);
            assertThat(process.call(LedgerStub.calls())).isEqualTo(801);
        }
    }
}
