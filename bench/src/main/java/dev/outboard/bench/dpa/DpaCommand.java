package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.ComparisonCommand;
import dev.outboard.bench.comparison.Contender;
import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.Work;
import dev.outboard.bench.comparison.Work.Unit;
import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.litmus.LitmusCatalog;
import dev.outboard.dpa.litmus.LitmusTest;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/// `outboard bench dpa`: what the DPA's memory model costs, and calls, handlers, kernels and RDMA.
@Command(
        name = "dpa",
        sortOptions = false,
        description =
                "Measure the DPA. Its memory model: how many states per second EXPLORE goes through,"
                        + " and how long the largest litmus tests of the catalog take; how long a"
                        + " key-value store runs under CHECK, next to FAST; and how fast the loads and"
                        + " stores of a kernel are under FAST, next to the same loop over a plain"
                        + " memory segment. Calls, next to a hand-over to a thread and back. Handlers"
                        + " that answer messages of another process over RoCEv2, next to the same"
                        + " with bare verbs. Launches of kernels, next to tasks of a thread pool. RDMA that"
                        + " kernels post, next to tasks of the host; all sides look all the time, so"
                        + " a machine needs two free processors. Functions in C, compiled to Java"
                        + " and interpreted, next to the same program on QEMU and that of gcc.",
        footer = {
            "",
            "Works: model/explore, model/litmus, model/check, model/crc, model/matrix; call/empty;"
                    + " handler/trip, handler/rate-8, handler/rate-32; kernel/empty, kernel/128;"
                    + " rdma/trip, rdma/bulk; cpu/crc, cpu/sieve, cpu/matrix, cpu/calls, cpu/copy,"
                    + " cpu/hash, cpu/empty, cpu/first; or model, call, handler, kernel, rdma or cpu,"
                    + " which is all of them."
        })
public final class DpaCommand extends ComparisonCommand {
    private static final String PLAIN = "plain memory segment";

    /// The litmus tests with the most states have a row of their own, these.
    static final List<Integer> LARGEST_TESTS = List.of(20, 32, 33, 53);

    /// For picocli.
    public DpaCommand() {}

    @Override
    protected List<Work> works() {
        return List.of(
                explore(),
                litmus(),
                check(),
                crc(),
                matrix(),
                call(),
                trip(),
                rate(8),
                rate(32),
                launch("kernel/empty", 1),
                launch("kernel/128", 128),
                rounds(),
                bulk(),
                cpu("crc", "CRC-32 of 64 KiB with a table"),
                cpu("sieve", "primes below 65,536 by a sieve"),
                cpu("matrix", "product of 64 x 64 integers"),
                cpu("calls", "a Fibonacci number by recursive calls"),
                cpu("copy", "copy of 64 KiB, byte by byte"),
                cpu("hash", "4,096 look-ups in a hash table"),
                empty(),
                first());
    }

    /// The largest of all variants; a test of the explorer says so.
    private static Work explore() {
        return new Work(
                "model/explore",
                "EXPLORE of the largest litmus test of the catalog, in states",
                Unit.RATE,
                List.of(
                        new Ours(
                                "LIT-20 a",
                                () -> new LitmusRate(LitmusCatalog.test(20).variant("a")))));
    }

    private static Work litmus() {
        List<Contender> contenders = new ArrayList<>();
        for (int number : LARGEST_TESTS) {
            LitmusTest test = LitmusCatalog.test(number);
            contenders.add(litmus(test.name(), List.of(test)));
        }
        contenders.add(litmus("the whole catalog", LitmusCatalog.all()));
        return new Work(
                "model/litmus",
                "EXPLORE of a litmus test, all variants in all profiles",
                Unit.TIME,
                contenders);
    }

    private static Ours litmus(String name, List<LitmusTest> tests) {
        return new Ours(name, () -> new LitmusTime(tests));
    }

    private static Work check() {
        return new Work(
                "model/check",
                "run of a key-value store with eight threads",
                Unit.TIME,
                List.of(
                        new Ours("CHECK", () -> new StoreRuns(DpaCommand::checked)),
                        new Ours("FAST", () -> new StoreRuns(seed -> RunMode.fast())),
                        new Ours(
                                "one actor at a time, unchecked",
                                () -> new StoreRuns(seed -> RunMode.check(Observer.NONE, seed)))));
    }

    private static RunMode checked(long seed) {
        return RunMode.check(new Checker(Profile.SEED, false), seed);
    }

