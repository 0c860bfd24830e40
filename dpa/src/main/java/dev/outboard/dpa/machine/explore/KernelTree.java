package dev.outboard.dpa.machine.explore;

import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.explore.KernelNode.Next;
import dev.outboard.dpa.machine.explore.KernelNode.Position;
import dev.outboard.dpa.machine.run.ActorPlan;
import dev.outboard.dpa.machine.run.ActorPlan.HostPlan;
import dev.outboard.dpa.machine.run.ActorPlan.NicPlan;
import dev.outboard.dpa.machine.run.ActorPlan.ThreadPlan;
import dev.outboard.dpa.machine.run.CrashReports;
import dev.outboard.dpa.machine.run.EndSignal;
import dev.outboard.dpa.machine.run.Fuel;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.model.Action;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// All that an actor can come to, as far as it has been looked at. The nodes make a tree, but that
/// a poll loop comes back to where its round began.
///
/// A poll loop is known by its actions: it did the same ones with the same results twice in a row,
/// stored nothing, and would go on like that for [#PROBES] rounds. A loop that counts its rounds up
/// to more than that is taken for one that does not end.
final class KernelTree {
    private static final int PROBES = 64;
    private static final int LONGEST_ROUND = 8;

    private final ProcessState process;
    private final ActorPlan plan;
    private final ExploreMemory memory;

    /// By history.
    private final Map<List<Long>, KernelNode> nodes = new HashMap<>();

    private final KernelNode root;
    private @Nullable CrashReport crash;

    KernelTree(ProcessState process, ActorPlan plan, ExploreMemory memory) {
        this.process = process;
        this.plan = plan;
        this.memory = memory;
        root = node(null, new long[0]);
    }

    KernelNode root() {
        return root;
    }

    int thread() {
        return plan instanceof ThreadPlan thread ? thread.handle().number() : -1;
    }

    String name() {
        return plan.name();
    }

    boolean isServer() {
        return switch (plan) {
            case NicPlan nic -> nic.server();
            case HostPlan host -> host.server();
            case ThreadPlan thread -> false;
        };
    }

    /// The latest fault that was found.
    @Nullable CrashReport crash() {
        return crash;
    }

    /// Runs the program up to a node, for what it does outside the machine.
    void replay(KernelNode node) {
        next(new Replay(node.position().history()));
    }

    KernelNode child(KernelNode before, long given) {
        long[] former = before.position().history();
        long[] history = Arrays.copyOf(former, former.length + 1);
        history[former.length] = given;
        KernelNode child = node(before, history);
        for (int length = 1; length <= LONGEST_ROUND; length++) {
            KernelNode start = back(child, length);
            if (start != null && start.isPoll() && isRoundAgain(child, length)) {
                return start;
            }
        }
        return child;
    }

    private KernelNode node(@Nullable KernelNode before, long[] history) {
        Replay replay = new Replay(history);
        Next next = next(replay);
        List<Long> key = Arrays.stream(replay.history()).boxed().toList();
        KernelNode known = nodes.get(key);
        if (known == null) {
            Position position = new Position(before, replay.history());
            known = new KernelNode(this, nodes.size(), position, next, beginsRound(position, next));
            nodes.put(key, known);
        }
        return known;
    }

    /// What the program does after a history.
    private Next next(Replay replay) {
        try {
            switch (plan) {
                case ThreadPlan thread -> {
                    ExploreThread explored = new ExploreThread(process, thread, memory, replay);
                    Fuel.begin(explored);
                    thread.kernel().run(explored);
                }
                case NicPlan nic ->
                        nic.program().run(new ExploreOutside(process, nic, memory, replay));
                case HostPlan host ->
                        host.program().run(new ExploreOutside(process, host, memory, replay));
            }
            replay.order();
            return Next.ENDED;
        } catch (Replay.Reached reached) {
            return new Next(reached.actions(), false);
        } catch (EndSignal end) {
            return Next.ENDED;
        } catch (ExploreMemory.Grown | UnsupportedOperationException notHere) {
            throw notHere;
        } catch (Throwable thrown) {
            if (!(plan instanceof ThreadPlan)) {
                throw new IllegalStateException("A program outside the DPA failed", thrown);
            }
            crash = CrashReports.of(thrown, plan.name(), thread(), List.of());
            return Next.FAULT;
        } finally {
            Fuel.end();
        }
    }

    // Poll loops

    private static @Nullable KernelNode back(KernelNode node, int steps) {
        KernelNode at = node;
        for (int i = 0; i < steps && at != null; i++) {
            at = at.position().before();
        }
        return at;
    }

    /// Whether a round ends at the node that gave the same as the one before it.
    private static boolean isRoundAgain(KernelNode end, int length) {
        KernelNode one = end;
        KernelNode other = back(end, length);
        for (int i = 0; i < length; i++) {
            KernelNode oneBefore = one.position().before();
            KernelNode otherBefore = other == null ? null : other.position().before();
            if (oneBefore == null
                    || otherBefore == null
                    || one.given() != Objects.requireNonNull(other).given()
                    || !oneBefore.action(0).equals(otherBefore.action(0))) {
                return false;
            }
            one = oneBefore;
            other = otherBefore;
        }
        return true;
    }

    /// Whether a load that comes next is one that was done a round ago, and would be done for ever
    /// if every round gave the same as the last.
    private boolean beginsRound(Position position, Next next) {
        if (next.actions().size() != 1 || !isLoad(next.actions().getFirst())) {
            return false;
        }
        KernelNode start = position.before();
        for (int length = 1; length <= LONGEST_ROUND && start != null; length++) {
            Action first = start.isEnded() ? null : start.action(0);
            if (first == null || !isHarmless(first)) {
                return false;
            }
            if (first.equals(next.actions().getFirst())
                    && goesOn(position.history(), length, next)) {
                return true;
            }
            start = start.position().before();
        }
        return false;
    }

    private boolean goesOn(long[] history, int length, Next next) {
        long[] longer = Arrays.copyOf(history, history.length + length * PROBES);
        for (int i = history.length; i < longer.length; i++) {
            longer[i] = longer[i - length];
        }
        for (int rounds : new int[] {1, 2, PROBES}) {
            long[] some = Arrays.copyOf(longer, history.length + length * rounds);
            if (!next(new Replay(some)).equals(next)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isLoad(Action action) {
        return action instanceof Action.Load
                || action instanceof Action.LoadWindow
                || action instanceof Action.Read;
    }

    /// Whether an action stores nothing.
    private static boolean isHarmless(Action action) {
        return isLoad(action)
                || action instanceof Action.Fence
                || action instanceof Action.MemoryWriteback
                || action instanceof Action.WindowWriteback
                || action instanceof Action.WindowReadInv;
    }
}
