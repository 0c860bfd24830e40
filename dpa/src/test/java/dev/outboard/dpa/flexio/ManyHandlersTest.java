package dev.outboard.dpa.flexio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.Affinity;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MachineOptions.Storage;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Many handlers, each with queues of its own that are connected to themselves.
class ManyHandlersTest {
    private final List<EchoSide> sides = new ArrayList<>();
    private final List<DpaAddr> sums = new ArrayList<>();

    private DpaAddr make(FlexioProcess process, int handlers) {
        ByteBuffer contexts =
                ByteBuffer.allocate(handlers * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < handlers; i++) {
            DpaAddr sum = process.heap().zeros(Long.BYTES);
            FlexioEventHandler handler =
                    FlexioEventHandler.create(
                            process,
                            EchoStub.count,
                            new FlexioEventHandler.Attributes(sum, Affinity.ANY, false));
            EchoSide side = new EchoSide(process, Optional.of(handler));
            side.pair.connect(side.pair);
            handler.run(side.context.value());
            contexts.putLong(side.context.value());
            sides.add(side);
            sums.add(sum);
        }
        return process.heap().copyFromHost(contexts.array());
    }

    private long counted(FlexioProcess process, int handler) {
        return EchoSide.word(process, sides.get(handler), Echo.ECHOED);
    }

    private long sum(FlexioProcess process, int handler) {
        byte[] bytes = process.heap().copyOut(sums.get(handler), Long.BYTES);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    @Test
    @Requirement({"DPA-HW-5", "DPA-FXO-3", "DPA-FXE-13"})
    void tenThousandHandlersShareTheUnits() {
        int handlers = 10_000;
        int rounds = 5;
        MachineOptions options =
                MachineOptions.DEFAULT.withStorage(new Storage(256L << 20, 8 << 10, false));
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(
                                host, DpaDevice.of(options, RunMode.fast()), EchoStub.APP)) {
            DpaAddr contexts = make(process, handlers);
            for (int round = 1; round <= rounds; round++) {
                assertThat(process.call(EchoStub.sendAll(contexts, handlers, round)))
                        .isEqualTo(handlers);
                for (int i = 0; i < handlers; i++) {
                    int handler = i;
                    long expected = round;
                    Eventually.until(() -> counted(process, handler) == expected);
                }
            }
            for (int i = 0; i < handlers; i++) {
                assertThat(sum(process, i)).isEqualTo(rounds * i + rounds * (rounds + 1) / 2);
            }
            assertThat(process.errorState()).isEqualTo(FlexioErrorState.NONE);
        }
    }

    static Stream<RunMode> modes() {
        return Stream.of(
                RunMode.check(Observer.NONE, 1),
                RunMode.weak(Profile.SEED, 2),
                RunMode.weak(Profile.PARANOID, 3));
    }

    /// More handlers than units, none of which takes a lock around its outbox.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXO-3")
    void moreHandlersThanUnitsTakeTurns(RunMode mode) {
        int handlers = 10;
        MachineOptions options = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(host, DpaDevice.of(options, mode), EchoStub.APP)) {
            DpaAddr contexts = make(process, handlers);
            for (int round = 1; round <= 2; round++) {
                process.call(EchoStub.sendAll(contexts, handlers, round));
                for (int i = 0; i < handlers; i++) {
                    int handler = i;
                    long expected = round == 1 ? i + 1 : 2 * i + 3;
                    Eventually.until(() -> {
                        process.call(EchoStub.hasOutbox(0));
                        return sum(process, handler) == expected;
                    });
                    assertThat(counted(process, i)).isLessThanOrEqualTo(round);
                }
            }
        }
    }

    /// Doorbells arrive also while a call writes back what it has stored.
    @ParameterizedTest
    @EnumSource(
            value = Profile.class,
            names = {"SEED", "BF3"})
    @Requirement({"DPA-FXE-5", "DPA-FXO-9"})
    void noWakeUpIsLostInWeakMemory(Profile profile) {
        MachineOptions options = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);
        for (long seed = 1; seed <= 20; seed++) {
            sides.clear();
            sums.clear();
            try (HostProcess host = HostProcess.open();
                    FlexioProcess process =
                            FlexioProcess.create(
                                    host,
                                    DpaDevice.of(options, RunMode.weak(profile, seed)),
                                    EchoStub.APP)) {
                make(process, 1);
                DpaAddr context = sides.getFirst().context;
                for (long word = 1; word <= 4; word++) {
                    long sum = word * (word + 1) / 2;
                    process.call(EchoStub.send(context, word));
                    Eventually.until(() -> process.call(EchoStub.look(sums.getFirst())) == sum);
                }
            }
        }
    }
}
