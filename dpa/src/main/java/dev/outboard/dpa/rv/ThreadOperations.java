package dev.outboard.dpa.rv;

import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;

/// Instructions that are operations of the thread beyond plain loads and stores: atomics, fences,
/// and those that only a DPA has. They count themselves.
final class ThreadOperations {
    private static final int CYCLE = 0xc00;
    private static final int TIME = 0xc01;
    private static final int RETIRED = 0xc02;

    // Who a fence orders, four bits before it and four bits after it.
    private static final int READS = 0b1010;
    private static final int WRITES = 0b0101;
    private static final int OF_MEMORY = 0b0011;
    private static final int OF_MMIO = 0b1100;
    private static final int SIDE = 0xf;
    private static final int FENCED_BITS = 4;

    private static final AtomicOrder[] ORDERS = {
        AtomicOrder.RELAXED, AtomicOrder.RELEASE, AtomicOrder.ACQUIRE, AtomicOrder.ACQUIRE_RELEASE
    };
    private static final Op[] OPS = {Op.R, Op.R, Op.W, Op.RW};

    private ThreadOperations() {}

    /// Whether it is one of them.
    static boolean contains(long instruction) {
        int operation = Decoded.operation(instruction);
        return (operation >= Operation.LR_W && operation <= Operation.AMOMAXU_D)
                || (operation >= Operation.DPA_HEAP_FENCE && operation <= Operation.DPA_FXP_POW2)
                || (operation == Operation.FENCE && orders(Decoded.immediate(instruction)));
    }

    /// Executes one.
    ///
    /// @param a what its first register holds
    /// @param b what its second register holds
    /// @return what its result register gets, if it has one
    static long execute(DpaThread thread, long instruction, long a, long b) {
        int immediate = Decoded.immediate(instruction);
        switch (Decoded.operation(instruction)) {
            case Operation.LR_W -> {
                return thread.loadReserved32(a, ORDERS[immediate]);
            }
            case Operation.SC_W -> {
                return Arithmetic.bit(!thread.storeConditional32(a, (int) b, ORDERS[immediate]));
            }
            case Operation.LR_D -> {
                return thread.loadReserved64(a, ORDERS[immediate]);
            }
            case Operation.SC_D -> {
                return Arithmetic.bit(!thread.storeConditional64(a, b, ORDERS[immediate]));
            }
            case Operation.DPA_FXP_LOG2 -> {
                return thread.fxpLog2((int) a);
            }
            case Operation.DPA_FXP_RCP -> {
                return thread.fxpRcp((int) a);
            }
            case Operation.DPA_FXP_POW2 -> {
                return thread.fxpPow2((int) a);
            }
            case Operation.FENCE -> fence(thread, immediate);
            case Operation.DPA_HEAP_FENCE ->
                    thread.fence(Space.HEAP, OPS[immediate >> 2], OPS[immediate & 3]);
            case Operation.DPA_MEMORY_WRITEBACK -> thread.memoryWriteback();
            case Operation.DPA_WINDOW_WRITEBACK -> thread.windowWriteback();
            case Operation.DPA_WINDOW_READ_INV -> thread.windowReadInv();
            default -> {
                return atomic(thread, instruction, a, b);
            }
        }
        return 0;
    }

    private static long atomic(DpaThread thread, long instruction, long a, long b) {
        AtomicOrder order = ORDERS[Decoded.immediate(instruction)];
        int operation = Decoded.operation(instruction);
        return operation <= Operation.AMOMAXU_W
                ? thread.atomic32(op(operation - Operation.AMOSWAP_W), a, (int) b, order)
                : thread.atomic64(op(operation - Operation.AMOSWAP_D), a, b, order);
    }

    /// In the order of the operations.
    private static AtomicOp op(int index) {
        return switch (index) {
            case 0 -> AtomicOp.SWAP;
            case 1 -> AtomicOp.ADD;
            case 2 -> AtomicOp.XOR;
            case 3 -> AtomicOp.AND;
            case 4 -> AtomicOp.OR;
            case 5 -> AtomicOp.MIN;
            case 6 -> AtomicOp.MAX;
            case 7 -> AtomicOp.MINU;
            default -> AtomicOp.MAXU;
        };
    }

    /// Whether a fence orders anything.
    private static boolean orders(int immediate) {
        return ((immediate >> FENCED_BITS) & SIDE) != 0 && (immediate & SIDE) != 0;
    }

    /// DPA-FEN-9: the bits r and w of a fence mean MEMORY, i and o MMIO; a fence that has some of
    /// both orders SYSTEM, since no smaller space contains both.
    private static void fence(DpaThread thread, int immediate) {
        int before = immediate >> FENCED_BITS;
        int all = before | immediate;
        Space space =
                (all & OF_MMIO) == 0
                        ? Space.MEMORY
                        : (all & OF_MEMORY) == 0 ? Space.MMIO : Space.SYSTEM;
        thread.fence(space, op(before, READS, WRITES), op(immediate, READS, WRITES));
    }

    private static Op op(int fenced, int reads, int writes) {
        boolean r = (fenced & reads) != 0;
        boolean w = (fenced & writes) != 0;
        return r && w ? Op.RW : w ? Op.W : Op.R;
    }

    /// Whether it reads a counter that there is.
    static boolean isCounter(long instruction) {
        int number = Decoded.immediate(instruction);
        return number >= CYCLE && number <= RETIRED;
    }

    /// DPA-INT-6: reads a counter that [there is][#isCounter].
    static long counter(DpaThread thread, int number) {
        return switch (number) {
            case CYCLE -> thread.cycles();
            case TIME -> thread.time();
            default -> thread.instRet();
        };
    }
}
