package dev.outboard.node.datapath;

import static dev.outboard.node.datapath.ClientDescriptor.ACTIVATED;
import static dev.outboard.node.datapath.ClientDescriptor.ADDRESS;
import static dev.outboard.node.datapath.ClientDescriptor.ANSWERS;
import static dev.outboard.node.datapath.ClientDescriptor.BEGAN;
import static dev.outboard.node.datapath.ClientDescriptor.BYTES;
import static dev.outboard.node.datapath.ClientDescriptor.CALLS;
import static dev.outboard.node.datapath.ClientDescriptor.COMPLETIONS;
import static dev.outboard.node.datapath.ClientDescriptor.COMPLETION_RECORD;
import static dev.outboard.node.datapath.ClientDescriptor.COMPLETION_RING;
import static dev.outboard.node.datapath.ClientDescriptor.CYCLES;
import static dev.outboard.node.datapath.ClientDescriptor.ENDED;
import static dev.outboard.node.datapath.ClientDescriptor.FAILED;
import static dev.outboard.node.datapath.ClientDescriptor.FLAGS;
import static dev.outboard.node.datapath.ClientDescriptor.FUNCTION_CODES;
import static dev.outboard.node.datapath.ClientDescriptor.IMMEDIATE;
import static dev.outboard.node.datapath.ClientDescriptor.KEY;
import static dev.outboard.node.datapath.ClientDescriptor.LINE_ADDRESS;
import static dev.outboard.node.datapath.ClientDescriptor.LOCK;
import static dev.outboard.node.datapath.ClientDescriptor.LOG_COMPLETIONS;
import static dev.outboard.node.datapath.ClientDescriptor.LOG_SENDS;
import static dev.outboard.node.datapath.ClientDescriptor.NAA_ADDRESS;
import static dev.outboard.node.datapath.ClientDescriptor.OUTBOX;
import static dev.outboard.node.datapath.ClientDescriptor.OUTGOING;
import static dev.outboard.node.datapath.ClientDescriptor.OUTGOING_KEY;
import static dev.outboard.node.datapath.ClientDescriptor.PEER_ADDRESS;
import static dev.outboard.node.datapath.ClientDescriptor.PEER_KEY;
import static dev.outboard.node.datapath.ClientDescriptor.POSTED;
import static dev.outboard.node.datapath.ClientDescriptor.QUEUE;
import static dev.outboard.node.datapath.ClientDescriptor.READY;
import static dev.outboard.node.datapath.ClientDescriptor.RECEIVES;
import static dev.outboard.node.datapath.ClientDescriptor.RECEIVE_RECORD;
import static dev.outboard.node.datapath.ClientDescriptor.REGIONS;
import static dev.outboard.node.datapath.ClientDescriptor.REGISTERS;
import static dev.outboard.node.datapath.ClientDescriptor.REGISTERS_KEY;
import static dev.outboard.node.datapath.ClientDescriptor.SCRATCH;
import static dev.outboard.node.datapath.ClientDescriptor.SCRATCH_BYTES;
import static dev.outboard.node.datapath.ClientDescriptor.SEND_RING;
import static dev.outboard.node.datapath.ClientDescriptor.SIZE;
import static dev.outboard.node.datapath.ClientDescriptor.TAKEN;
import static dev.outboard.node.datapath.ClientDescriptor.WINDOW;
import static dev.outboard.node.datapath.ClientDescriptor.WINDOWED;

import dev.outboard.ccip.afu.CallRegisters;
import dev.outboard.ccip.afu.Job;
import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaLibrary;
import dev.outboard.naa.RegionFlags;
import dev.outboard.naa.ReturnCode;

/// What device code of a [DpaDataPath] calls: a handler is activated when its client has called,
/// works on the client's regions and answers, without the host.
///
/// ```java
/// @DpaGlobal
/// static void serve(DpaThread thread, long client) {
///     while (NaaDev.nextCall(thread, client)) {
///         long first = NaaDev.region(thread, client, 0);
///         thread.store8(first, thread.load8(first) + 1);
///         NaaDev.answer(thread, client, ReturnCode.SUCCESS);
///     }
///     NaaDev.awaitCall(thread, client);
/// }
/// ```
///
/// The handle of a client is what its handler gets as its argument.
@DpaLibrary
public final class NaaDev {
    /// No WRITE has more bytes; a larger region takes several.
    private static final long LARGEST_WRITE = 1 << 30;

