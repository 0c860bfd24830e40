package dev.outboard.dpa.litmus;

import dev.outboard.dpa.model.Action;
import dev.outboard.dpa.model.Code;
import dev.outboard.dpa.model.Digest;

/// What an actor of a litmus program has still to do: its place in the compiled program, and its
/// registers.
final class LitmusCode implements Code {
    private final ActorProgram program;
    private final int next;
    private final long[] registers;

    /// The actions of a group that are done.
    private final int done;

    private LitmusCode(ActorProgram program, int next, long[] registers, int done) {
        this.program = program;
        this.next = next;
        this.registers = registers;
        this.done = done;
    }

    /// At the beginning.
    static LitmusCode start(ActorProgram program) {
        return at(program, 0, new long[program.registers().size()]);
    }

    /// Goes on from there to the next action.
    private static LitmusCode at(ActorProgram program, int start, long[] registers) {
        Instruction[] instructions = program.instructions();
        int next = start;
        while (next < instructions.length) {
            switch (instructions[next]) {
                case Instruction.Set set -> {
                    registers[set.register()] = set.value().of(registers);
                    next++;
                }
                case Instruction.Branch branch ->
                        next = branch.test().of(registers) ? next + 1 : branch.otherwise();
                case Instruction.Jump jump -> next = jump.target();
                default -> {
                    return new LitmusCode(program, next, registers, 0);
                }
            }
        }
        return new LitmusCode(program, next, registers, 0);
    }

    /// The value of a register.
    long register(int register) {
        return registers[register];
    }

    /// The place in the text of the statement that comes next.
    Place place() {
        return program.places()[next];
    }

    @Override
    public int thread() {
        return program.thread();
    }

    @Override
    public boolean isOptional() {
        return program.actor().optional();
    }

    @Override
    public boolean isEnded() {
        return next == program.instructions().length;
    }

    @Override
    public int alternatives() {
        return program.instructions()[next] instanceof Instruction.Group group
                ? group.makers().length - Integer.bitCount(done)
                : 1;
    }

    @Override
    public Action action(int alternative) {
        return switch (program.instructions()[next]) {
            case Instruction.Act act -> act.maker().of(registers);
            case Instruction.Poll poll -> poll.load();
            case Instruction.Group group -> group.makers()[open(alternative)].of(registers);
            default -> throw new IllegalStateException("No action at " + next);
        };
    }

    /// The index in the group of one that is not done.
    private int open(int alternative) {
        int left = ~done;
        for (int i = 0; i < alternative; i++) {
            left &= left - 1;
        }
        return Integer.numberOfTrailingZeros(left);
    }

    @Override
    public boolean isPoll() {
        return program.instructions()[next] instanceof Instruction.Poll;
    }

    @Override
    public LitmusCode resume(int alternative, long result) {
        return switch (program.instructions()[next]) {
            case Instruction.Act act -> {
                long[] changed = registers.clone();
                if (act.register() >= 0) {
                    changed[act.register()] = result;
                }
                yield at(program, next + 1, changed);
            }
            case Instruction.Poll poll -> {
                boolean passes = poll.comparison().test(result, poll.value().of(registers));
                yield at(program, passes ? poll.exit() : next + 1, registers.clone());
            }
            case Instruction.Group group -> {
                int more = done | (1 << open(alternative));
                yield Integer.bitCount(more) == group.makers().length
                        ? at(program, next + 1, registers.clone())
                        : new LitmusCode(program, next, registers, more);
            }
            default -> throw new IllegalStateException("No action at " + next);
        };
    }

    @Override
    public boolean mayLoadWindow(int granule) {
        return program.reads().window()[next].get(granule);
    }

    @Override
    public boolean mayReadAsNic(int granule) {
        return program.reads().nic()[next].get(granule);
    }

    @Override
    public void digest(Digest digest) {
        digest.add(((long) next << 32) | done);
        for (long register : registers) {
            digest.add(register);
        }
    }
}
