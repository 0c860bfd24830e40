package dev.outboard.examples.dpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.outboard.doca.DocaDev;
import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.doca.DocaDpa;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Ranks that write to each other and know of it by events alone.
class AllToAllTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final AtomicInteger NETWORKS = new AtomicInteger();
    private static final MachineOptions TWELVE_UNITS =
            MachineOptions.DEFAULT.withUnits(new UnitGrid(2, 7, 2));

    private final List<Checker> checkers = new ArrayList<>();
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
        opened.clear();
        assertThat(checkers).flatExtracting(Checker::findings).isEmpty();
    }

    private <T extends AutoCloseable> T open(T made) {
        opened.add(made);
        return made;
    }

    private static void exchange(List<AllToAllMember> members, int rounds)
            throws InterruptedException {
        List<List<byte[]>> introductions =
                members.stream().map(AllToAllMember::introduction).toList();
        members.forEach(member -> member.connect(introductions, rounds));
        members.forEach(AllToAllMember::launch);
        for (AllToAllMember member : members) {
            assertThat(member.await(LONG)).isZero();
        }
    }

    /// Each member has a card and a context of its own.
    private void exchange(DpaApp<DpaThread> app, String uri, int count, int ranks, int rounds)
            throws InterruptedException {
        List<AllToAllMember> members = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            Device card = open(Fabric.open(uri.formatted(number + 1)));
            DocaDev dev = open(DocaDev.of(card));
            DpaDevice device = DpaDevice.of(TWELVE_UNITS, RunMode.fast(), card);
            DocaDpa dpa = open(DocaDpa.create(dev, device).app(app).start());
            members.add(open(new AllToAllMember(dev, dpa, count, number, ranks)));
        }
        exchange(members, rounds);
    }

    private static String simulated(long seed, String faults) {
        return "sim://all-to-all-%d/10.7.0.%%d?clock=real&seed=%d%s"
                .formatted(NETWORKS.incrementAndGet(), seed, faults);
    }

    static Stream<DpaApp<DpaThread>> languages() {
        return InC.andJava(AllToAllKernelsStub.APP);
    }

    /// A program, and how many members, ranks of each and rounds.
    static Stream<Arguments> shapes() {
        return languages()
                .flatMap(app -> Stream.of(arguments(app, 8, 1, 4), arguments(app, 4, 8, 2)));
    }

    @ParameterizedTest
    @MethodSource("shapes")
    @Requirement("DPA-RD-3")
    void membersWithCardsOfTheirOwnHaveAllBlocksWhenTold(
            DpaApp<DpaThread> app, int members, int ranks, int rounds) throws Exception {
        int seeds = app.image().isPresent() ? 5 : 100;
        for (int seed = 1; seed <= seeds; seed++) {
            exchange(app, simulated(seed, "&reorder=5%%25"), members, ranks, rounds);
            close();
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void membersMeetOnTheWire(DpaApp<DpaThread> app) throws Exception {
        exchange(app, "roce://auto?peer=127.0.0.1", 8, 1, 20);
    }

    static Stream<Form> forms() {
        return Form.of(
                AllToAllKernelsStub.APP,
                Stream.of(
                        RunMode.check(Observer.NONE, 1),
                        RunMode.check(Observer.NONE, 2),
                        RunMode.weak(Profile.SEED, 1),
                        RunMode.weak(Profile.SEED, 2),
                        RunMode.weak(Profile.PARANOID, 1),
                        RunMode.weak(Profile.PARANOID, 2),
                        RunMode.fast()));
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement("DPA-RD-3")
    void membersOfOneContextHaveAllBlocksWhenTold(Form form) throws InterruptedException {
        Device card = open(Fabric.open(simulated(1, "").formatted(1)));
        DocaDev dev = open(DocaDev.of(card));
        DocaDpa dpa = open(DocaDpa.create(dev, device(form.mode())).app(form.app()).start());
        List<AllToAllMember> members = new ArrayList<>();
        for (int number = 0; number < 2; number++) {
            members.add(open(new AllToAllMember(dev, dpa, 2, number, 2)));
        }
        exchange(members, 3);
    }

    private DpaDevice device(RunMode mode) {
        boolean checks = mode instanceof RunMode.Turns turns && turns.weak().isEmpty();
        return checks
                ? DpaDevice.of(TWELVE_UNITS, mode, this::checker)
                : DpaDevice.of(TWELVE_UNITS, mode);
    }

    private Observer checker() {
        Checker checker = new Checker(Profile.SEED, false);
        checkers.add(checker);
        return checker;
    }
}
