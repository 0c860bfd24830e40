package dev.outboard.ccip.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.outboard.ccip.afu.example.Hello;
import dev.outboard.ccip.afu.example.InterruptSender;
import dev.outboard.ccip.afu.example.JobRegisters;
import dev.outboard.ccip.afu.example.MemoryCopy;
import dev.outboard.ccip.afu.example.UmsgEcho;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RunnerTest {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    @Test
    @Requirement("CCIP-HST-8")
    void aThreadThatSpinsOnABufferSeesWhatTheAfuWrites() {
        Simulation simulation = Simulation.of(Profile.PAC_A10, new Hello()).build();
        try (Fpga fpga = Fpga.open(simulation, Hello.AFU_ID);
                Runner runner = fpga.run()) {
            Buffer buffer = fpga.prepareBuffer(64);
            fpga.writeMmio64(Hello.BUFFER, buffer.lineAddress());
            while ((long) LONG.getAcquire(buffer.segment(), 0L) == 0) {
                Thread.onSpinWait();
            }
            assertThat(buffer.segment().getString(0)).isEqualTo("Hello world!");
            assertThat(runner).isNotNull();
        }
    }

    @Test
    @Requirement({"CCIP-HST-8", "CCIP-HST-1"})
    void aUmsgIsTriggeredByAStoreAndAnsweredInMemory() {
        Simulation simulation = Simulation.of(Profile.INTEGRATED, new UmsgEcho()).build();
        try (Fpga fpga = Fpga.open(simulation, UmsgEcho.AFU_ID);
                Runner runner = fpga.run()) {
            Buffer buffer = fpga.prepareBuffer(3 * 4096);
            var line = fpga.umsg(0);
            for (long i = 1; i <= 100; i++) {
                LONG.setVolatile(buffer.segment(), 0L, i * 77);
                line.setAtIndex(ValueLayout.JAVA_LONG, 1, buffer.lineAddress());
                line.setAtIndex(ValueLayout.JAVA_LONG, 2, buffer.lineAddress() + 64);
                line.setAtIndex(ValueLayout.JAVA_LONG, 3, 1);
                line.setAtIndex(ValueLayout.JAVA_LONG, 4, buffer.lineAddress() + 128);
                LONG.setRelease(line, 0L, i);
                while ((long) LONG.getAcquire(buffer.segment(), 8192L) != i) {
                    Thread.onSpinWait();
                }
                assertThat(buffer.segment().get(ValueLayout.JAVA_LONG, 4096)).isEqualTo(i * 77);
            }
            assertThat(runner).isNotNull();
        }
    }

    @Test
    @Requirement("CCIP-HST-8")
    void threadsCallSideBySide() throws Exception {
        Simulation simulation = Simulation.of(Profile.PAC_A10, new RegisterAfu()).build();
        try (ExecutorService threads = Executors.newFixedThreadPool(4);
                Fpga fpga = Fpga.open(simulation, RegisterAfu.AFU_ID);
                Runner runner = fpga.run()) {
            List<Callable<Boolean>> tasks = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                long register = 0x40 + 8L * i;
                tasks.add(() -> {
                    boolean right = true;
                    for (long value = 1; value <= 200; value++) {
                        fpga.writeMmio64(register, value);
                        right &= fpga.readMmio64(register) == value;
                    }
                    return right;
                });
            }
            for (Future<Boolean> result : threads.invokeAll(tasks)) {
                assertThat(result.get()).isTrue();
            }
            assertThat(runner).isNotNull();
        }
    }

    @Test
    @Requirement("CCIP-HST-8")
    void aThreadThatWaitsForAnInterruptIsWokenByTheAfu() throws Exception {
        Simulation simulation = Simulation.of(Profile.PAC_A10, new InterruptSender()).build();
        try (ExecutorService threads = Executors.newSingleThreadExecutor();
                Fpga fpga = Fpga.open(simulation, InterruptSender.AFU_ID);
                Runner runner = fpga.run()) {
            fpga.registerInterrupt(0);
            Future<Long> count = threads.submit(() -> fpga.waitForInterrupt(0, 1000));
            Buffer buffer = fpga.prepareBuffer(64);
            fpga.writeMmio64(JobRegisters.DESTINATION, buffer.lineAddress());
            fpga.writeMmio64(JobRegisters.LINES, 1);
            fpga.writeMmio64(JobRegisters.CONTROL, JobRegisters.START);
            assertThat(count.get()).isEqualTo(1);
            assertThat(runner).isNotNull();
        }
    }

    @Test
    void aConditionMayReadRegisters() {
        Simulation simulation = Simulation.of(Profile.PAC_A10, new MemoryCopy()).build();
        try (Fpga fpga = Fpga.open(simulation, MemoryCopy.AFU_ID);
                Runner runner = fpga.run()) {
            Buffer source = fpga.prepareBuffer(8192);
            Buffer target = fpga.prepareBuffer(8192);
            HostPrograms.copy(fpga, source, target);
            assertThat(target.segment().mismatch(source.segment())).isEqualTo(-1);
            assertThat(runner).isNotNull();
        }
    }

    @Test
    @Requirement("CCIP-HST-9")
    void aWaitEndsByItself() {
        Simulation simulation = Simulation.of(Profile.PAC_A10, new RegisterAfu()).build();
        try (Fpga fpga = Fpga.open(simulation, RegisterAfu.AFU_ID);
                Runner runner = fpga.run()) {
            runner.patience(Duration.ofMillis(20));
            assertThatExceptionOfType(FpgaException.class)
                    .isThrownBy(() -> fpga.waitForInterrupt(1, 1000))
                    .withMessageContaining("for interrupt 1, in vain")
                    .extracting(FpgaException::reason)
                    .isEqualTo(FpgaException.Reason.TIMEOUT);
        }
    }

    @Test
    void whatEndsTheRunReachesEveryCaller() {
        RegisterAfu afu =
                new RegisterAfu((rx, tx) -> {
                    if (rx.c0.mmioWrValid) {
                        throw new IllegalStateException("a defect of the AFU");
                    }
                });
        Simulation simulation = Simulation.of(Profile.PAC_A10, afu).build();
        Fpga fpga = Fpga.open(simulation, RegisterAfu.AFU_ID);
        try (Runner runner = fpga.run()) {
            fpga.writeMmio64(0x40, 1);
            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(FpgaException.class)
                        .isThrownBy(() -> fpga.readMmio64(0x40))
                        .withMessageContaining("a defect of the AFU")
                        .withCauseInstanceOf(IllegalStateException.class);
            }
            assertThat(runner).isNotNull();
        }
    }

    @Test
    void callsStepTheClockAgainWhenTheRunnerIsClosed() {
        Simulation simulation = Simulation.of(Profile.PAC_A10, new MemoryCopy()).build();
        Fpga fpga = Fpga.open(simulation, MemoryCopy.AFU_ID);
        Runner runner = fpga.run();
        assertThatExceptionOfType(FpgaException.class)
                .isThrownBy(() -> fpga.step(1))
                .withMessageContaining("A runner clocks the simulation");
        assertThatExceptionOfType(FpgaException.class).isThrownBy(fpga::run);
        runner.close();
        runner.close();
        long cycle = simulation.cycle();
        fpga.step(10);
        assertThat(simulation.cycle()).isEqualTo(cycle + 10);
        fpga.writeMmio64(JobRegisters.SCRATCH, 5);
        assertThat(fpga.readMmio64(JobRegisters.SCRATCH)).isEqualTo(5);
    }
}