    /// Of a microsecond each.
    private static final long LOOK_TICKS = 30;

    /// After half a second another activation goes on, so that the watchdog sees calls, and not how
    /// many of them there are.
    private static final long ACTIVATION_TICKS = 500_000;

    private static final int REMOTE = SendEntry.SEGMENT_BYTES;
    private static final int DATA = 2 * SendEntry.SEGMENT_BYTES;
    private static final int FUNCTION_MASK = 0x7F;
    private static final int COUNTER_MASK = 0xFFFF;
    private static final long HIGH_BITS = 0xFFFF_FFFF_0000_0000L;

    private NaaDev() {}

    // ---- calls ----------------------------------------------------------------------------------

    /// Takes the next call, if one has come. It has to be answered before the next one is taken.
    /// What else has come, it leaves to the host.
    ///
    /// NAA-XFER-17: without a function code nothing runs and nothing is answered.
    public static boolean nextCall(DpaThread thread, long client) {
        if (hasLasted(thread, client)) {
            return false;
        }
        thread.configureOutbox((int) thread.load64(client + OUTBOX));
        long entry = awaitCompletion(thread, client);
        while (entry != 0) {
            boolean isCall = isCall(thread, client, entry);
            if (isCall) {
                thread.store64(
                        client + IMMEDIATE, CompletionEntry.immediate(thread, entry) & ~HIGH_BITS);
                postReceive(thread, client);
            } else {
                other(thread, client, entry);
            }
            took(thread, client);
            if (isCall && functionCode(thread, client) != 0) {
                count(thread, client + CALLS, 1);
                thread.store64(client + BEGAN, thread.cycles());
                // What has come, the NIC has written behind the back of the caches.
                thread.systemFence();
                thread.windowReadInv();
                return true;
            }
            entry = awaitCompletion(thread, client);
        }
        return false;
    }

    /// Whether it is time for another activation.
    private static boolean hasLasted(DpaThread thread, long client) {
        long now = thread.time() + 1;
        long since = thread.load64(client + ACTIVATED);
        if (since == 0) {
            thread.store64(client + ACTIVATED, now);
            return false;
        }
        return now - since > ACTIVATION_TICKS;
    }

    /// Looks for the next completion for some time, as a client that calls again and again is
    /// faster than an activation.
    ///
    /// @return where it is, or 0 if none has come
    private static long awaitCompletion(DpaThread thread, long client) {
        long entry = nextCompletion(thread, client);
        long end = thread.time() + LOOK_TICKS;
        while (entry == 0 && thread.time() < end) {
            thread.pause();
            entry = nextCompletion(thread, client);
        }
        thread.resume();
        return entry;
    }

    private static boolean isCall(DpaThread thread, long client, long entry) {
        return CompletionEntry.opcode(thread, entry) == CompletionEntry.RECEIVED_WRITE_IMMEDIATE
                && thread.load64(client + READY) != 0;
    }

    /// The function code of the current call, 1 to 127.
    public static int functionCode(DpaThread thread, long client) {
        return (int) thread.load64(client + IMMEDIATE) & FUNCTION_MASK;
    }

    /// Whether the node offers what the current call is for.
    public static boolean isOffered(DpaThread thread, long client) {
        int code = functionCode(thread, client);
        long word = client + FUNCTION_CODES + code / Long.SIZE * (long) Long.BYTES;
        return (thread.load64(word) >>> code % Long.SIZE & 1) != 0;
    }

    /// The three user bytes of the current call, byte 0 in bits 7..0.
    public static int userBytes(DpaThread thread, long client) {
        return (int) thread.load64(client + IMMEDIATE) >>> Byte.SIZE;
    }

