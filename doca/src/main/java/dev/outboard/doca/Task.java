package dev.outboard.doca;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// An asynchronous operation of a [Ctx] (DOCA Core, `doca_task`).
///
/// A task belongs to the user until it is submitted, then to DOCA until its completion callback
/// starts; then it can be changed, submitted again, freed or kept, in the callback or later. While
/// DOCA owns it, setters, submit and free are refused with BAD_STATE, and once it is freed
/// everything is, but another free and the question what it was and whose. A context cannot become
/// idle before its tasks are freed.
///
/// Used by one thread at a time.
public abstract class Task {
    private enum Owner {
        USER,
        DOCA,
        NOBODY
    }

    private final Ctx ctx;
    private @Nullable TaskPool<?> pool;

    /// Runs when it completes, in place of the callback of its type.
    private @Nullable Consumer<Task> once;

    private Owner owner = Owner.USER;
    private @Nullable DocaError status;
    private @Nullable FailureCause cause;
    private @Nullable Object userData;
    private long userNumber;

    /// A task of `ctx`, owned by the user.
    protected Task(Ctx ctx) {
        this.ctx = ctx;
    }

    /// The context it belongs to.
    public Ctx ctx() {
        return ctx;
    }

    /// Hands the task to DOCA without looking at its operands: what is wrong with them is in its
    /// completion. On success exactly one callback follows, from [ProgressEngine#progress].
    ///
    /// DCORE-TASK-5, DCORE-TASK-6: bad operands fail later, and touch nothing.
    ///
    /// @return SUCCESS; BAD_STATE if DOCA owns it or the context is not running; FULL if the queue
    ///   has no room; NOT_CONNECTED if its connection is not established. The user still owns the
    ///   task then, and no callback follows
    /// @throws DocaException with BAD_STATE if the task was freed
    public abstract DocaError submit();

    /// Like [#submit()], whose flags are FLUSH only. `Set.of()` holds the task back, so that
    /// several go out together. Keep the set to allocate nothing.
    ///
    /// @return also INVALID_VALUE if `flags` is null
    public abstract DocaError submit(Set<SubmitFlag> flags);

    /// Like [#submit()], but refuses operands that cannot work: INVALID_VALUE, or NOT_PERMITTED if
    /// a permission is missing; [#failure] says which rule they break.
    public abstract DocaError trySubmit();

    /// Like [#trySubmit], for those who prefer an exception. One that a callback lets pass stops
    /// the context: else nobody would notice that what the callback was to go on with has ended.
    ///
    /// @throws DocaException with what [#trySubmit] would return, unless that is SUCCESS
    public final void submitOrThrow() {
        DocaError error = trySubmit();
        if (error != DocaError.SUCCESS) {
            throw refusal(error);
        }
    }

    private DocaException refusal(DocaError error) {
        String why = failure().map(Object::toString).orElseGet(() -> reason(error));
        return new DocaException(error, this + " cannot be submitted: " + why, this);
    }

    /// Why [#submit()] returned `error`, for people.
    protected String reason(DocaError error) {
        if (error != DocaError.BAD_STATE) {
            return error.description();
        }
        return ctx.state() == CtxState.RUNNING ? "it is in flight" : ctx + " is " + ctx.state();
    }

    /// Like [#trySubmit], but tells a future what came of it, in place of the callback. Meant for
    /// threads, virtual ones too, that wait while another one progresses, such as a
    /// [ProgressDriver]; the engine has to be SHARED then. What depends on the future runs like a
    /// callback, and must not wait. The slow path: each call allocates. Cancelling the future does
    /// not end the task.
    ///
    /// DJAVA-PE-3: a future, on the slow path.
    ///
    /// @return gives the task once it has succeeded; ends with a [DocaException] if the task was
    ///   refused, failed, or was flushed because its context stopped
    /// @throws DocaException with BAD_STATE if DOCA owns it, or it was freed
    public CompletableFuture<? extends Task> submitAsync() {
        return submitting(this);
    }

    /// [#submitAsync] of `task`, which is this, for its kind.
    protected final <T extends Task> CompletableFuture<T> submitting(T task) {
        requireUserOwned();
        CompletableFuture<T> outcome = new CompletableFuture<>();
        once = _ -> settle(outcome, task);
        DocaError refusal = trySubmit();
        if (refusal != DocaError.SUCCESS) {
            once = null;
            outcome.completeExceptionally(refusal(refusal));
        }
        return outcome;
    }

    private <T> void settle(CompletableFuture<T> outcome, T task) {
        if (status() == DocaError.SUCCESS) {
            outcome.complete(task);
        } else {
            outcome.completeExceptionally(failed());
        }
    }

    /// Gives the task back to its context; freeing it twice is harmless.
    ///
    /// DCORE-TASK-11, DFLT-36: not while DOCA owns it.
    ///
    /// @throws DocaException with BAD_STATE while DOCA owns it
    public final void free() {
        if (owner == Owner.NOBODY) {
            return;
        }
        requireUserOwned();
        freeParts();
        owner = Owner.NOBODY;
        ctx.freed(this);
    }

    /// Whether the user owns it, and has not freed it.
    boolean canBeFreed() {
        return owner == Owner.USER;
    }

    /// Frees the tasks it consists of.
    ///
    /// @throws DocaException with BAD_STATE if DOCA owns one; none is freed then
    void freeParts() {}

    /// Whether DOCA owns it: it was submitted, and its callback has not begun.
    ///
    /// @throws DocaException with BAD_STATE if it was freed
    public final boolean isInFlight() {
        requireNotFreed();
        return owner == Owner.DOCA;
    }

