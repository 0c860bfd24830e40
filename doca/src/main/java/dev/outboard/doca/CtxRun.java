package dev.outboard.doca;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a kind of context (DOCA Core, `doca_ctx`) does from its start until it is idle again, made
/// by [Ctx#open]: its data path, and whatever else has to progress. Called by its context only, by
/// one thread at a time.
public interface CtxRun {
    /// The context as its run sees it.
    interface Owner {
        /// The progress engine it is tied to.
        ///
        /// @throws DocaException with BAD_STATE if it is tied to none
        ProgressEngine engine();

        /// In which state it is.
        CtxState state();

        /// What is possible in one state only asks this first.
        ///
        /// @throws DocaException with BAD_STATE unless in state `needed`
        void requireState(CtxState needed, String action);

        /// Whether `task` can be submitted now.
        boolean accepts(Task task);

        /// What [Task#trySubmit] returns for a task that breaks `rule`.
        DocaError refuse(Task task, ValidationRule rule);

        /// `task` is submitted: DOCA owns it until [#end].
        void begin(Task task);

        /// Gives `task` back to the user and runs its callback.
        void end(Task task, DocaError status, @Nullable FailureCause cause);

        /// From STARTING to RUNNING.
        void becomeRunning();

        /// A fatal error: from RUNNING or STARTING to STOPPING.
        void fail(FailureCause cause);
    }

    /// Begins.
    ///
    /// @return RUNNING, or STARTING if something has to happen first
    CtxState begin();

    /// Does a bounded amount of work.
    ///
    /// @return how many callbacks it ran, and changes of state it made
    int poll(int max);

    /// From now on [ProgressEngine#wake], or the progress engine's completion channel, tells that
    /// [#poll] has work.
    ///
    /// @return whether it has work already
    boolean arm();

    /// How long the progress engine may sleep without looking at this context, which has to find
    /// out by itself whether there is work.
    default long lookAgainNanos() {
        return Long.MAX_VALUE;
    }

    /// Submits `tasks`, of which none is in flight, or none of them.
    ///
    /// @param strictly whether operands that cannot work are refused, as [Task#trySubmit] does
    /// @param flushing whether they go out now, with those that were held back before
    /// @return SUCCESS, or why none was submitted
    default DocaError submitAll(List<? extends Task> tasks, boolean strictly, boolean flushing) {
        throw new IllegalStateException(this + " makes no batches");
    }

    /// Pushes what it holds back.
    default void flush() {}

    /// Ends everything in flight, and takes nothing new; [#poll] delivers the completions.
    void shut();

    /// Whether, after [#shut], [#poll] has nothing more to deliver.
    boolean isShut();

    /// Releases what it has, also if it could not begin.
    void release();
}
