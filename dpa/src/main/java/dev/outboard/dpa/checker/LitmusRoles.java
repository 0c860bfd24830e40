package dev.outboard.dpa.checker;

import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.Role;
import dev.outboard.dpa.litmus.Statement;
import dev.outboard.dpa.litmus.Variable;
import dev.outboard.dpa.machine.Observer;
import java.util.ArrayList;
import java.util.List;

/// What the variables of a litmus program are for, told to an observer.
final class LitmusRoles {
    private static final int QUEUE_SHIFT = 16;

    private final LitmusProgram program;
    private final List<String> queues = new ArrayList<>();
    private final List<Long> posted = new ArrayList<>();
    private final List<String> postedTo = new ArrayList<>();
    private long tokens;

    LitmusRoles(LitmusProgram program) {
        this.program = program;
        program.roles().stream()
                .map(Role::queue)
                .filter(queue -> !queue.isEmpty() && !queues.contains(queue))
                .forEach(queues::add);
    }

    /// Names the variables and tells what they are for.
    void declare(Observer observer, List<Statement.Doorbell> doorbells) {
        for (Variable variable : program.variables()) {
            observer.name(LitmusMemory.address(variable), variable.sizeBytes(), variable.name());
        }
        for (Role role : program.roles()) {
            Variable variable = program.variable(role.variable());
            observer.role(
                    LitmusMemory.address(variable),
                    variable.sizeBytes(),
                    word(role.kind()),
                    queues.indexOf(role.queue()));
        }
        for (Statement.Doorbell doorbell : doorbells) {
            doorbell.queue()
                    .filter(queues::contains)
                    .ifPresent(queue ->
                            observer.doorbellOf(queues.indexOf(queue), register(doorbell)));
        }
    }

    private static Observer.WordRole word(Role.Kind kind) {
        return switch (kind) {
            case ENTRY -> Observer.WordRole.ENTRY;
            case RECORD -> Observer.WordRole.RECORD;
            case INDEX -> Observer.WordRole.INDEX;
            case IGNORED_INDEX -> Observer.WordRole.IGNORED_INDEX;
            case BUFFER -> Observer.WordRole.BUFFER;
            case CQE -> Observer.WordRole.COMPLETION;
            case SYNDROME -> Observer.WordRole.SYNDROME;
            case FLAG -> Observer.WordRole.FLAG;
        };
    }

    /// The register of a doorbell: one for each queue that is named.
    long register(Statement.Doorbell doorbell) {
        int queue = doorbell.queue().map(queues::indexOf).orElse(-1);
        return ((long) (queue + 1) << QUEUE_SHIFT) | doorbell.register().offset();
    }

    /// A doorbell posts the entries and buffers of its queue.
    void posted(Observer observer, int thread, String queue, int site) {
        for (Role role : program.roles()) {
            boolean given = role.kind() == Role.Kind.ENTRY || role.kind() == Role.Kind.BUFFER;
            if (given && role.queue().equals(queue)) {
                Variable variable = program.variable(role.variable());
                posted.add(++tokens);
                postedTo.add(queue);
                observer.posted(
                        thread,
                        tokens,
                        LitmusMemory.address(variable),
                        variable.sizeBytes(),
                        role.kind() == Role.Kind.BUFFER,
                        site);
            }
        }
    }

    /// The NIC is about to write a completion entry: it is done with what was posted.
    void written(Observer observer, LitmusMemory memory, int nic, String variable) {
        for (Role role : program.roles()) {
            if (role.kind() == Role.Kind.CQE && role.variable().equals(variable)) {
                for (int i = 0; i < posted.size(); i++) {
                    if (postedTo.get(i).equals(role.queue())) {
                        observer.completed(nic, posted.get(i));
                    }
                }
            }
        }
    }

    /// The NIC has written a completion entry, which tells of a failure if its syndrome is not 0.
    void announced(Observer observer, LitmusMemory memory, int nic, String variable) {
        for (Role role : program.roles()) {
            if (role.kind() == Role.Kind.CQE
                    && role.variable().equals(variable)
                    && hasFailed(memory, role.queue())) {
                Variable entry = program.variable(variable);
                observer.failed(nic, LitmusMemory.address(entry), entry.sizeBytes());
            }
        }
    }

    private boolean hasFailed(LitmusMemory memory, String queue) {
        return program.roles().stream()
                .filter(role -> role.kind() == Role.Kind.SYNDROME && role.queue().equals(queue))
                .map(role -> program.variable(role.variable()))
                .anyMatch(variable ->
                        memory.get(LitmusMemory.address(variable), variable.sizeBytes()) != 0);
    }
}
