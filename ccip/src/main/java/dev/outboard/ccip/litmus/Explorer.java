package dev.outboard.ccip.litmus;

import dev.outboard.ccip.fiu.OrderingMachine;
import dev.outboard.ccip.platform.ResponseFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/// Finds every outcome that a variant can have: goes through all orders of all steps, depth first,
/// and comes back to a state by taking the same steps again from the beginning. A state that was
/// seen before is not gone on from.
///
/// The AFU sends a request as soon as it may, which takes nothing from any order: what was sent may
/// wait in the machine as long as it might before it was sent.
final class Explorer {
    private static final int MEMORY_BYTES = 4096;

    /// More states than a scenario of four requests and four accesses comes to, by far.
    private static final int STATES = 5_000_000;

    private static final int LONGEST_PATH = 1024;

    private final Variant variant;
    private final Execution execution;
    private final OrderingMachine machine;
    private final Set<Long> seen = new HashSet<>();
    private final Set<String> outcomes = new TreeSet<>();
    private final int[] path = new int[LONGEST_PATH];

    private Explorer(Variant variant, ResponseFormat format) {
        this.variant = variant;
        MemorySegment memory = Arena.ofAuto().allocate(MEMORY_BYTES, MEMORY_BYTES);
        execution = new Execution(variant.scenario(), memory);
        machine =
                new OrderingMachine(
                        variant.profile(), variant.model(), format, memory, responses());
    }

    /// Every outcome of the variant if writes are answered in this way.
    ///
    /// @throws IllegalStateException if the scenario is too large
    static Set<String> outcomes(Variant variant, ResponseFormat format) {
        Explorer explorer = new Explorer(variant, format);
        explorer.send();
        explorer.explore(0);
        return explorer.outcomes;
    }

    private OrderingMachine.Responses responses() {
        return new OrderingMachine.Responses() {
            @Override
            public void read(int mdata, int lineNumber, long[] data) {
                execution.read(mdata, lineNumber, data);
            }

            @Override
            public void answered(int mdata, int lines) {
                execution.afu().answered(mdata, lines);
            }

            @Override
            public void interruptAnswered(int id) {
                execution.afu().interruptAnswered(id);
            }

            @Override
            public void interrupt(int id) {
                execution.interrupt(id);
            }
        };
    }

    private void explore(int depth) {
        if (!seen.add(OrderingMachine.mix(machine.digest(), execution.digest()))) {
            return;
        }
        if (seen.size() > STATES) {
            throw new IllegalStateException(variant + " has more than " + STATES + " states");
        }
        int choices = choices();
        if (choices == 0) {
            if (!execution.isDone()) {
                throw new IllegalStateException(variant + " cannot come to its end");
            }
            outcomes.add(execution.outcome());
        }
        for (int choice = 0; choice < choices; choice++) {
            if (choice > 0) {
                comeBack(depth);
            }
            path[depth] = choice;
            take(choice);
            explore(depth + 1);
        }
    }

    private void comeBack(int depth) {
        machine.reset();
        execution.reset();
        send();
        for (int i = 0; i < depth; i++) {
            take(path[i]);
        }
    }

    private int choices() {
        int choices = machine.choices();
        for (CpuThread thread : execution.threads()) {
            choices += (thread.canStep() ? 1 : 0) + (thread.canDrain() ? 1 : 0);
        }
        return choices;
    }

    private void take(int choice) {
        int left = choice - machine.choices();
        if (left < 0) {
            machine.take(choice);
            send();
            return;
        }
        for (CpuThread thread : execution.threads()) {
            if (thread.canStep() && left-- == 0) {
                thread.step();
                return;
            }
            if (thread.canDrain() && left-- == 0) {
                thread.drain();
                return;
            }
        }
    }

    private void send() {
        AfuThread afu = execution.afu();
        for (int next = afu.ready(); next != AfuThread.NONE; next = afu.ready()) {
            AfuStep.Request request = afu.request(next);
            afu.sent();
            switch (request) {
                case AfuStep.Read(String channel, int line, int lines, int register) ->
                        machine.read(variant.channel(channel), line, lines, next);
                case AfuStep.Write(String channel, int line, int lines, long value) ->
                        machine.write(variant.channel(channel), line, lines, next, value);
                case AfuStep.Fence(String channel) -> machine.fence(variant.channel(channel), next);
                case AfuStep.Interrupt(int id) -> machine.interrupt(id);
            }
        }
    }
}