    private static Work crc() {
        return new Work(
                "model/crc",
                "CRC-32 of 64 KiB with a table, both in DPA memory",
                Unit.BANDWIDTH,
                List.of(
                        Ours.kept(
                                "FAST",
                                () -> KernelProcess.fast(CrcKernel.class, CrcKernel.DATA_BYTES)),
                        new Ours(PLAIN, PlainCrc::new),
                        Ours.kept(
                                "CHECK",
                                () ->
                                        KernelProcess.checked(
                                                CrcKernel.class, CrcKernel.DATA_BYTES))));
    }

    private static Work matrix() {
        return new Work(
                "model/matrix",
                "product of 256 x 256 numbers in Q16.16, in multiplications",
                Unit.RATE,
                List.of(
                        Ours.kept(
                                "FAST",
                                () ->
                                        KernelProcess.fast(
                                                MatrixKernel.class, MatrixKernel.MULTIPLICATIONS)),
                        new Ours(PLAIN, PlainMatrix::new)));
    }

    private static Work call() {
        return new Work(
                "call/empty",
                "call of a function of the DPA that returns its argument",
                Unit.TIME,
                List.of(
                        Ours.kept("call", () -> new CallTime(EchoKernelsStub.APP)),
                        Ours.kept("call, in C", () -> new CallTime(EchoInC.app())),
                        Ours.kept("hand-over to a thread and back", HandOverTime::new)));
    }

    private static Work trip() {
        return new Work(
                "handler/trip",
                "64 bytes to another process and back, all asleep until they come",
                Unit.TIME,
                echoes(1));
    }

    private static Work rate(int inFlight) {
        return new Work(
                "handler/rate-" + inFlight,
                "64 bytes to another process and back, %d on their way, all asleep until they come"
                        .formatted(inFlight),
                Unit.MESSAGES,
                echoes(inFlight));
    }

    private static List<Contender> echoes(int inFlight) {
        return List.of(
                new EchoClient("handler on a DPA", "handler", inFlight),
                new EchoClient("handler on a DPA, in C", "handler-c", inFlight),
                new EchoClient("bare verbs", "verbs", inFlight));
    }

    private static Work launch(String name, int threads) {
        return new Work(
                name,
                "launch of an empty kernel, until its completion event; threads: " + threads,
                Unit.TIME,
                List.of(
                        Ours.kept("kernel", () -> new LaunchTime(threads)),
                        Ours.kept("thread pool and latch", () -> new ExecutorTime(threads))));
    }

    private static Work rounds() {
        return new Work(
                "rdma/trip",
                "64 bytes and an event to another process and back, all looking for them",
                Unit.TIME,
                ends(RoundEnd.SMALL_BYTES));
    }

    private static Work bulk() {
        return new Work(
                "rdma/bulk",
                "writes of 1 MiB to another process, 4 on their way",
                Unit.BANDWIDTH,
                ends(RoundEnd.LARGE_BYTES));
    }

    private static List<Contender> ends(int messageBytes) {
        return List.of(
                new RoundLead("kernel of a DPA", "kernel", messageBytes),
                new RoundLead("DOCA tasks", "tasks", messageBytes));
    }

    private static Work cpu(String name, String title) {
        int number = CpuProgram.WORKS.indexOf(name);
        return new Work(
                "cpu/" + name,
                title + " in C, in instructions of RISC-V",
                Unit.RATE,
                List.of(
                        Ours.kept("compiled to Java", () -> CpuProcess.work(number, true)),
                        Ours.kept("interpreted", () -> CpuProcess.work(number, false)),
                        new CpuPeer("qemu-riscv64", number, () -> CpuProgram.instance().onQemu()),
                        new CpuPeer(
                                "gcc -O2", number, () -> CpuProgram.instance().onThisMachine())));
    }

    private static Work empty() {
        return new Work(
                "cpu/empty",
                "function in C that does nothing, entered and left",
                Unit.TIME,
                List.of(
                        Ours.kept("compiled to Java", () -> CpuProcess.nothing(true)),
                        Ours.kept("interpreted", () -> CpuProcess.nothing(false))));
    }

    private static Work first() {
        return new Work(
                "cpu/first",
                "from a program that is new to what its first call returns",
                Unit.TIME,
                List.of(
                        new Ours(
                                "in C",
                                () ->
                                        new FirstResult(
                                                () -> CpuProgram.instance().app(true), "nothing")),
                        new Ours(
                                "in Java",
                                () -> new FirstResult(() -> EchoKernelsStub.APP, "same"))));
    }
}
