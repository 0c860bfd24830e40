package dev.outboard.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.drive.Engine;
import dev.outboard.fabric.drive.ScriptedMachine;
import dev.outboard.fabric.drive.Site;
import dev.outboard.fabric.drive.WaitPoint;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.sim.network.SimulatedNetwork.Node;
import dev.outboard.fabric.spi.DeviceUri;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Who polls or waits on a network in virtual time: what the device does then, and what time it is
/// afterwards.
class SimDriversTest {
    private static final long LOOK_NANOS = 1_000;

    private final SimOptions options =
            SimOptions.of(DeviceUri.parse("sim://drivers/10.0.0.1?latency=10us"));
    private final Gid address = Gid.of(options.address());
    private final SharedNetwork network = SharedNetwork.join(options);
    private final ScriptedMachine machine = new ScriptedMachine();
    private final Engine engine = new Engine(machine, new OnTheNetwork());
    private final SimDrivers drivers = new SimDrivers(engine, network, address);

    private final class OnTheNetwork implements Site {
        @Override
        public long nowNanos() {
            return network.nowNanos();
        }

        @Override
        public void await(long nanos) {
            throw new AssertionError("nobody sleeps in virtual time");
        }

        @Override
        public void wake() {}
    }

    /// The machine wants a turn at `nanos`.
    private void deadline(long nanos) {
        machine.deadlineNanos = nanos;
        engine.exclusively(() -> {});
    }

    @AfterEach
    void leave() {
        network.leave(address);
    }

    @Test
    void aLookAtADeviceWithNothingToDoTakesNoTurnButTime() {
        assertThat(drivers.drive()).isFalse();

        assertThat(machine.turns).isEmpty();
        assertThat(network.nowNanos()).isEqualTo(LOOK_NANOS);
    }

    @Test
    void whatIsDueNowGetsItsTurnAndNoTimePasses() {
        deadline(LOOK_NANOS);
        machine.works = true;
        assertThat(drivers.drive()).as("not due yet").isFalse();

        assertThat(drivers.drive()).isTrue();

        assertThat(machine.turns)
                .containsExactly(
                        new ScriptedMachine.Turn(Thread.currentThread(), LOOK_NANOS, true, true));
        assertThat(network.nowNanos()).isEqualTo(LOOK_NANOS);
    }

    @Test
    void aTurnThatFindsNothingTakesTimeToo() {
        deadline(0);

        assertThat(drivers.drive()).isFalse();

        assertThat(machine.turns).hasSize(1);
        assertThat(network.nowNanos()).isEqualTo(LOOK_NANOS);
    }

    @Test
    void whatHasArrivedIsWorthATurn() {
        network.attach(address, new Idle());
        assertThat(network.send(new Path(address, address, 1, 0), new byte[20])).isTrue();
        network.pass(() -> false, 20_000);
        assertThat(network.hasMail(address)).isTrue();

        drivers.drive();

        assertThat(machine.turns).hasSize(1);
    }

    @Test
    void insideATurnNoTimePasses() {
        deadline(0);
        machine.next = () -> assertThat(drivers.drive()).isFalse();

        assertThat(drivers.drive()).isTrue();

        assertThat(network.nowNanos()).isZero();
    }

    @Test
    void aTurnOfTheNetworkIsOneForAnApplicationThatLooksIfItDidLast() {
        drivers.turn();
        drivers.drive();
        drivers.turn();
        drivers.take(new ArrayBlockingQueue<String>(1), 1);
        drivers.turn();
        drivers.await(new WaitPoint(drivers), 1);
        drivers.turn();

        assertThat(machine.turns)
                .extracting(ScriptedMachine.Turn::looks)
                .containsExactly(false, true, false, true);
    }

    /// Work that never ends would stop the time of all: each hundred turns take a microsecond.
    @Test
    void aWaitEndsAlthoughTheWorkDoesNot() {
        machine.works = true;
        deadline(0);

        assertThat(drivers.await(new WaitPoint(drivers), 5 * LOOK_NANOS)).isFalse();

        assertThat(machine.turns).hasSize(500);
        assertThat(network.nowNanos()).isEqualTo(5 * LOOK_NANOS);
    }

    @Test
    void aWaitEndsWhenItsTimeHasCome() {
        assertThat(drivers.take(new ArrayBlockingQueue<String>(1), 7_777)).isNull();

        assertThat(network.nowNanos()).isEqualTo(7_777);
    }

    @Test
    void whoIsNotifiedWaitsNoLonger() {
        WaitPoint point = new WaitPoint(drivers);
        machine.next = point::wake;
        deadline(0);

        assertThat(drivers.await(point, Long.MAX_VALUE)).isTrue();

        assertThat(network.nowNanos()).isZero();
    }

    @Test
    void whatIsThereIsTakenWithoutATurn() {
        ArrayBlockingQueue<String> queue = new ArrayBlockingQueue<>(1, false, List.of("there"));
        deadline(0);

        assertThat(drivers.take(queue, 0)).isEqualTo("there");

        assertThat(machine.turns).isEmpty();
    }

    @Test
    void aWaitForEverWithNothingOnItsWayIsRefused() {
        network.pass(() -> false, 10);

        assertThatThrownBy(() -> drivers.await(new WaitPoint(drivers), Long.MAX_VALUE))
                .hasMessageContaining("a thread waits for ever")
                .hasMessageContaining("the network drivers");
    }

    @Test
    void whenTheDeviceIsClosedNobodyWaitsForItAnyMore() {
        WaitPoint point = new WaitPoint(drivers);
        WaitPoint other = new WaitPoint(drivers);
        other.close();
        drivers.close();

        assertThat(point.isClosed()).isTrue();
        assertThat(drivers.await(point, Long.MAX_VALUE)).isFalse();
    }

    /// Somebody on the network who never wants a turn.
    private static final class Idle implements Node {
        @Override
        public long deadlineNanos() {
            return Long.MAX_VALUE;
        }

        @Override
        public void turn(long nowNanos) {}
    }
}
