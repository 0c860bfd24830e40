package dev.outboard.dpa.flexio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.ThreadStatus;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.nic.QueueStatus.Kind;
import dev.outboard.dpa.trace.Trace;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.TraceFile;
import dev.outboard.testkit.TraceFile.Flow;
import dev.outboard.testkit.TraceFile.Slice;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What a trace of a device tells, read by the published schema.
class TraceTest {
    private static final MachineOptions OPTIONS = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);
    private static final int CALLS = 5;

    static List<RunMode> modes() {
        return List.of(
                RunMode.fast(),
                RunMode.check(Observer.NONE, 1),
                RunMode.weak(Profile.SEED, 2),
                RunMode.weak(Profile.PARANOID, 3));
    }

    private static byte[] bytes(Trace trace) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        trace.write(out);
        return out.toByteArray();
    }

    /// A handler answers what calls of the host send it.
    private static byte[] echo(RunMode mode) throws IOException {
        DpaDevice device = DpaDevice.of(OPTIONS, mode);
        try (Trace trace = device.trace()) {
            try (HostProcess host = HostProcess.open();
                    FlexioProcess process = FlexioProcess.create(host, device, EchoStub.APP)) {
                FlexioEventHandler handler =
                        FlexioEventHandler.create(
                                process, EchoStub.echo, FlexioEventHandler.Attributes.DEFAULT);
                EchoSide server = new EchoSide(process, Optional.of(handler));
                EchoSide client = new EchoSide(process, Optional.empty());
                server.pair.connect(client.pair);
                handler.run(server.context.value());
                for (long word = 1; word <= CALLS; word++) {
                    assertThat(process.call(EchoStub.call(client.context, word))).isEqualTo(word);
                }
                Eventually.until(() -> {
                    process.call(EchoStub.hasOutbox(0));
                    return process.status().queues().stream()
                            .filter(queue -> queue.kind() == Kind.QUEUE_PAIR)
                            .allMatch(pair -> pair.written() == CALLS);
                });
            }
            assertThat(trace.events()).isPositive();
            assertThat(trace.lost()).isZero();
            return bytes(trace);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    void everyActivationHasAUnitAndATrackOfItsThread(RunMode mode) throws IOException {
        TraceFile file = TraceFile.read(echo(mode));
        List<Slice> onUnits = file.slices("unit \\d+");
        assertThat(onUnits)
                .extracting(Slice::name)
                .contains("echo")
                .filteredOn("RPC"::equals)
                .hasSizeGreaterThan(CALLS);
        List<Slice> ofThreads = file.slices("RPC \\(thread 0\\)|echo \\(thread 1\\)");
        assertThat(ofThreads)
                .hasSameSizeAs(onUnits)
                .allSatisfy(slice ->
                        assertThat(onUnits)
                                .anyMatch(other ->
                                        other.track().name().equals(slice.name())
                                                && other.begin() == slice.begin()
                                                && other.ended() == slice.ended()));
        assertThat(onUnits)
                .allSatisfy(slice -> {
                    assertThat(slice.notes()).containsEntry("process", "echo");
                    assertThat(slice.ended()).isGreaterThanOrEqualTo(slice.begin());
                })
                .anyMatch(slice -> slice.ended() > slice.begin());
        assertThat(file.tracks().getFirst().name())
                .isEqualTo(
                        "execution units (%s)"
                                .formatted(
                                        mode instanceof RunMode.Fast
                                                ? "monotonic clock"
                                                : "virtual time"));
        assertUnitsRunOneThreadAtATime(onUnits);
    }

    private static void assertUnitsRunOneThreadAtATime(List<Slice> onUnits) {
        for (Slice one : onUnits) {
            assertThat(onUnits)
                    .filteredOn(other -> !other.equals(one) && other.track().equals(one.track()))
                    .allMatch(
                            other -> other.ended() <= one.begin() || other.begin() >= one.ended());
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    void arrowsLeadFromADoorbellToTheActivationThatItBringsAbout(RunMode mode) throws IOException {
        TraceFile file = TraceFile.read(echo(mode));
        assertThat(file.instants("unit \\d+")).isNotEmpty();
        // Each entry was sent because a doorbell said so, and it ended well.
        List<Slice> entries = file.slices("queue pair 0x.*");
        assertThat(entries)
                .hasSize(2 * CALLS)
                .allSatisfy(entry -> assertThat(entry.notes()).containsEntry("syndrome", 0L));
        int whole = 0;
        for (Slice entry : entries) {
            for (Slice taken : before(file, entry)) {
                assertThat(taken.track().name()).isEqualTo("NIC");
                Slice rung = before(file, taken).getFirst();
                assertThat(rung.track().name()).startsWith("unit ");
                assertThat("takes " + rung.name()).isEqualTo(taken.name());
                for (Slice completion : after(file, entry)) {
                    assertThat(completion.track().name()).startsWith("completion queue ");
                    for (Slice activation : after(file, completion)) {
                        assertThat(activation.name()).isEqualTo("echo");
                        whole++;
                    }
                }
            }
        }
        assertThat(whole).as("arrows from doorbell to activation").isPositive();
        assertThat(file.instants("completion queue .*")).hasSize(4 * CALLS);
        assertThat(file.flows()).allMatch(flow -> flow.from().begin() <= flow.to().begin());
    }

    private static List<Slice> before(TraceFile file, Slice slice) {
        return file.flows().stream()
                .filter(flow -> flow.to().equals(slice))
                .map(Flow::from)
                .toList();
    }

    private static List<Slice> after(TraceFile file, Slice slice) {
        return file.flows().stream()
                .filter(flow -> flow.from().equals(slice))
                .map(Flow::to)
                .toList();
    }

    static Stream<RunMode> seeded() {
        return modes().stream().filter(RunMode.Turns.class::isInstance);
    }

    @ParameterizedTest
    @MethodSource("seeded")
    void theSameSeedGivesTheSameBytes(RunMode mode) throws IOException {
        assertThat(echo(mode)).isEqualTo(echo(mode));
    }

    @Test
    void anotherSeedGivesOtherTimes() throws IOException {
        assertThat(echo(RunMode.weak(Profile.SEED, 2)))
                .isNotEqualTo(echo(RunMode.weak(Profile.SEED, 4)));
    }

    /// The host rings, and its commands are on a track of their own.
    @ParameterizedTest
    @MethodSource("modes")
    void theHostHasATrack(RunMode mode) throws IOException {
        DpaDevice device = DpaDevice.of(OPTIONS, mode);
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = FlexioProcess.create(host, device, EchoStub.APP)) {
            FlexioEventHandler handler =
                    FlexioEventHandler.create(
                            process, EchoStub.echo, FlexioEventHandler.Attributes.DEFAULT);
            EchoSide server = new EchoSide(process, Optional.of(handler));
            HostSide client = new HostSide(process, ExternalKind.HOST);
            server.pair.connect(client.pair);
            handler.run(server.context.value());
            // What was before does not matter.
            client.call(1);
            try (Trace trace = device.trace()) {
                client.call(2);
                TraceFile file = TraceFile.read(bytes(trace));
                assertThat(file.instants("host"))
                        .extracting(Slice::name)
                        .containsExactly("command of the host");
                Slice taken = after(file, file.instants("host").getFirst()).getFirst();
                Slice entry = after(file, taken).getFirst();
                assertThat(entry.track().name())
                        .isEqualTo("queue pair 0x%x".formatted(client.pair.number()));
            }
        }
    }

    /// A thread that has a unit all the time, and one that has it at the begin only.
    @Test
    void threadsThatRunAlreadyAreSeen() throws IOException {
        DpaDevice device = DpaDevice.of(OPTIONS, RunMode.fast());
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = FlexioProcess.create(host, device, EchoStub.APP)) {
            List<DpaAddr> flags = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                DpaAddr flag = process.heap().zeros(8);
                flags.add(flag);
                FlexioEventHandler handler =
                        FlexioEventHandler.create(
                                process, EchoStub.spin, FlexioEventHandler.Attributes.DEFAULT);
                EchoSide side = new EchoSide(process, Optional.of(handler));
                side.pair.connect(side.pair);
                handler.run(flag.value());
                process.call(EchoStub.send(side.context, 1));
            }
            Eventually.until(
                    () -> states(process).equals("RPC=INACTIVE spin=RUNNING spin=RUNNING"));
            try (Trace trace = device.trace()) {
                process.heap().copyIn(flags.getFirst(), EchoSide.bytes(1));
                Eventually.until(
                        () -> states(process).equals("RPC=INACTIVE spin=ENDED spin=RUNNING"));
                process.call(EchoStub.hasOutbox(0));
                List<Slice> spins =
                        TraceFile.read(bytes(trace)).slices("unit \\d+").stream()
                                .filter(slice -> slice.name().equals("spin"))
                                .toList();
                assertThat(spins).hasSize(2).allMatch(slice -> slice.begin() == 0);
                assertThat(spins.getFirst().ended()).isNotEqualTo(spins.getLast().ended());
            }
            // Nothing at all happens in this one.
            try (Trace trace = device.trace()) {
                assertThat(trace.events()).isZero();
                assertThat(TraceFile.read(bytes(trace)).slices("unit \\d+"))
                        .singleElement()
                        .matches(slice -> slice.name().equals("spin") && slice.ended() > 0);
            }
            process.heap().copyIn(flags.getLast(), EchoSide.bytes(1));
        }
    }

    private static String states(FlexioProcess process) {
        List<String> states = new ArrayList<>();
        process.status()
                .threads()
                .forEach(thread -> {
                    ThreadStatus status = thread.status();
                    states.add(status.name() + "=" + status.state());
                });
        return String.join(" ", states);
    }

    @Test
    void aDeviceTakesOneTraceAtATime() throws IOException {
        DpaDevice device = DpaDevice.of(OPTIONS, RunMode.fast());
        try (Trace trace = device.trace()) {
            assertThatThrownBy(device::trace)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is being taken already");
            assertThat(TraceFile.read(bytes(trace)).tracks()).hasSize(1);
        }
        try (Trace again = device.trace()) {
            assertThat(again.events()).isZero();
        }
    }
}
