package dev.outboard.ccip.host;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.CacheLookup;
import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Monitor;
import dev.outboard.ccip.fiu.Fiu;
import dev.outboard.ccip.fiu.HostMemory;
import dev.outboard.ccip.fiu.Interrupts;
import dev.outboard.ccip.fiu.Mmio;
import dev.outboard.ccip.fiu.Parameters;
import dev.outboard.ccip.fiu.PortErrors;
import dev.outboard.ccip.fiu.Umsgs;
import dev.outboard.ccip.platform.AfterError;
import dev.outboard.ccip.platform.MemoryModel;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.platform.ResponseFormat;
import dev.outboard.ccip.platform.Translation;
import dev.outboard.ccip.wire.PowerState;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/// One accelerator port with everything around it, clocked cycle by cycle: host memory, FIU, AFU
/// and the checker between them. A run is a function of platform, parameters, seed, AFU and what
/// the host does in which cycle: the same again gives the same trace, bit for bit.
///
/// It has no thread of its own: whoever calls [#step] clocks it. One thread at a time may use it.
public final class Simulation {
    /// How many requests the report of a stalled run names per channel.
    private static final int LISTED_REQUESTS = 8;

    private final Fiu fiu;
    private final Checker checker;
    private final HostMemory memory;
    private final Mmio mmio;
    private final @Nullable Umsgs umsgs;
    private final Interrupts interrupts;
    private final PortErrors errors = new PortErrors();
    private final Watchdog watchdog;
    private final Profile profile;
    private final List<Monitor> monitors = new ArrayList<>();
    private Monitor[] clocked = {};
    private Afu afu;

    private @Nullable String hostWaitsFor;
    private long cycle;
    private Tx tx = new Tx();
    private Tx nextTx = new Tx();
    private Rx rx = new Rx();
    private Rx nextRx = new Rx();
    private Answers answers = new Answers();
    private Answers nextAnswers = new Answers();

    /// CCIP-MOD-5, CCIP-MOD-10: all chance has one seed, all state one owner.
    ///
    /// CCIP-MOD-9: the checker watches every run.
    private Simulation(Builder builder) {
        profile = builder.profile;
        checker = new Checker(profile, builder.policy);
        memory = new HostMemory(builder.seed, builder.translation);
        boolean shuffles = builder.mode == Mode.ADVERSARIAL;
        mmio = new Mmio(profile, builder.seed, shuffles, checker);
        umsgs = profile.umsgs() ? new Umsgs(builder.seed, shuffles) : null;
        interrupts = new Interrupts(checker);
        Parameters parameters =
                new Parameters(
                        profile,
                        builder.mode,
                        builder.model,
                        builder.seed,
                        builder.format,
                        builder.afterError,
                        builder.answersFaults);
        fiu = new Fiu(parameters, memory, checker, mmio, umsgs, interrupts);
        checker.onPortError(report -> {
            errors.record(report);
            fiu.protocolError();
        });
        fiu.onLookup(this::lookup);
        afu = builder.afu;
        rx.softReset = true;
        monitor(checker);
        watchdog = new Watchdog(checker, this::outstanding);
        monitor(watchdog);
    }

    /// Begins to describe a simulation of this platform with this AFU: TIMED, seed 1, and after a
    /// protocol error [ErrorPolicy#byDefault].
    public static Builder of(Profile profile, Afu afu) {
        return new Builder(profile, afu);
    }

    /// Lets something look at the wires from now on. It comes before those that were there, so that
    /// it also sees the cycle in which the checker ends the run.
    public void monitor(Monitor monitor) {
        monitors.addFirst(monitor);
        clocked = monitors.toArray(Monitor[]::new);
    }

    /// What watches the port.
    public Checker checker() {
        return checker;
    }

    /// The platform.
    public Profile profile() {
        return profile;
    }

    HostMemory memory() {
        return memory;
    }

    Mmio mmio() {
        return mmio;
    }

    Interrupts interrupts() {
        return interrupts;
    }

    Umsgs requireUmsgs() {
        return Objects.requireNonNull(umsgs);
    }

    PortErrors errors() {
        return errors;
    }

    Watchdog watchdog() {
        return watchdog;
    }

    /// Whether nothing is in flight between AFU and memory. A write may be answered before the
    /// processor sees it.
    public boolean isIdle() {
        return fiu.isIdle();
    }

    /// How many rising edges of pClk there have been.
    public long cycle() {
        return cycle;
    }

    /// Lets this many cycles pass.
    ///
    /// CCIP-MOD-7: a run needs no thread of the host.
    public void step(long cycles) {
        long end = cycle + cycles;
        while (cycle < end) {
            long next = nextCycle(end);
            if (next > cycle) {
                quietEdges(next - cycle);
            } else {
                edge();
            }
        }
    }

    /// Lets cycles pass until the condition holds, which is asked after each.
    ///
    /// @return whether it held within `limit` cycles
    public boolean stepUntil(BooleanSupplier condition, long limit) {
        long end = cycle + limit;
        while (!condition.getAsBoolean()) {
            if (cycle == end) {
                return false;
            }
            step(1);
        }
        return true;
    }

    /// Lets cycles pass until the host has what it waits for, which counts as outstanding.
    ///
    /// @return whether it has it; not if `limit` cycles have passed or nothing moves any more
    boolean stepUntilDone(String what, BooleanSupplier done, long limit) {
        hostWaitsFor = what + " since cycle " + cycle;
        watchdog.restart(cycle);
        try {
            stepUntil(() -> done.getAsBoolean() || watchdog.isStalled(), limit);
            return done.getAsBoolean();
        } finally {
            hostWaitsFor = null;
        }
    }

