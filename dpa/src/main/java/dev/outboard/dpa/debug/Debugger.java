package dev.outboard.dpa.debug;

import dev.outboard.dpa.debug.Stop.Reason;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.MemoryOperation;
import dev.outboard.dpa.rv.Probe;
import dev.outboard.dpa.rv.RvCode;
import dev.outboard.dpa.rv.RvHart;
import dev.outboard.dpa.rv.ThreadMemory;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// DPA-RV-7: stops a program in RV64 code where its [Operator] wants it to, and shows and changes
/// what it has then. It follows a bare program, or the kernels of a process whose threads run in
/// turns; while one of them stands still, so do all.
///
/// ```java
/// Debugger debugger = new Debugger(new ProgramView(program), operator);
/// debugger.breakAt("main.c", 12);
/// BareRun run = BareRun.of(program);
/// run.follow(debugger);
/// run.run(BareRun.DEFAULT_LIMIT);
/// ```
///
/// What is watched are loads and stores of threads; what the NIC or the host writes stops nobody.
/// Threads are known by their numbers, from 0. It belongs to the thread that runs the program, and
/// to its owner before and after that.
public final class Debugger implements Probe {
    /// How many breakpoints there may be.
    public static final int MOST_BREAKPOINTS = 4096;

    /// How much can be watched.
    public static final int MOST_WATCHES = 64;

    /// How many instructions run before the operator is asked whether to stop.
    public static final int INSTRUCTIONS_BETWEEN_LOOKS = 1024;

    private static final int NOBODY = -1;

    /// Is told of each instruction before it runs.
    @FunctionalInterface
    public interface Trace {
        /// A trace of nothing.
        Trace NONE = (_, _) -> {};

        /// A thread is about to run the instruction at an address.
        void instruction(int thread, long pc);
    }

    /// A thread that runs code.
    private static final class Followed {
        private final RvHart hart;
        private final DpaThread thread;
        private long pc;
        private @Nullable Stop watched;

        Followed(RvHart hart, DpaThread thread) {
            this.hart = hart;
            this.thread = thread;
        }
    }

    private final ProgramView view;
    private final Operator operator;
    private final Set<Long> breakpoints = new HashSet<>();
    private final Set<Watchpoint> watches = new LinkedHashSet<>();
    private final SortedMap<Integer, Followed> threads = new TreeMap<>();
    private Trace trace = Trace.NONE;
    private boolean isStarted;
    private int stepping = NOBODY;
    private int looked;
    private @Nullable Followed stopped;

    /// Without breakpoints.
    public Debugger(ProgramView view, Operator operator) {
        this.view = view;
        this.operator = operator;
    }

    /// What it shows.
    public ProgramView view() {
        return view;
    }

    /// Tells somebody of each instruction.
    public void trace(Trace trace) {
        this.trace = trace;
    }

    // Breakpoints

    /// Sets a breakpoint at an instruction.
    ///
    /// @return false if no code is there, or there are too many
    public boolean breakAt(long address) {
        if (!isCode(address) || breakpoints.size() == MOST_BREAKPOINTS) {
            return false;
        }
        breakpoints.add(address);
        return true;
    }

    /// Sets breakpoints wherever code of a line begins.
    ///
    /// @param file its name, as far to the left as is needed to tell it from others
    /// @return false if the line has no code, or there are too many
    public boolean breakAt(String file, int line) {
        List<Long> addresses = view.addresses(file, line);
        return !addresses.isEmpty() && addresses.stream().allMatch(this::breakAt);
    }

    /// Removes a breakpoint.
    public void clear(long address) {
        breakpoints.remove(address);
    }

    /// Watches memory.
    ///
    /// @return false if there is too much
    public boolean watch(Watchpoint watch) {
        if (watches.size() == MOST_WATCHES) {
            return false;
        }
        watches.add(watch);
        return true;
    }

    /// Watches it no longer.
    public void clear(Watchpoint watch) {
        watches.remove(watch);
    }

    /// Removes all breakpoints, and watches nothing.
    public void clear() {
        breakpoints.clear();
        watches.clear();
    }

    // What the program has

    /// The numbers of the threads that run code, in ascending order.
    public List<Integer> threads() {
        return List.copyOf(threads.keySet());
    }

    /// Whether a thread runs code.
    public boolean has(int thread) {
        return threads.containsKey(thread);
    }

    /// What a register of a thread holds.
    ///
    /// @param number 0 to 31
    public long register(int thread, int number) {
        return followed(thread).hart.register(number);
    }

