package dev.outboard.ccip.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.afu.CsrSpace;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Monitor;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.PowerState;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
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

    /// A port on which all channels are in use.
    @Test
    @Requirement("CCIP-PLT-4")
    void showsAllWiresOf256CyclesBefore() {
        CsrSpace csrs = new CsrSpace(new UUID(1, 2));
        long[] line = new long[1];
        boolean[] errs = new boolean[1];
        Simulation simulation =
                Simulation.of(
                                Profile.PAC_A10,
                                (rx, tx) -> {
                                    csrs.clock(rx, tx);
                                    if (line[0] != 0) {
                                        use(line[0], errs[0], rx, tx);
                                    }
                                })
                        .policy(ErrorPolicy.HARDWARE)
                        .build();
        try (Fpga fpga = Fpga.open(simulation)) {
            line[0] = fpga.prepareBuffer(4096).lineAddress();
            fpga.step(600);
            simulation.monitor(allTo(whole));
            simulation.monitor(new OnError(() -> allTo(triggered)));
            fpga.step(400);
            fpga.setPowerState(PowerState.AP1);
            fpga.readMmio64(0);
            errs[0] = true;
            fpga.step(100);
        }
        assertThat(triggered)
                .isEqualTo(whole.subList(whole.size() - triggered.size(), whole.size()));
        assertThat(triggered.subList(0, 256)).allMatch(cycle -> cycle.endsWith(" false]"));
        assertThat(triggered.get(256)).endsWith(" true]");
    }

    private static void use(long line, boolean errs, Rx rx, Tx tx) {
        if (!rx.c0TxAlmFull) {
            tx.c0.read(ReadType.RDLINE_I, VirtualChannel.VA, LineCount.ONE, line, 1);
            tx.c0.hdrHigh |= errs ? 2 << 4 : 0;
        }
        if (!rx.c1TxAlmFull) {
            tx.c1.write(WriteType.WRLINE_I, VirtualChannel.VA, LineCount.ONE, line + 1, 2);
            Arrays.fill(tx.c1.data, rx.c0.data[0] + 1);
        }
    }

    private static Monitor allTo(List<String> lines) {
        return (cycle, tx, rx, answers) -> {
            List<Object> wires = new ArrayList<>();
            Collections.addAll(wires, cycle, tx.c0.valid, tx.c0.hdrLow, tx.c0.hdrHigh);
            Collections.addAll(wires, tx.c1.valid, tx.c1.hdrLow, tx.c1.hdrHigh);
            Collections.addAll(wires, Arrays.toString(tx.c1.data));
            Collections.addAll(wires, tx.c2.mmioRdValid, tx.c2.tid, tx.c2.data);
            Collections.addAll(wires, rx.c0.rspValid, rx.c0.mmioRdValid, rx.c0.mmioWrValid);
            Collections.addAll(wires, rx.c0.hdr, Arrays.toString(rx.c0.data));
            Collections.addAll(wires, rx.c1.rspValid, rx.c1.hdr);
            Collections.addAll(wires, rx.c0TxAlmFull, rx.c1TxAlmFull, rx.softReset);
            Collections.addAll(wires, answers.c0Request, answers.c1Request);
            Collections.addAll(wires, rx.powerState, rx.error);
            lines.add(wires.toString());
        };
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