    /// Whether nobody would do anything in so many cycles.
    boolean isQuiet(long cycles) {
        return afu.quietCycles() >= cycles && nextCycle(cycle + cycles) == cycle + cycles;
    }

    /// Ends the run after so many cycles in which something is outstanding and nothing moves at the
    /// port (`RUN_STALLED`); 2 million unless set.
    public void stallAfter(long cycles) {
        watchdog.limit(cycles);
    }

    private List<String> outstanding() {
        List<String> waiting = new ArrayList<>(checker.outstanding(LISTED_REQUESTS));
        if (!fiu.isIdle() && waiting.isEmpty()) {
            waiting.add("lines on their way to memory");
        }
        if (hostWaitsFor != null) {
            waiting.add("host: " + hostWaitsFor);
        }
        return waiting;
    }

    /// Holds the AFU in reset from the next edge on. What is in flight is forgotten.
    public void reset() {
        fiu.reset();
    }

    /// Puts another AFU behind the port and holds it in reset. All else stays (CCI-P manual 1.2.1).
    ///
    /// CCIP-MOD-12a: the port is quiet before the other comes, which sees nothing of what was on
    /// the wires for the one before.
    ///
    /// CCIP-PLT-3, CCIP-MOD-12c: the AFU is replaced, all beside it stays.
    public void swap(Afu other) {
        afu = other;
        fiu.reset();
        rx.idle();
        rx.softReset = true;
    }

    /// Raises the almost-full wire of Tx C0 or Tx C1 in these cycles besides those in which it
    /// rises by itself: some AFUs are wrong in one cycle only, and some look at the wire of the
    /// other channel.
    ///
    /// CCIP-FLW-12: by channel.
    public void raiseAlmostFull(Channel channel, LongPredicate cycles) {
        fiu.raiseAlmostFull(channel, cycles);
    }

    /// Asks the AFU to keep to this power.
    public void power(PowerState state) {
        fiu.power(state);
    }

    /// Clears the port error register. The port serves again after a reset.
    public void clearErrors() {
        errors.clear();
        fiu.clearError();
    }

    /// A rising edge of pClk: everybody sees what the wires carried before it, and drives what they
    /// carry after it.
    ///
    /// CCIP-MOD-2, CCIP-MOD-4, CCIP-CLK-1: nobody sees in an edge what another drives in it.
    private void edge() {
        for (Monitor monitor : clocked) {
            monitor.clock(cycle, tx, rx, answers);
        }
        fiu.clock(cycle, tx, nextRx, nextAnswers);
        nextTx.idle();
        afu.clock(rx, nextTx);
        cycle++;
        swap();
    }

    private void lookup(CacheLookup lookup) {
        for (Monitor monitor : clocked) {
            monitor.lookup(cycle, lookup);
        }
    }

    private void swap() {
        Tx oldTx = tx;
        tx = nextTx;
        nextTx = oldTx;
        Rx oldRx = rx;
        rx = nextRx;
        nextRx = oldRx;
        Answers oldAnswers = answers;
        answers = nextAnswers;
        nextAnswers = oldAnswers;
    }

    /// Edges at which neither FIU nor monitors have anything to do: up to so many, or until the AFU
    /// drives something.
    private void quietEdges(long most) {
        nextTx.idle();
        cycle += afu.clockQuiet(rx, nextTx, most);
        Tx oldTx = tx;
        tx = nextTx;
        nextTx = oldTx;
    }

    /// The first cycle from now on, up to `end`, in which FIU or monitors have something to do
    /// unless the AFU drives something before it.
    private long nextCycle(long end) {
        if (tx.c0.valid || tx.c1.valid || tx.c2.mmioRdValid) {
            return cycle;
        }
        long next = Math.min(end, fiu.nextCycle(cycle));
        for (int i = 0; i < clocked.length && next > cycle; i++) {
            next = Math.min(next, clocked[i].nextCycle(cycle - 1));
        }
        return next;
    }

    /// What a simulation is made of.
    public static final class Builder {
        private final Profile profile;
        private final Afu afu;
        private Mode mode = Mode.TIMED;
        private MemoryModel model = MemoryModel.MANUAL;
        private long seed = 1;
        private ErrorPolicy policy = ErrorPolicy.byDefault();
        private ResponseFormat format = ResponseFormat.BY_CHANNEL;
        private AfterError afterError = AfterError.COMPLETE;
        private boolean answersFaults;
        private Translation translation = Translation.IOMMU;

        private Builder(Profile profile, Afu afu) {
            this.profile = profile;
            this.afu = afu;
        }

        /// In which order things happen.
        public Builder mode(Mode mode) {
            this.mode = mode;
            return this;
        }

        /// How much order memory traffic has.
        public Builder memoryModel(MemoryModel model) {
            this.model = model;
            return this;
        }

        /// What all chance of the run comes from.
        public Builder seed(long seed) {
            this.seed = seed;
            return this;
        }

        /// What follows a protocol error of the AFU.
        public Builder policy(ErrorPolicy policy) {
            this.policy = policy;
            return this;
        }

        /// How writes are answered.
        public Builder format(ResponseFormat format) {
            this.format = format;
            return this;
        }

        /// What becomes of outstanding requests after a protocol error under
        /// [ErrorPolicy#HARDWARE].
        public Builder afterError(AfterError afterError) {
            this.afterError = afterError;
            return this;
        }

        /// Answers requests that lead to no memory all the same, reads with garbage.
        public Builder answersFaults() {
            answersFaults = true;
            return this;
        }

        /// How addresses lead to memory.
        public Builder translation(Translation translation) {
            this.translation = translation;
            return this;
        }

        /// The simulation, in cycle 0, with the AFU in reset.
        public Simulation build() {
            return new Simulation(this);
        }
    }
}
