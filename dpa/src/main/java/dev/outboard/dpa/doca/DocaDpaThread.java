package dev.outboard.dpa.doca;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.dpa.doca.dev.ThreadContext;
import dev.outboard.dpa.flexio.FlexioEventHandler;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.machine.Affinity;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.ThreadStatus.State;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaFunction;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// DPA-TH-1: a thread of the DPA that is there for long: DOCA's `doca_dpa_thread`. It runs a
/// function of the program each time that a [completion context][DocaDpaCompletion] or a
/// [notification][DocaDpaNotification] activates it.
///
/// ```java
/// DocaDpaThread echo = DocaDpaThread.create(dpa).function(EchoStub.echo, context.value()).start();
/// DocaDpaCompletion arrived = DocaDpaCompletion.create(dpa, 64).thread(echo).start();
/// echo.run();
/// ```
///
/// Any thread of the host may use it. Stop what activates it first.
public final class DocaDpaThread implements AutoCloseable {
    /// How long it is waited for an activation to end, before what it may use goes.
    private static final long LAST_ACTIVATION_NANOS = 1_000_000_000L;

    private static final Duration BETWEEN_LOOKS = Duration.ofNanos(100_000);
    private static final long LOOK_NANOS = 10_000;

    private final Lifecycle lifecycle;
    private @Nullable DpaFunction<DpaThread> function;
    private long argument;
    private DpaAddr localStorage = new DpaAddr(0);
    private Affinity affinity = Affinity.ANY;

    /// Where it is while it is started.
    private @Nullable Made made;

    /// Where it is in a group, if it is in one.
    private @Nullable Place place;

    private boolean runs;

    private record Made(FlexioProcess process, DpaAddr context, FlexioEventHandler handler) {
        /// @param own its place, if it is in a group
        void begin(long argument, @Nullable Place own) {
            ByteBuffer words = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            words.putLong(ThreadContext.RANK, own == null ? 0 : own.rank);
            words.putLong(ThreadContext.THREADS, own == null ? 1 : own.group.size());
            process.heap().copyIn(context, words.array());
            handler.run(argument);
        }

        boolean isActive() {
            int number = handler.number();
            if (number == FlexioEventHandler.NO_NUMBER || !process.errorState().isRunning()) {
                return false;
            }
            State state = process.status().threads().get(number).status().state();
            return state == State.RUNNING || state == State.WAITING;
        }
    }

    private record Place(DocaDpaThreadGroup group, int rank) {}

    private DocaDpaThread(DocaDpa dpa) {
        lifecycle = new Lifecycle(dpa, "DPA thread");
    }

    /// `doca_dpa_thread_create`: a thread without a function.
    public static DocaDpaThread create(DocaDpa dpa) {
        return new DocaDpaThread(dpa);
    }

    /// `doca_dpa_thread_set_func_arg`: chooses what it runs.
    ///
    /// @param code marked `@DpaGlobal`, with one argument of 64 bits or none beside its thread
    /// @param value that argument
    /// @return this
    /// @throws DocaException with BAD_STATE if it is started or closed
    public DocaDpaThread function(DpaFunction<DpaThread> code, long value) {
        DocaException.nonNull(code, "code");
        synchronized (lifecycle) {
            lifecycle.requireIdle();
            function = code;
            argument = value;
        }
        return this;
    }

    /// `doca_dpa_thread_set_local_storage`: memory for what it keeps between activations, which
    /// device code can ask for.
    ///
    /// @return this
    /// @throws DocaException as [#function]
    public DocaDpaThread localStorage(DpaAddr memory) {
        DocaException.nonNull(memory, "memory");
        synchronized (lifecycle) {
            lifecycle.requireIdle();
            localStorage = memory;
        }
        return this;
    }

    /// `doca_dpa_thread_set_affinity`: on which execution units it runs; without this on any.
    ///
    /// @return this
    /// @throws DocaException as [#function]
    public DocaDpaThread affinity(Affinity units) {
        DocaException.nonNull(units, "units");
        synchronized (lifecycle) {
            lifecycle.requireIdle();
            affinity = units;
        }
        return this;
    }