    /// Sets a register of a thread.
    ///
    /// @param number 0 to 31; register 0 stays 0
    public void register(int thread, int number, long value) {
        if (number != 0) {
            followed(thread).hart.register(number, value);
        }
    }

    /// The address of the instruction that a thread runs, or is about to run.
    public long pc(int thread) {
        return followed(thread).pc;
    }

    /// Leads the thread that has stopped elsewhere.
    ///
    /// @return false if it is another one, or no code is there
    public boolean pc(int thread, long address) {
        Followed moved = followed(thread);
        if (!isCode(address) || !moved.equals(stopped)) {
            return false;
        }
        moved.pc = address;
        return true;
    }

    /// Reads memory as a thread would, as far as it may load it.
    public byte[] read(int thread, long address, int lengthBytes) {
        return ThreadMemory.read(followed(thread).thread, address, lengthBytes);
    }

    /// Writes memory as a thread would, as far as it may store to it.
    ///
    /// @return whether that was all of it
    public boolean write(int thread, long address, byte[] bytes) {
        return ThreadMemory.write(followed(thread).thread, address, bytes);
    }

    private Followed followed(int thread) {
        Followed followed = threads.get(thread);
        if (followed == null) {
            throw new IllegalArgumentException("Thread %d runs no code".formatted(thread));
        }
        return followed;
    }

    private boolean isCode(long address) {
        return view.code().contains(address) && (address & 1) == 0;
    }

    // While it runs

    @Override
    public long before(RvHart hart, DpaThread thread, long pc) {
        int number = thread.number();
        Followed followed = threads.get(number);
        if (followed == null || !followed.hart.equals(hart)) {
            followed = new Followed(hart, thread);
            threads.put(number, followed);
        }
        followed.pc = pc;
        Stop stop = reason(followed, number);
        followed.watched = null;
        if (stop != null && stop(followed, stop).kind() == Resume.Kind.END) {
            thread.finishProcess();
        }
        trace.instruction(number, followed.pc);
        if (!watches.isEmpty()) {
            followed.watched = watched(followed, number);
        }
        return followed.pc;
    }

    private @Nullable Stop reason(Followed followed, int number) {
        if (!isStarted) {
            isStarted = true;
            return plain(Reason.START, followed, number);
        }
        if (followed.watched != null) {
            Stop reached = followed.watched;
            return new Stop(
                    reached.reason(), number, followed.pc, reached.address(), Optional.empty());
        }
        if (breakpoints.contains(followed.pc)) {
            return plain(Reason.BREAKPOINT, followed, number);
        }
        if (stepping == number) {
            return plain(Reason.STEP, followed, number);
        }
        if (++looked % INSTRUCTIONS_BETWEEN_LOOKS == 0 && operator.interrupts()) {
            return plain(Reason.INTERRUPT, followed, number);
        }
        return null;
    }

    private static Stop plain(Reason reason, Followed followed, int number) {
        return new Stop(reason, number, followed.pc, 0, Optional.empty());
    }

    private Resume stop(Followed followed, Stop stop) {
        stopped = followed;
        Resume resume = operator.stopped(stop);
        stopped = null;
        stepping = resume.kind() == Resume.Kind.STEP ? resume.thread() : NOBODY;
        return resume;
    }

    /// What the next instruction reaches of what is watched: it is told when it has run.
    private @Nullable Stop watched(Followed followed, int number) {
        RvCode code = view.code();
        if (!code.contains(followed.pc)) {
            return null;
        }
        Optional<MemoryOperation> reached = code.reached(followed.pc, followed.hart::register);
        if (reached.isEmpty()) {
            return null;
        }
        long from = reached.get().address();
        for (Watchpoint watch : watches) {
            if (watch.sees(reached.get())) {
                long address = Math.max(from, watch.address());
                return new Stop(
                        watch.on().reason(), number, followed.pc, address, Optional.empty());
            }
        }
        return null;
    }

    @Override
    public void faulted(RvHart hart, DpaThread thread, long pc, Fault fault) {
        Followed followed = threads.get(thread.number());
        if (followed != null && followed.hart.equals(hart)) {
            followed.pc = pc;
            stop(followed, new Stop(Reason.FAULT, thread.number(), pc, 0, Optional.of(fault)));
        }
    }

    @Override
    public void ended(DpaThread thread) {
        threads.remove(thread.number());
    }
}
