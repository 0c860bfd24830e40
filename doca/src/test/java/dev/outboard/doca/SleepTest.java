package dev.outboard.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// What ends the sleep of a progress engine with contexts on several devices.
class SleepTest {
    private final Sleep sleep = new Sleep();

    /// Nobody asks one device after the other whether it has something.
    @Test
    void withSeveralDevicesItIsAsLongAsWithOne() {
        try (Device one = open();
                Device other = open()) {
            sleep.channel(one);
            sleep.channel(other);
            long nanos = TimeUnit.MILLISECONDS.toNanos(20);
            assertThat(sleep.begin()).isTrue();
            long start = System.nanoTime();
            sleep.sleep(nanos);
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(nanos);
            sleep.end();
            sleep.close();
        }
    }

    @Test
    void aNotificationOfAnyDeviceEndsIt() {
        try (Device one = open();
                Device other = open()) {
            sleep.channel(one);
            sleep.channel(other).wake();
            assertThat(sleep.channel(one).await(TimeUnit.SECONDS.toNanos(30))).isTrue();
            assertThat(sleep.channel(one).await(1)).isFalse();
            sleep.wake();
            assertThat(sleep.channel(one).await(TimeUnit.SECONDS.toNanos(30))).isTrue();
            sleep.close();
        }
    }

    private static Device open() {
        return RoceLoopback.open();
    }
}