    /// Ends the activation: the next call begins another one. Does not return.
    public static void awaitCall(DpaThread thread, long client) {
        int taken = (int) thread.load64(client + TAKEN);
        thread.store64(client + ACTIVATED, 0);
        thread.memoryWriteback();
        FlexioDev.armCompletionQueue(thread, taken, (int) thread.load64(client + COMPLETIONS));
        thread.reschedule();
    }

    // ---- regions --------------------------------------------------------------------------------

    /// How many regions the client has.
    public static int regions(DpaThread thread, long client) {
        return (int) thread.load64(client + REGIONS);
    }

    /// The bytes of a region.
    public static long size(DpaThread thread, long client, int region) {
        return word(thread, client, region, SIZE);
    }

    /// Where a region lies in the NAA's memory: where the client has asked for it.
    ///
    /// NAA-ADDR-6: routines see the address that was asked for.
    public static long naaAddress(DpaThread thread, long client, int region) {
        return word(thread, client, region, NAA_ADDRESS);
    }

    /// Where a region is: in memory of the DPA, or behind the window of the thread, which then
    /// opens to it and closes to what it was open to before.
    ///
    /// @return where the first byte is, for loads and stores, also of whole words of 8 bytes that
    ///   begin in the region
    public static long region(DpaThread thread, long client, int region) {
        if (word(thread, client, region, WINDOWED) == 0) {
            return word(thread, client, region, ADDRESS);
        }
        thread.configureWindow(
                (int) thread.load64(client + WINDOW), (int) word(thread, client, region, KEY));
        return thread.window(word(thread, client, region, ADDRESS));
    }

    private static long word(DpaThread thread, long client, int region, int offset) {
        return thread.load64(client + ClientDescriptor.region(region) + offset);
    }

    /// Memory of the DPA that the handler has for itself.
    public static long scratch(DpaThread thread, long client) {
        return thread.load64(client + SCRATCH);
    }

    /// How many bytes that are.
    public static long scratchBytes(DpaThread thread, long client) {
        return thread.load64(client + SCRATCH_BYTES);
    }

    // ---- the function behind --------------------------------------------------------------------

    /// Has a function of an FPGA serve the current call, by its [CallRegisters] behind the window.
    ///
    /// @return its return code
    public static int callAfu(DpaThread thread, long client) {
        thread.configureWindow(
                (int) thread.load64(client + WINDOW), (int) thread.load64(client + REGISTERS_KEY));
        long registers = thread.window(thread.load64(client + REGISTERS));
        long call = functionCode(thread, client) | ((long) userBytes(thread, client) << Byte.SIZE);
        int count = regions(thread, client);
        thread.store64(registers + CallRegisters.CALL, call);
        thread.store64(registers + CallRegisters.REGIONS, count);
        for (int i = 0; i < count; i++) {
            long offset = CallRegisters.FIRST_REGION + (long) i * CallRegisters.REGION_BYTES;
            long at = registers + offset;
            thread.store64(at, word(thread, client, i, LINE_ADDRESS));
            thread.store64(at + Long.BYTES, word(thread, client, i, SIZE));
        }
        thread.windowWriteback();
        thread.store64(registers + CallRegisters.CONTROL, Job.START);
        thread.windowWriteback();
        // A writeback alone would let the status be read before the command is there.
        thread.windowFence(Op.W, Op.R);
        long status;
        do {
            thread.windowReadInv();
            status = thread.load64(registers + CallRegisters.STATUS);
        } while ((status & Job.DONE) == 0);
        return (int) (status >>> Job.CODE_SHIFT) & 0xFF;
    }

    // ---- answers --------------------------------------------------------------------------------

    /// Answers the current call: returns the regions that are outputs, or only a code.
    ///
    /// NAA-RET-2, NAA-RET-5: each output whole; without one, a WRITE of no bytes carries the code.
    ///
    /// @param code [ReturnCode#SUCCESS], or an error from 1 to 127
    public static void answer(DpaThread thread, long client, int code) {
        int last = code == ReturnCode.SUCCESS ? lastOutput(thread, client) : -1;
        thread.spinLock(client + LOCK);
        for (int i = 0; i <= last; i++) {
            if (isOutput(thread, client, i)) {
                postRegion(thread, client, i, i == last);
            }
        }
        if (last < 0) {
            begin(thread, client);
            end(thread, client, 0, 0, 0, true, code);
        }
        ring(thread, client);
        thread.spinUnlock(client + LOCK);
        count(thread, client + CYCLES, thread.cycles() - thread.load64(client + BEGAN));
        count(thread, client + ANSWERS, 1);
        thread.memoryWriteback();
    }

