package dev.outboard.ccip.litmus;

import dev.outboard.ccip.fiu.OrderingMachine;
import dev.outboard.ccip.wire.Line;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// What one run of a scenario is made of: the memory, the AFU's place in its program, the threads
/// of the processor, and what has been observed. Whoever runs it decides who takes the next step.
final class Execution {
    /// What a line holds whose words differ: parts of two writes.
    private static final long TORN = -1;

    private static final int INTERRUPTS = 4;
    private static final ValueLayout.OfLong WORD =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Scenario scenario;
    private final MemorySegment memory;
    private final AfuThread afu;
    private final CpuThread[] threads;
    private final long[] registers;
    private final boolean[] interrupts = new boolean[INTERRUPTS];

    /// The registers in the order in which reads of the AFU were answered.
    private final List<Integer> arrived = new ArrayList<>();

    private final boolean observesArrival;
    private final boolean observesAnswers;

    /// An execution at its beginning.
    ///
    /// @param memory room for the lines of the variables
    Execution(Scenario scenario, MemorySegment memory) {
        this.scenario = scenario;
        this.memory = memory;
        afu = new AfuThread(scenario.afu());
        threads =
                scenario.threads().stream()
                        .map(program -> new CpuThread(program, this))
                        .toArray(CpuThread[]::new);
        registers = new long[scenario.registers().size()];
        observesArrival = scenario.expects("arrived");
        observesAnswers = scenario.expects("answered");
        reset();
    }

    /// Back to the beginning.
    void reset() {
        scenario.lines().forEach(line -> store(line, 0));
        afu.reset();
        for (CpuThread thread : threads) {
            thread.reset();
        }
        Arrays.fill(registers, 0);
        Arrays.fill(interrupts, false);
        arrived.clear();
    }

    AfuThread afu() {
        return afu;
    }

    CpuThread[] threads() {
        return threads;
    }

    /// Whether all programs have ended.
    boolean isDone() {
        boolean done = afu.isDone();
        for (CpuThread thread : threads) {
            done &= thread.isDone();
        }
        return done;
    }

    // What is done to memory and registers.

    long load(int line) {
        long first = memory.get(WORD, (long) line * Line.BYTES);
        for (int i = 1; i < Line.LONGS; i++) {
            if (memory.get(WORD, (long) line * Line.BYTES + (long) i * Long.BYTES) != first) {
                return TORN;
            }
        }
        return first;
    }

    void store(int line, long value) {
        for (int i = 0; i < Line.LONGS; i++) {
            memory.set(WORD, (long) line * Line.BYTES + (long) i * Long.BYTES, value);
        }
    }

    void register(int register, long value) {
        registers[register] = value;
    }

    /// A line of a read of the AFU is answered.
    void read(int position, int line, long[] data) {
        long value = data[0];
        for (int i = 1; i < Line.LONGS; i++) {
            value = data[i] == data[0] ? value : TORN;
        }
        int register = ((AfuStep.Read) afu.request(position)).register() + line;
        register(register, value);
        arrived.add(register);
        afu.answered(position, 1);
    }

    void interrupt(int id) {
        interrupts[id] = true;
    }

    boolean hasInterrupt(int id) {
        return interrupts[id];
    }

    // What is seen.

    /// What the run came to: each register, each variable that somebody asks for, and the order of
    /// arrival if somebody asks for it.
    String outcome() {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < registers.length; i++) {
            values.add(scenario.registers().get(i) + "=" + text(registers[i]));
        }
        if (observesArrival) {
            List<String> order = new ArrayList<>();
            for (int register : arrived) {
                order.add(scenario.registers().get(register) + text(registers[register]));
            }
            values.add("arrived=" + String.join(",", order));
        }
        if (observesAnswers) {
            values.add("answered=" + String.join(",", afu.answered()));
        }
        for (int i = 0; i < scenario.variables().size(); i++) {
            String variable = scenario.variables().get(i);
            if (scenario.expects(variable)) {
                values.add(variable + "=" + text(load(scenario.lines().get(i))));
            }
        }
        return String.join(" ", values);
    }

    private static String text(long value) {
        return value == TORN ? Litmus.TORN : Long.toString(value);
    }

    /// Equal for equal states, and hardly for others.
    long digest() {
        long digest = afu.digest();
        for (CpuThread thread : threads) {
            digest = OrderingMachine.mix(digest, thread.digest());
        }
        for (long value : registers) {
            digest = OrderingMachine.mix(digest, value);
        }
        for (boolean interrupt : interrupts) {
            digest = OrderingMachine.mix(digest, interrupt ? 1 : 0);
        }
        for (int line : scenario.lines()) {
            digest = OrderingMachine.mix(digest, load(line));
        }
        if (observesAnswers) {
            digest = OrderingMachine.mix(digest, afu.answered().hashCode());
        }
        return observesArrival ? OrderingMachine.mix(digest, arrived.hashCode()) : digest;
    }
}
