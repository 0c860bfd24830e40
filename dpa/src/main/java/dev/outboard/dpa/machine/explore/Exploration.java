package dev.outboard.dpa.machine.explore;

import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.Explored;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.run.ActorPlan;
import dev.outboard.dpa.machine.run.ActorPlan.ThreadPlan;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.model.Code;
import dev.outboard.dpa.model.Digest;
import dev.outboard.dpa.model.Execution;
import dev.outboard.dpa.model.MemoryState;
import dev.outboard.dpa.model.Steps;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Goes through all states that a process can come to.
public final class Exploration {
    private final ProcessState process;
    private final Profile profile;
    private final long mostStates;
    private final Function<RunResult, String> outcome;
    private final ExploreMemory memory;
    private final List<KernelTree> trees = new ArrayList<>();
    private final Set<Key> visited = new HashSet<>();
    private final Deque<Execution> open = new ArrayDeque<>();
    private final Set<String> outcomes = new TreeSet<>();
    private final Digest digest = new Digest();
    private final Digest scratch = new Digest();
    private long taken;

    /// The end that is looked at.
    private @Nullable MemoryState ended;

    private record Key(long high, long low) {}

    /// An exploration of what has been set up.
    ///
    /// @param outcome what to tell of a run that has ended like that
    public Exploration(
            ProcessState process, RunMode.Explore mode, Function<RunResult, String> outcome) {
        this.process = process;
        profile = mode.profile();
        mostStates = mode.mostStates();
        this.outcome = outcome;
        int threads = 0;
        for (ActorPlan plan : process.actors()) {
            if (plan instanceof ThreadPlan thread) {
                threads++;
                if (thread.attributes().kind() != ThreadAttributes.Kind.ONCE) {
                    throw new UnsupportedOperationException(
                            "EXPLORE runs each thread once: '%s' is a handler"
                                    .formatted(thread.name()));
                }
            }
        }
        if (threads > process.options().units().usable()) {
            throw new UnsupportedOperationException(
                    "EXPLORE gives each thread a unit: there are %d threads and %d units"
                            .formatted(threads, process.options().units().usable()));
        }
        for (ExternalRegion region : process.external().regions()) {
            if (region.kind() == ExternalKind.MMIO) {
                throw new UnsupportedOperationException(
                        "EXPLORE runs programs again and again, which device '%s' cannot"
                                .formatted(region.name()));
            }
        }
        memory = new ExploreMemory(process, threads);
    }

    /// All outcomes.
    public Explored run() {
        while (true) {
            try {
                explore();
                return new Explored(outcomes, visited.size(), taken);
            } catch (ExploreMemory.Grown again) {
                visited.clear();
                open.clear();
                outcomes.clear();
                taken = 0;
            }
        }
    }

    /// What the NIC sees in DPA memory, at the end that is looked at.
    public byte[] seenByNic(long address, int lengthBytes) {
        if (ended == null) {
            throw new IllegalStateException("No run has ended");
        }
        return memory.seenByNic(ended, address, lengthBytes);
    }

    private void explore() {
        MemoryState begin = memory.begin(profile);
        for (ActorPlan plan : process.actors().subList(trees.size(), process.actors().size())) {
            trees.add(new KernelTree(process, plan, memory));
        }
        memory.checkKnown();
        Code[] codes = trees.stream().map(KernelTree::root).toArray(Code[]::new);
        visit(Execution.reduced(begin, codes, everything()));
        Steps steps = new Steps();
        while (!open.isEmpty()) {
            Execution state = open.pop();
            state.steps(steps);
            int count = steps.size();
            for (int i = 0; i < count; i++) {
                Execution next = i == count - 1 ? state : state.copy();
                next.apply(steps.get(i));
                visit(next);
            }
            taken += count;
            if (visited.size() > mostStates) {
                throw new IllegalArgumentException(
                        "The program has more than %d states: make it smaller"
                                .formatted(mostStates));
            }
        }
    }

    /// What the NIC sees in the end may be asked for any granule.
    private static BitSet everything() {
        BitSet all = new BitSet();
        all.set(0, Short.MAX_VALUE);
        return all;
    }

    private void visit(Execution state) {
        memory.checkKnown();
        state.digest(digest.clear(), scratch);
        if (!visited.add(new Key(digest.high(), digest.low()))) {
            return;
        }
        if (fault(state)) {
            end(state, End.FAULT);
            return;
        }
        if (state.isFinal()) {
            end(state, End.DONE);
        } else if (state.isHang()) {
            end(state, End.STUCK);
        }
        memory.checkKnown();
        open.push(state);
    }

    private boolean fault(Execution state) {
        for (int i = 0; i < trees.size(); i++) {
            if (((KernelNode) state.code(i)).next().fault()) {
                return true;
            }
        }
        return false;
    }

    /// Makes everything as it is at the end of this run, and asks for its outcome.
    private void end(Execution state, End end) {
        List<String> left = new ArrayList<>();
        Optional<CrashReport> crash = Optional.empty();
        for (int i = 0; i < trees.size(); i++) {
            KernelNode node = (KernelNode) state.code(i);
            trees.get(i).replay(node);
            if (node.next().fault()) {
                crash = Optional.ofNullable(trees.get(i).crash());
            } else if (!node.isEnded() && !node.isOptional()) {
                left.add(trees.get(i).name());
            }
        }
        ended = state.memory();
        memory.writeBack(ended);
        List<String> stuck = end == End.STUCK ? left : List.of();
        outcomes.add(outcome.apply(new RunResult(end, crash, stuck, 0)));
    }
}