    private static int lastOutput(DpaThread thread, long client) {
        int last = regions(thread, client) - 1;
        while (last >= 0 && !isOutput(thread, client, last)) {
            last--;
        }
        return last;
    }

    private static boolean isOutput(DpaThread thread, long client, int region) {
        return (word(thread, client, region, FLAGS) & RegionFlags.OUTPUT) != 0;
    }

    private static void postRegion(DpaThread thread, long client, int region, boolean isLast) {
        long size = size(thread, client, region);
        long offset = 0;
        do {
            long length = Math.min(size - offset, LARGEST_WRITE);
            begin(thread, client);
            end(
                    thread,
                    client,
                    region,
                    offset,
                    length,
                    isLast && offset + length == size,
                    ReturnCode.SUCCESS);
            offset += length;
        } while (offset < size);
        count(thread, client + BYTES, size);
    }

    /// Waits until the send queue has room, or nothing will ever leave it.
    private static void begin(DpaThread thread, long client) {
        while (isFull(thread, client) && thread.load64(client + FAILED) == 0) {
            long entry = nextCompletion(thread, client);
            if (entry == 0) {
                thread.pause();
            } else {
                other(thread, client, entry);
                took(thread, client);
            }
        }
    }

    private static boolean isFull(DpaThread thread, long client) {
        long depth = 1L << thread.load64(client + LOG_SENDS);
        return thread.load64(client + POSTED) - thread.load64(client + ENDED) >= depth;
    }

    private static long slot(DpaThread thread, long client, long index) {
        long depth = 1L << thread.load64(client + LOG_SENDS);
        return thread.load64(client + SEND_RING) + (index & (depth - 1)) * SendEntry.BYTES;
    }

    /// Posts a WRITE of a part of a region, the last one of an answer with the code.
    ///
    /// NAA-RET-7: the code is in the upper 24 bits of the immediate value.
    private static void end(
            DpaThread thread,
            long client,
            int region,
            long offset,
            long length,
            boolean isLast,
            int code) {
        long posted = thread.load64(client + POSTED);
        long entry = slot(thread, client, posted);
        SendEntry.writeControl(
                thread,
                entry,
                (int) posted,
                isLast ? SendEntry.RDMA_WRITE_IMMEDIATE : SendEntry.RDMA_WRITE,
                (int) thread.load64(client + QUEUE),
                length == 0 ? 2 : 3,
                isLast ? SendEntry.COMPLETE_ALWAYS : SendEntry.COMPLETE_ON_ERROR);
        SendEntry.writeImmediate(thread, entry, code << Byte.SIZE);
        SendEntry.writeRemote(
                thread,
                entry + REMOTE,
                word(thread, client, region, PEER_ADDRESS) + offset,
                (int) word(thread, client, region, PEER_KEY));
        DataSegment.write(
                thread,
                entry + DATA,
                (int) length,
                (int) word(thread, client, region, KEY),
                word(thread, client, region, ADDRESS) + offset);
        thread.store64(client + POSTED, posted + 1);
    }

    private static void ring(DpaThread thread, long client) {
        thread.memoryWriteback();
        thread.windowWriteback();
        FlexioDev.ringSendDoorbell(
                thread, (int) thread.load64(client + POSTED), (int) thread.load64(client + QUEUE));
    }

    // ---- completions ----------------------------------------------------------------------------

    /// Where the next completion is, or 0 if there is none.
    private static long nextCompletion(DpaThread thread, long client) {
        long taken = thread.load64(client + TAKEN);
        int log = (int) thread.load64(client + LOG_COMPLETIONS);
        long entry =
                thread.load64(client + COMPLETION_RING)
                        + (taken & ((1L << log) - 1)) * CompletionEntry.BYTES;
        return CompletionEntry.isReady(thread, entry, taken, log) ? entry : 0;
    }

