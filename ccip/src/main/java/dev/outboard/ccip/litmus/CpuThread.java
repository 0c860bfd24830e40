package dev.outboard.ccip.litmus;

import dev.outboard.ccip.fiu.OrderingMachine;
import java.util.List;

/// A thread of the processor with its store buffer (x86-TSO: Sewell and others, x86-TSO: a rigorous
/// and usable programmer's model, CACM 2010): loads look through the buffer, which drains to memory
/// in order.
final class CpuThread {
    private final List<CpuStep> program;
    private final Execution execution;
    private final int[] bufferedLines;
    private final long[] bufferedValues;
    private int next;
    private int drained;
    private int buffered;

    CpuThread(List<CpuStep> program, Execution execution) {
        this.program = program;
        this.execution = execution;
        bufferedLines = new int[program.size()];
        bufferedValues = new long[program.size()];
    }

    void reset() {
        next = 0;
        drained = 0;
        buffered = 0;
    }

    boolean isDone() {
        return next == program.size() && !canDrain();
    }

    /// Whether the next step of the program can be done now.
    boolean canStep() {
        return next < program.size()
                && switch (program.get(next)) {
                    case CpuStep.Fence fence -> !canDrain();
                    case CpuStep.Exchange exchange -> !canDrain();
                    case CpuStep.Await await -> load(await.line()) == await.value();
                    case CpuStep.AwaitInterrupt await -> execution.hasInterrupt(await.id());
                    case CpuStep.Load load -> true;
                    case CpuStep.Store store -> true;
                    case CpuStep.Interrupted interrupted -> true;
                };
    }

    void step() {
        switch (program.get(next++)) {
            case CpuStep.Load load -> execution.register(load.register(), load(load.line()));
            case CpuStep.Store store -> {
                bufferedLines[buffered] = store.line();
                bufferedValues[buffered++] = store.value();
            }
            case CpuStep.Exchange exchange -> {
                execution.register(exchange.register(), execution.load(exchange.line()));
                execution.store(exchange.line(), exchange.value());
            }
            case CpuStep.Interrupted interrupted ->
                    execution.register(
                            interrupted.register(),
                            execution.hasInterrupt(interrupted.id()) ? 1 : 0);
            case CpuStep.Fence fence -> {}
            case CpuStep.Await await -> {}
            case CpuStep.AwaitInterrupt await -> {}
        }
    }

    private long load(int line) {
        for (int i = buffered - 1; i >= drained; i--) {
            if (bufferedLines[i] == line) {
                return bufferedValues[i];
            }
        }
        return execution.load(line);
    }

    /// Whether a store waits in the buffer.
    boolean canDrain() {
        return drained < buffered;
    }

    /// The oldest store reaches memory.
    void drain() {
        execution.store(bufferedLines[drained], bufferedValues[drained]);
        drained++;
    }

    long digest() {
        return OrderingMachine.mix(next, drained);
    }
}
