package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.cc.Clang;
import dev.outboard.dpa.litmus.Actor;
import dev.outboard.dpa.litmus.Explorer;
import dev.outboard.dpa.litmus.LitmusCatalog;
import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.LitmusTest;
import dev.outboard.dpa.litmus.Observation;
import dev.outboard.dpa.litmus.Outcome;
import dev.outboard.dpa.litmus.Variable;
import dev.outboard.dpa.litmus.Variant;
import dev.outboard.dpa.machine.MachineOptions.Storage;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.rv.RvCode;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Litmus tests in C, compiled to Java, on threads that run at once: thousands of rounds of each.
class FastLitmusTest {
    private static final int ROUNDS = 30_000;
    private static final int STRIDE = 4 * Variable.LINE_BYTES;
    private static final int MOST_THREADS = 2;
    private static final int DESK_BYTES = (2 + MOST_THREADS) * Variable.LINE_BYTES;
    private static final int MOST_REGISTERS = 2;
    private static final int TOLD_BYTES = ROUNDS * MOST_REGISTERS * Long.BYTES;
    private static final long DESK = AddressMap.HEAP + (long) ROUNDS * STRIDE;
    private static final int HEAP_BYTES = ROUNDS * STRIDE + DESK_BYTES + MOST_THREADS * TOLD_BYTES;

    /// For all tests together.
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(8);

    /// Of the catalog: store and load buffering, atomics.
    private static final List<Integer> NUMBERS = List.of(18, 19, 28);

    /// What the catalog does not have: messages that nobody waits for, reads of one location, and
    /// atomics that stand for fences.
    private static final List<String> OTHERS =
            List.of(
                    "T1: M[x]=1; fence(MEMORY,W,W); M[y]=1 T2: a=M[y]; b=M[x] observe a b",
                    "T1: M[x]=1; memory_writeback; M[y]=1 T2: a=M[y]; b=M[x] observe a b",
                    "T1: M[x]=1; M[x]=2 T2: a=M[x]; b=M[x] observe a b",
                    "T1: o=amoswap.aqrl(M[x],1); a=M[y] T2: p=amoswap.aqrl(M[y],1); b=M[x]"
                            + " observe a b");

    @TempDir private Path directory;

    private static List<LitmusProgram> programs() {
        return Stream.concat(
                        NUMBERS.stream().map(LitmusCatalog::test),
                        OTHERS.stream().map(text -> LitmusTest.parse("litmus other " + text)))
                .flatMap(test -> test.variants().stream())
                .map(Variant::program)
                .toList();
    }

    /// DPA-OPM-17: what FAST shows is some of what the rules allow.
    @Test
    @Requirement({"DPA-HW-13", "DPA-OPM-17"})
    void threadsAtOnceShowNothingThatIsForbidden() throws IOException {
        List<LitmusProgram> programs = programs();
        CLitmus threads = new CLitmus();
        programs.forEach(threads::add);
        threads.compile(Clang.orSkip(), directory);
        long begin = System.nanoTime();
        for (int i = 0; i < programs.size(); i++) {
            LitmusProgram program = programs.get(i);
            long limit = begin + LIMIT_NANOS * (i + 1) / programs.size();
            Map<String, Integer> seen = new Shots(threads, program, limit).outcomes();
            assertThat(seen).as("%s", program).isNotEmpty();
            assertThat(allowed(program)).as("%s", program).containsAll(seen.keySet());
        }
    }

    private static Set<String> allowed(LitmusProgram program) {
        return Explorer.explore(program, Profile.SEED).outcomes().stream()
                .map(Outcome::toString)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /// All rounds of a program, in a process of its own.
    private static final class Shots {
        private final CLitmus threads;
        private final LitmusProgram program;
        private final DpaProcess process;
        private final long[] rounds;

        private Shots(CLitmus threads, LitmusProgram program, long limit) {
            this.threads = threads;
            this.program = program;
            MachineOptions options =
                    LitmusKernels.options().withStorage(new Storage(HEAP_BYTES, 4096, false));
            process = DpaProcess.open(options, threads.image(), RunMode.fast());
            RvCode code = threads.code(0);
            int count = program.actors().size();
            rounds = new long[count];
            for (int i = 0; i < count; i++) {
                Actor actor = program.actors().get(i);
                assertThat(threads.registers(actor).size()).isLessThanOrEqualTo(MOST_REGISTERS);
                CLitmus.Rounds asked = new CLitmus.Rounds(DESK, count, i, ROUNDS, STRIDE, told(i));
                int index = i;
                process.trustedThread(
                        actor.name(),
                        thread ->
                                rounds[index] =
                                        threads.run(
                                                code,
                                                thread,
                                                actor,
                                                asked,
                                                () -> System.nanoTime() > limit),
                        ThreadAttributes.DEFAULT);
            }
        }

        private static long told(int actor) {
            return DESK + DESK_BYTES + (long) actor * TOLD_BYTES;
        }

        /// What was seen, and how often.
        private Map<String, Integer> outcomes() {
            RunResult result = process.run();
            assertThat(result.end()).as("%s: %s", program, result).isEqualTo(End.DONE);
            assertThat(rounds).containsOnly(rounds[0]);
            ByteBuffer memory =
                    ByteBuffer.wrap(process.read(AddressMap.HEAP, HEAP_BYTES))
                            .order(ByteOrder.LITTLE_ENDIAN);
            Map<String, Integer> seen = new TreeMap<>();
            for (int round = 0; round < rounds[0]; round++) {
                seen.merge(outcome(memory, round), 1, Integer::sum);
            }
            return seen;
        }

        private String outcome(ByteBuffer memory, int round) {
            Map<String, String> values = new HashMap<>();
            for (Observation one : program.observed()) {
                long at =
                        switch (one) {
                            case Observation.OfRegister of -> told(of, round);
                            case Observation.OfMemory of ->
                                    AddressMap.HEAP
                                            + program.variable(of.variable()).address()
                                            + (long) round * STRIDE;
                            case Observation.OfNicView _ -> throw new AssertionError(one);
                        };
                long value = memory.getLong((int) (at - AddressMap.HEAP));
                values.put(one.name(), Long.toUnsignedString(value));
            }
            return new Outcome(values, false).toString();
        }

        private long told(Observation.OfRegister of, int round) {
            for (int i = 0; i < rounds.length; i++) {
                Actor actor = program.actors().get(i);
                if (actor.name().equals(of.actor())) {
                    List<String> names = threads.registers(actor);
                    int index = round * names.size() + names.indexOf(of.register());
                    return told(i) + (long) index * Long.BYTES;
                }
            }
            throw new AssertionError(of);
        }
    }
}