    private static void took(DpaThread thread, long client) {
        long taken = thread.load64(client + TAKEN) + 1;
        thread.store64(client + TAKEN, taken);
        DoorbellRecord.setConsumerIndex(
                thread, thread.load64(client + COMPLETION_RECORD), (int) taken);
    }

    /// What is no call: the end of an answer counts here, everything else is the host's.
    private static void other(DpaThread thread, long client, long entry) {
        int opcode = CompletionEntry.opcode(thread, entry);
        boolean isRequest = opcode == CompletionEntry.REQUEST;
        int posted = SendEntry.RDMA_WRITE_IMMEDIATE;
        if (isRequest) {
            long ended = thread.load64(client + ENDED);
            long index = CompletionEntry.workCounter(thread, entry);
            long now = ended + ((index + 1 - ended) & COUNTER_MASK);
            posted = SendEntry.opcode(thread, slot(thread, client, now - 1));
            thread.store64(client + ENDED, now);
        }
        if (!isRequest || posted != SendEntry.RDMA_WRITE_IMMEDIATE) {
            HostMail.write(thread, client, entry, opcode);
        }
        if (isReceived(opcode)) {
            postReceive(thread, client);
        }
    }

    private static boolean isReceived(int opcode) {
        return opcode == CompletionEntry.RECEIVED_SEND
                || opcode == CompletionEntry.RECEIVED_SEND_IMMEDIATE
                || opcode == CompletionEntry.RECEIVED_WRITE_IMMEDIATE;
    }

    /// Gives the oldest buffer back to the NIC; its entry is still in the ring.
    private static void postReceive(DpaThread thread, long client) {
        long receives = thread.load64(client + RECEIVES) + 1;
        thread.store64(client + RECEIVES, receives);
        thread.memoryFence(Op.W, Op.W);
        DoorbellRecord.setProducerIndex(
                thread, thread.load64(client + RECEIVE_RECORD), (int) receives & COUNTER_MASK);
        thread.memoryWriteback();
    }

    private static void count(DpaThread thread, long word, long more) {
        thread.store64(word, thread.load64(word) + more);
    }

    // ---- for the host ---------------------------------------------------------------------------

    /// Posts what the host sends: a message, or a WRITE of no bytes that asks whether the client is
    /// there.
    ///
    /// @param length of the message; 0 for the WRITE
    /// @param isReady 1 if the handler serves calls from then on
    /// @return 1, or 0 if there is no room
    public static long sendForHost(DpaThread thread, DpaAddr handle, int length, int isReady) {
        long client = handle.value();
        thread.configureOutbox((int) thread.load64(client + OUTBOX));
        thread.spinLock(client + LOCK);
        if (isFull(thread, client)) {
            thread.spinUnlock(client + LOCK);
            return 0;
        }
        long posted = thread.load64(client + POSTED);
        long entry = slot(thread, client, posted);
        boolean isMessage = length > 0;
        SendEntry.writeControl(
                thread,
                entry,
                (int) posted,
                isMessage ? SendEntry.SEND : SendEntry.RDMA_WRITE,
                (int) thread.load64(client + QUEUE),
                2,
                SendEntry.COMPLETE_ALWAYS);
        if (isMessage) {
            DataSegment.write(
                    thread,
                    entry + REMOTE,
                    length,
                    (int) thread.load64(client + OUTGOING_KEY),
                    thread.load64(client + OUTGOING));
        } else {
            SendEntry.writeRemote(
                    thread,
                    entry + REMOTE,
                    word(thread, client, 0, PEER_ADDRESS),
                    (int) word(thread, client, 0, PEER_KEY));
        }
        thread.store64(client + POSTED, posted + 1);
        if (isReady != 0) {
            thread.store64(client + READY, 1);
        }
        ring(thread, client);
        thread.spinUnlock(client + LOCK);
        return 1;
    }
}
