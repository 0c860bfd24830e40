package dev.outboard.ccip.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Monitor;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.testkit.Requirement;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OnErrorTest {
    /// The cycle in which the AFU asks for three lines, which there is no request of.
    private static final long FAULT = 2000;

    private final List<String> whole = new ArrayList<>();
    private final List<String> triggered = new ArrayList<>();

    private Simulation faulty(long fault) {
        long[] cycle = new long[1];
        return Simulation.of(
                        Profile.PAC_A10,
                        (rx, tx) -> {
                            if (++cycle[0] == fault) {
                                tx.c0.read(
                                        ReadType.RDLINE_I, VirtualChannel.VA, LineCount.ONE, 8, 7);
                                tx.c0.hdrHigh |= 2 << 4;
                            }
                        })
                .policy(ErrorPolicy.HARDWARE)
                .build();
    }

    private static Monitor to(List<String> lines) {
        return (cycle, tx, rx, answers) ->
                lines.add(
                        cycle
                                + " "
                                + tx.c0.valid
                                + " "
                                + tx.c0.hdrLow
                                + " "
                                + rx.c0.hdr
                                + " "
                                + rx.c0.data[7]
                                + " "
                                + rx.c1.hdr
                                + " "
                                + rx.error
                                + " "
                                + rx.softReset
                                + " "
                                + rx.c0TxAlmFull);
    }

    @Test
    @Requirement("CCIP-PLT-4")
    void showsTheCyclesBeforeTheErrorAndAllAfterIt() {
        Simulation simulation = faulty(FAULT);
        simulation.monitor(to(whole));
        simulation.monitor(new OnError(() -> to(triggered)));
        simulation.step(FAULT);
        assertThat(triggered).isEmpty();
        simulation.step(100);

        assertThat(triggered).isNotEmpty().hasSizeLessThan(whole.size());
        assertThat(triggered)
                .isEqualTo(whole.subList(whole.size() - triggered.size(), whole.size()));
        assertThat(triggered).anyMatch(line -> line.startsWith(FAULT + " true 524295 "));
        assertThat(triggered).anyMatch(line -> line.contains(" true "));
    }

    @Test
    @Requirement("CCIP-PLT-4")
    void opensTheWaveformOnlyThen() {
        ByteArrayOutputStream waves = new ByteArrayOutputStream();
        Simulation sound = faulty(-1);
        sound.monitor(new OnError(() -> new VcdWriter(waves, Profile.PAC_A10)));
        sound.step(3000);
        assertThat(waves.size()).isZero();

        VcdWriter[] opened = new VcdWriter[1];
        Simulation simulation = faulty(FAULT);
        simulation.monitor(
                new OnError(() -> {
                    opened[0] = new VcdWriter(waves, Profile.PAC_A10);
                    return opened[0];
                }));
        simulation.step(3000);
        opened[0].close();
        assertThat(waves.toString(StandardCharsets.UTF_8)).contains("$enddefinitions", "error");
    }
}