    /// `doca_dpa_thread_start`: makes it on the DPA. Nothing activates it before [#run].
    ///
    /// @return this
    /// @throws DocaException with BAD_STATE if it has no function, is started or closed, or its
    ///   context is not started; with INVALID_VALUE if the function is none for it, or there are no
    ///   such units; with NO_MEMORY
    public DocaDpaThread start() {
        lifecycle.start(this::make);
        return this;
    }

    private void make(Holdings holdings) {
        DpaFunction<DpaThread> code = function;
        if (code == null) {
            throw lifecycle.refuse(DocaError.BAD_STATE, "has no function");
        }
        DpaAddr context =
                holdings.loaded
                        .functions()
                        .equip(holdings, ThreadContext.DPA_THREAD, localStorage)
                        .context();
        FlexioEventHandler handler =
                FlexioEventHandler.create(
                        holdings.loaded.process(),
                        code,
                        new FlexioEventHandler.Attributes(context, affinity, false),
                        ThreadContext::begin);
        made = new Made(holdings.loaded.process(), context, holdings.keep(handler));
    }

    /// `doca_dpa_thread_run`: from now on it is activated. What has come since it was started
    /// activates it at once.
    ///
    /// @throws DocaException with BAD_STATE if it is not started, runs already, or is in a group
    ///   that is not started
    public void run() {
        synchronized (lifecycle) {
            Made current = made();
            if (runs) {
                throw lifecycle.refuse(DocaError.BAD_STATE, "runs already");
            }
            Place own = place;
            if (own != null && !own.group.isStarted()) {
                throw lifecycle.refuse(DocaError.BAD_STATE, "is in a group that is not started");
            }
            DocaErrors.of(() -> current.begin(argument, own));
            runs = true;
        }
    }

    private Made made() {
        lifecycle.requireStarted();
        return Objects.requireNonNull(made, "made");
    }

    /// `doca_dpa_thread_stop`: ends it, at its next operation if it runs. Does nothing if it is not
    /// started.
    ///
    /// @throws DocaException with IN_USE if completion contexts or notifications activate it;
    ///   nothing has changed
    public void stop() {
        synchronized (lifecycle) {
            if (lifecycle.stop()) {
                made = null;
                runs = false;
            }
        }
    }

    /// `doca_dpa_thread_destroy`: stops it, and gives it up. Closing twice is harmless.
    ///
    /// @throws DocaException as [#stop], and with IN_USE if it is in a group
    @Override
    public void close() {
        synchronized (lifecycle) {
            if (place != null) {
                throw lifecycle.refuse(DocaError.IN_USE, "is in a group of threads");
            }
            stop();
            lifecycle.close();
        }
    }

    /// Something activates it from now on, of whatever function of the card: threads are on all of
    /// them.
    FlexioEventHandler attach(DocaDpa user) {
        synchronized (lifecycle) {
            DocaDpa own = lifecycle.context();
            lifecycle.use(user.base().equals(own.base()) ? own : user);
            return made().handler;
        }
    }

    /// Something activates it no more.
    void detach() {
        lifecycle.release();
    }

    /// Waits until it has ended what it was activated for, since it may use what is about to go,
    /// though not for long.
    void settle() {
        Made current;
        synchronized (lifecycle) {
            current = made();
        }
        long deadline = System.nanoTime() + LAST_ACTIVATION_NANOS;
        while (current.isActive() && System.nanoTime() - deadline < 0) {
            if (current.process.goOn(BETWEEN_LOOKS)) {
                LockSupport.parkNanos(this, LOOK_NANOS);
            }
        }
    }

    /// It has a rank in a group from now on.
    ///
    /// @throws DocaException with BAD_STATE if it runs, with INVALID_VALUE if it is in a group or
    ///   of another context
    void join(DocaDpaThreadGroup group, DocaDpa context, int rank) {
        lifecycle.requireContext(context);
        synchronized (lifecycle) {
            if (runs) {
                throw lifecycle.refuse(DocaError.BAD_STATE, "runs already");
            }
            if (place != null) {
                throw lifecycle.refuse(DocaError.INVALID_VALUE, "is in a group already");
            }
            place = new Place(group, rank);
        }
    }

    /// Its group is given up.
    void leave() {
        synchronized (lifecycle) {
            place = null;
        }
    }
}
