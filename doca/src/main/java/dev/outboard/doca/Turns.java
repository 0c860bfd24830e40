package dev.outboard.doca;

import java.util.Arrays;

/// The contexts that a progress engine drives, and whose turn it is. Used by a thread that has
/// entered the engine.
final class Turns {
    /// What one context may deliver before the next has its turn.
    private static final int SHARE = 16;

    private Ctx[] contexts = {};

    /// The next turns are only for contexts that had work when [#arm] looked.
    private boolean isSelective;

    private int next;

    void add(Ctx ctx) {
        Ctx[] more = Arrays.copyOf(contexts, contexts.length + 1);
        more[contexts.length] = ctx;
        contexts = more;
    }

    void remove(Ctx ctx) {
        contexts = Arrays.stream(contexts).filter(c -> !c.equals(ctx)).toArray(Ctx[]::new);
    }

    /// In the order in which they came.
    Ctx[] contexts() {
        return contexts;
    }

    /// One turn for each.
    ///
    /// @return how many callbacks ran and changes of state were made
    int each() {
        int done = 0;
        Ctx[] all = contexts;
        for (Ctx ctx : all) {
            done += turn(ctx, SHARE);
        }
        return done;
    }

    /// Turns until nothing happens or `max` callbacks ran and changes of state were made.
    ///
    /// DCORE-PE-7: no context has more than its share before the next.
    ///
    /// @return how many
    int upTo(int max) {
        int done = 0;
        int idle = 0;
        while (done < max && idle < contexts.length) {
            next = (next + 1) % contexts.length;
            int more = turn(contexts[next], Math.min(SHARE, max - done));
            idle = more == 0 ? idle + 1 : 0;
            done += more;
        }
        return done;
    }

    private int turn(Ctx ctx, int max) {
        return isSelective && !ctx.hadWork ? 0 : ctx.progress(max);
    }

    /// The turns that [#arm] has chosen contexts for are over.
    void end() {
        isSelective = false;
    }

    /// From now on each tells of work.
    ///
    /// DCORE-PE-13: with SELECTIVE, the next turn is for contexts that have something.
    ///
    /// @param wasWoken by somebody, who does not say for which context
    /// @return whether there is some already
    boolean arm(boolean wasWoken, EventMode mode) {
        boolean isReady = wasWoken;
        for (Ctx ctx : contexts) {
            ctx.hadWork = ctx.arm();
            isReady |= ctx.hadWork;
        }
        isSelective = isReady && !wasWoken && mode == EventMode.SELECTIVE;
        return isReady;
    }

    /// When a context has to be looked at though nothing tells of work.
    long lookAgainNanos() {
        long soonest = Long.MAX_VALUE;
        for (Ctx ctx : contexts) {
            soonest = Math.min(soonest, ctx.lookAgainNanos());
        }
        return soonest;
    }

    /// DCORE-PE-9: over all contexts.
    int inFlightTasks() {
        return Arrays.stream(contexts).mapToInt(Ctx::inFlightTasks).sum();
    }

    void requireNone() {
        if (contexts.length > 0) {
            throw new DocaException(
                    DocaError.IN_USE,
                    "the progress engine still drives " + contexts[0] + "; close it first");
        }
    }

    boolean areStopped() {
        return Arrays.stream(contexts).allMatch(Ctx::isStopped);
    }
}
