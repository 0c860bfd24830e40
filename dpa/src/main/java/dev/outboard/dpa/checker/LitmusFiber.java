package dev.outboard.dpa.checker;

import dev.outboard.dpa.litmus.Actor;
import dev.outboard.dpa.litmus.Expression;
import dev.outboard.dpa.litmus.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Where an actor of a litmus program is, and its registers.
final class LitmusFiber {
    final int number;
    final Actor actor;

    /// How often the test of a loop has failed since anything changed.
    int idleRounds;

    private final Deque<Frame> frames = new ArrayDeque<>();
    private final Map<String, Long> registers = new HashMap<>();
    private final Map<String, String> texts = new HashMap<>();
    private final Map<String, Integer> arrivals = new HashMap<>();

    /// A list of statements that is being executed.
    private static final class Frame {
        final List<Statement> body;
        final boolean loop;
        final boolean again;
        int next;
        int rounds;

        Frame(List<Statement> body, boolean loop, int rounds, boolean again) {
            this.body = body;
            this.loop = loop;
            this.rounds = rounds;
            this.again = again;
        }
    }

    LitmusFiber(int number, Actor actor) {
        this.number = number;
        this.actor = actor;
        frames.push(new Frame(actor.body(), false, 1, false));
        settle();
    }

    boolean isThread() {
        return actor.kind() == Actor.Kind.THREAD;
    }

    boolean isEnded() {
        return frames.isEmpty();
    }

    /// The statement that comes next.
    Statement next() {
        Frame frame = frames.element();
        return frame.body.get(frame.next);
    }

    /// The statement is done.
    void advance() {
        frames.element().next++;
        settle();
    }

    /// The statement is left for statements in it.
    ///
    /// @param again whether it comes again after them, as the test of a loop does
    void enter(List<Statement> body, boolean loop, int rounds, boolean again) {
        if (!again) {
            frames.element().next++;
        }
        frames.push(new Frame(body, loop, rounds, again));
        settle();
    }

    /// Leaves the innermost loop. The test of a `spin` stands in the frame below and is done too.
    void leave() {
        while (!frames.element().loop) {
            frames.pop();
        }
        if (frames.pop().again) {
            frames.element().next++;
        }
        settle();
    }

    private void settle() {
        while (!frames.isEmpty()) {
            Frame frame = frames.element();
            if (frame.next < frame.body.size()) {
                return;
            }
            if (--frame.rounds > 0) {
                frame.next = 0;
            } else {
                frames.pop();
            }
        }
    }

    long value(Expression expression) {
        return expression.evaluate(name -> registers.getOrDefault(name, 0L));
    }

    void set(String register, long value) {
        registers.put(register, value);
    }

    void set(String register, String text) {
        texts.put(register, text);
    }

    /// The register as outcomes show it.
    String register(String register) {
        String text = texts.get(register);
        return text != null ? text : Long.toUnsignedString(registers.getOrDefault(register, 0L));
    }

    /// How many doorbells of that name it has waited for.
    int arrivals(String doorbell) {
        return arrivals.getOrDefault(doorbell, 0);
    }

    void arrived(String doorbell) {
        arrivals.merge(doorbell, 1, Integer::sum);
    }
}
