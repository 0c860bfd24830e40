package dev.outboard.dpa.litmus;

import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;
import java.util.List;
import java.util.Optional;

/// A statement of an actor. Each carries its place in the text. Loads of fewer than 8 bytes give
/// unsigned values; stores take the low bytes of a value.
public sealed interface Statement {
    /// Where it stands.
    Place place();

    /// What every actor may do.
    sealed interface Control extends Statement {}

    /// What a DPA thread may do.
    sealed interface Device extends Statement {}

    /// What NIC and host may do.
    sealed interface Outside extends Statement {}

    /// `r=t+1`: no memory is touched.
    record Assign(Place place, String register, Expression value) implements Control {}

    /// `if t==1 {…} else {…}`.
    record If(Place place, Condition condition, List<Statement> then, List<Statement> otherwise)
            implements Control {}

    /// `repeat 3 {…}`.
    record Repeat(Place place, int rounds, List<Statement> body) implements Control {}

    /// `break`: leaves the innermost `repeat` or `spin` around it.
    record Break(Place place) implements Control {}

    /// `r=M[x]`, `r=W[x]`.
    record Load(Place place, String register, Access access) implements Device {}

    /// `M[x]=1`, `W[x]=r+1`.
    record Store(Place place, Access access, Expression value) implements Device {}

    /// `spin M[x]==1 {…}`: loads until the comparison holds; the statements follow each failed
    /// load.
    record Spin(
            Place place,
            Access access,
            Comparison comparison,
            Expression value,
            List<Statement> body)
            implements Device {}

    /// DPA-FEN-1: `fence(MEMORY,W,W)`.
    record Fence(Place place, Space space, Op predecessors, Op successors) implements Device {}

    /// `memory_writeback`, `window_writeback`, `read_inv`.
    record CacheOperation(Place place, Operation operation) implements Device {
        /// The cache operations.
        public enum Operation {
            /// DPA-CCH-3: shows stores to DPA memory to the NIC.
            MEMORY_WRITEBACK("memory_writeback"),
            /// DPA-CCH-2: performs window stores.
            WINDOW_WRITEBACK("window_writeback"),
            /// DPA-CCH-1: drops cached reads.
            WINDOW_READ_INV("read_inv");

            private final String word;

            Operation(String word) {
                this.word = word;
            }

            /// The word of the text form.
            public String word() {
                return word;
            }
        }
    }

    /// `DB(n@SXD)`, or `DB(n@SXD,q)` to name the queue that it is for. Whoever executes
    /// [OnDoorbell] sees it arrive.
    record Doorbell(Place place, String name, DoorbellRegister register, Optional<String> queue)
            implements Device {}

    /// DPA-OPM-8: `r=amoadd.aqrl(M[x],1)`: gives the former value.
    record Atomic(
            Place place,
            Optional<String> register,
            AtomicOp operation,
            AtomicOrder order,
            Access access,
            Expression operand)
            implements Device {}

    /// `r=lr.aq(M[x])`.
    record LoadReserved(Place place, String register, AtomicOrder order, Access access)
            implements Device {}

    /// `r=sc.rl(M[x],1)`: gives 0 if it stored, and 1 if not.
    record StoreConditional(
            Place place,
            Optional<String> register,
            AtomicOrder order,
            Access access,
            Expression value)
            implements Device {}

    /// DPA-FXS-2: `spin_lock(l)`: the lock is the first 4 bytes of the variable.
    record SpinLock(Place place, Access lock) implements Device {}

    /// `spin_unlock(l)`.
    record SpinUnlock(Place place, Access lock) implements Device {}

    /// `onDB(n)`: waits until the doorbell has arrived; the second time, until it has arrived
    /// twice.
    record OnDoorbell(Place place, String name) implements Outside {}

    /// `o=arrival order`: the names of all doorbells that have arrived so far, in their order.
    record ArrivalOrder(Place place, String register) implements Outside {}

    /// `wait X[x]==1`: waits until the actor reads such a value.
    record Await(Place place, Access access, Comparison comparison, Expression value)
            implements Outside {}

    /// `r=nicrd M[x]`, `r=nicrd X[x]`, `r=H[x]`.
    record Read(Place place, String register, Access access) implements Outside {}

    /// `nicwr M[x]=1`, or `nicwr{M[x]=1, M[y]=1} any order`; with `on q` posted to a queue: the
    /// actor goes on at once, and the operations of a queue are done one after the other.
    record NicWrite(Place place, List<Write> writes, WriteOrder order, Optional<String> queue)
            implements Outside {}

    /// One of the writes of a [NicWrite].
    record Write(Access access, Expression value) {}

    /// DPA-MEM-10: in which order the writes of one operation of the NIC appear.
    enum WriteOrder {
        /// As written: a strictly ordered region.
        STRICT("in order"),
        /// Any: a relaxed-ordering region.
        ANY("any order");

        private final String words;

        WriteOrder(String words) {
            this.words = words;
        }

        /// The words of the text form.
        public String words() {
            return words;
        }
    }

    /// `r=nicadd(M[x],1)`: gives the former value. Atomic among all operations of NIC and host.
    record NicFetchAdd(Place place, Optional<String> register, Access access, Expression addend)
            implements Outside {}

    /// `r=niccas(M[x],0,1)`: stores the second value where the first one is; gives the former.
    record NicCompareSwap(
            Place place,
            Optional<String> register,
            Access access,
            Expression compare,
            Expression swap)
            implements Outside {}

    /// `H[x]=1`.
    record HostWrite(Place place, Access access, Expression value) implements Outside {}

    /// `h2d M[x]=1`: the host copies into DPA memory.
    record HostCopy(Place place, Access access, Expression value) implements Outside {}
}
