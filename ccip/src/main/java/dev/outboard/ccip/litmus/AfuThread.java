package dev.outboard.ccip.litmus;

import dev.outboard.ccip.fiu.OrderingMachine;
import java.util.ArrayList;
import java.util.List;

/// The AFU's place in its program: what it may send next, and which responses it has.
final class AfuThread {
    /// No request.
    static final int NONE = -1;

    private final List<AfuStep> program;

    /// Of each request that was sent: the responses that are missing.
    private final int[] missing;

    /// The requests that have all their responses, in the order in which they had them.
    private final List<String> answered = new ArrayList<>();

    private int next;

    AfuThread(List<AfuStep> program) {
        this.program = program;
        missing = new int[program.size()];
    }

    void reset() {
        next = 0;
        answered.clear();
    }

    /// The request to be sent next, by its position in the program, or [#NONE] as long as the AFU
    /// waits and after the last.
    int ready() {
        while (next < program.size() && program.get(next) instanceof AfuStep.Wait(boolean all)) {
            if (all ? !hasAllResponses() : missing[next - 1] > 0) {
                return NONE;
            }
            missing[next++] = 0;
        }
        return next < program.size() ? next : NONE;
    }

    AfuStep.Request request(int position) {
        return (AfuStep.Request) program.get(position);
    }

    /// The request that is ready was sent.
    void sent() {
        missing[next] =
                switch (request(next)) {
                    case AfuStep.Read read -> read.lines();
                    case AfuStep.Write write -> write.lines();
                    case AfuStep.Fence fence -> 1;
                    case AfuStep.Interrupt interrupt -> 1;
                };
        next++;
    }

    /// So many lines of a request were answered.
    void answered(int position, int lines) {
        missing[position] -= lines;
        if (missing[position] == 0) {
            answered.add(name(position));
        }
    }

    /// A request by its kind and its number in the program: `W1`, `F2`.
    private String name(int position) {
        long number =
                program.subList(0, position + 1).stream()
                        .filter(step -> !(step instanceof AfuStep.Wait))
                        .count();
        String kind =
                switch (request(position)) {
                    case AfuStep.Read _ -> "R";
                    case AfuStep.Write _ -> "W";
                    case AfuStep.Fence _ -> "F";
                    case AfuStep.Interrupt _ -> "I";
                };
        return kind + number;
    }

    /// The requests that have all their responses, in the order in which they had them.
    List<String> answered() {
        return answered;
    }

    void interruptAnswered(int id) {
        answered(program.indexOf(new AfuStep.Interrupt(id)), 1);
    }

    private boolean hasAllResponses() {
        for (int i = 0; i < next; i++) {
            if (missing[i] > 0) {
                return false;
            }
        }
        return true;
    }

    boolean isDone() {
        return ready() == NONE && next == program.size() && hasAllResponses();
    }

    long digest() {
        long digest = next;
        for (int i = 0; i < next; i++) {
            digest = OrderingMachine.mix(digest, missing[i]);
        }
        return digest;
    }
}