    /// How it ended last: SUCCESS or an error; IN_PROGRESS while DOCA owns it.
    ///
    /// DCORE-TASK-13: IN_PROGRESS until it has completed.
    ///
    /// @throws DocaException with BAD_STATE if it never completed, or was freed
    public final DocaError status() {
        requireNotFreed();
        if (owner == Owner.DOCA) {
            return DocaError.IN_PROGRESS;
        }
        if (status == null) {
            throw new DocaException(DocaError.BAD_STATE, this + " has never completed");
        }
        return status;
    }

    /// Progresses until it has completed, for a program that does nothing else meanwhile: spins for
    /// a moment, then sleeps until there is work.
    ///
    /// @throws DocaException with its status unless it succeeded, with TIME_OUT if `limit` passes
    ///   first, with AGAIN if the thread is interrupted, which stays set, or as
    ///   [ProgressEngine#progress()]
    public final void awaitSuccess(Duration limit) {
        DocaException.nonNull(limit, "limit");
        ctx.engine().progressOrSleepUntil(() -> !isInFlight(), limit);
        if (status() != DocaError.SUCCESS) {
            throw failed();
        }
    }

    private DocaException failed() {
        return new DocaException(status(), this + " failed: " + completion());
    }

    /// Why it failed last, or was refused by [#trySubmit]; empty if it was not.
    public final Optional<FailureCause> failure() {
        requireNotFreed();
        return Optional.ofNullable(cause);
    }

    /// [#status] and [#failure] in one.
    public final Completion completion() {
        DocaError ended = status();
        return switch (ended) {
            case SUCCESS -> new Completion.Success();
            case BAD_STATE -> new Completion.Flushed();
            default -> new Completion.Failed(ended, Objects.requireNonNull(cause));
        };
    }

    /// What the user attached.
    ///
    /// DCORE-TASK-18, DRDMA-COM-21: it comes back unchanged.
    public final @Nullable Object userData() {
        requireNotFreed();
        return userData;
    }

    /// What the user attached, which is a `type`; null if nothing is.
    ///
    /// @throws ClassCastException if it is something else
    public final <T> @Nullable T userDataAs(Class<T> type) {
        DocaException.nonNull(type, "type");
        return type.cast(userData());
    }

    /// Attaches anything; it comes back unchanged in the callback.
    public final void userData(@Nullable Object newUserData) {
        requireUserOwned();
        userData = newUserData;
    }

    /// The number that the user attached; 0 if none.
    public final long userNumber() {
        requireNotFreed();
        return userNumber;
    }

    /// Attaches a number without boxing it.
    ///
    /// DJAVA-RDMA-4: a number needs no box.
    public final void userNumber(long newUserNumber) {
        requireUserOwned();
        userNumber = newUserNumber;
    }

    // ---- the context's --------------------------------------------------------------------------

    void allocatedFrom(TaskPool<?> newPool) {
        pool = newPool;
    }

    /// Where it was allocated from.
    TaskPool<?> pool() {
        return Objects.requireNonNull(pool);
    }

    /// What runs now that it has completed.
    ///
    /// DCORE-TASK-7: exactly one, that for success only after a success.
    Consumer<Task> takeCallback() {
        Consumer<Task> told = once;
        if (told == null) {
            return pool().callback(status());
        }
        once = null;
        return told;
    }

    /// The context takes it; undone by [#ended].
    final void started() {
        owner = Owner.DOCA;
        cause = null;
    }

    /// The context gives it back, before it runs the callback.
    ///
    /// DCORE-TASK-9: the user's again before the callback begins.
    final void ended(DocaError newStatus, @Nullable FailureCause newCause) {
        owner = Owner.USER;
        status = newStatus;
        cause = newCause;
    }

    /// Runs `callback` when it completes next, in place of the callback of its type.
    final void completesWith(Consumer<Task> callback) {
        once = callback;
    }

    /// Nobody has refused it yet.
    final void forgetFailure() {
        cause = null;
    }

    /// What was wrong with `part` is what is wrong with it.
    final void failsLike(Task part) {
        cause = part.cause;
    }

    /// [#trySubmit] refuses it.
    final DocaError refused(ValidationRule rule) {
        cause = FailureCause.Validation.of(rule);
        return rule.error();
    }

    // ---- for the kinds of task ------------------------------------------------------------------

    /// Setters ask this first.
    ///
    /// DCORE-TASK-10: operands change only while the user owns the task.
    ///
    /// @throws DocaException with BAD_STATE if DOCA owns it, or it was freed
    protected final void requireUserOwned() {
        requireNotFreed();
        requireCompleted();
    }

    final boolean isCompleted() {
        return owner != Owner.DOCA;
    }

    final void requireCompleted() {
        if (!isCompleted()) {
            throw new DocaException(
                    DocaError.BAD_STATE, this + " is in flight; wait for its completion");
        }
    }

    /// Getters of results ask this first.
    ///
    /// DCORE-TASK-14: results are those of a success.
    ///
    /// @throws DocaException with BAD_STATE unless its last completion was a success
    protected final void requireSuccess() {
        if (status() != DocaError.SUCCESS) {
            throw new DocaException(
                    DocaError.BAD_STATE, this + " has no result: its status is " + status());
        }
    }

    /// Everything but [#free] asks this first.
    ///
    /// @throws DocaException with BAD_STATE if it was freed
    protected final void requireNotFreed() {
        if (owner == Owner.NOBODY) {
            throw new DocaException(DocaError.BAD_STATE, this + " was freed");
        }
    }

    @Override
    public String toString() {
        return getClass().getSimpleName();
    }
}
