package dev.outboard.examples.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KernelLaunchTest {
    static List<DpaDevice> devices() {
        return List.of(
                DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast()),
                DpaDevice.of(MachineOptions.DEFAULT, RunMode.weak(Profile.PARANOID, 1)));
    }

    private static void assertPrinted(DpaDevice device) throws InterruptedException {
        StringWriter out = new StringWriter();
        KernelLaunch.run(device, new PrintWriter(out));
        assertThat(out.toString().lines())
                .containsExactly(
                        "launched; it waits for 5",
                        "thread 0 of 4 began at 5",
                        "thread 1 of 4 began at 5",
                        "thread 2 of 4 began at 5",
                        "thread 3 of 4 began at 5");
    }

    @ParameterizedTest
    @MethodSource("devices")
    void theKernelBeginsWhenTheEventHasTheValue(DpaDevice device) throws InterruptedException {
        assertPrinted(device);
    }

    @Test
    void theKernelLacksNoFence() throws InterruptedException {
        Checker checker = new Checker(Profile.SEED, false);
        RunMode mode = RunMode.check(Observer.NONE, 1);
        assertPrinted(DpaDevice.of(MachineOptions.DEFAULT, mode, () -> checker));
        assertThat(checker.findings()).isEmpty();
    }
}
