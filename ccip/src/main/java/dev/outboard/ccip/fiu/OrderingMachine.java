package dev.outboard.ccip.fiu;

import dev.outboard.ccip.platform.Access;
import dev.outboard.ccip.platform.AfterError;
import dev.outboard.ccip.platform.MemoryModel;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.platform.ResponseFormat;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.VirtualChannel;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// The memory side of an FIU without its clock: [MemoryPath], whose every step is taken by hand, so
/// that all orders can be tried one after the other.
///
/// Requests are admitted as soon as no fence holds them, which takes nothing from any order: in its
/// pool a line may wait as long as before it. It belongs to one thread.
///
/// CCIP-ORD-2, CCIP-ORD-3: nothing has an order but what is said here.
public final class OrderingMachine {
    private static final int NONE = -1;

    private final MemoryPath path;
    private final Mapping mapping;
    private final Responses responses;
    private final int[] channels;
    private final LineQueue pool = new LineQueue();
    private boolean undecided;
    private int chosen = NONE;

    /// Who sends the requests.
    public interface Responses {
        /// A line of a read is answered.
        void read(int mdata, int lineNumber, long[] data);

        /// So many lines of a write are answered, or a fence.
        void answered(int mdata, int lines);

        /// An interrupt is answered.
        void interruptAnswered(int id);

        /// An interrupt reaches the processor.
        void interrupt(int id);
    }

    /// A machine with nothing in flight.
    ///
    /// @param memory what line address 0 and those after it are
    public OrderingMachine(
            Profile profile,
            MemoryModel model,
            ResponseFormat format,
            MemorySegment memory,
            Responses responses) {
        channels = Schedule.channels(profile);
        mapping = new Mapping(0, memory, Access.READ_WRITE);
        this.responses = responses;
        Parameters parameters =
                new Parameters(
                        profile, Mode.ADVERSARIAL, model, 0, format, AfterError.COMPLETE, false);
        path = new MemoryPath(new ByHand(), events(responses), parameters, new Chance(0));
    }

    private static MemoryEvents events(Responses responses) {
        return new MemoryEvents() {
            @Override
            public void unmappedInFlight(PendingRequest request, int lines) {
                throw new AssertionError("memory that is never unmapped");
            }

            @Override
            public void committed(PendingRequest request) {}

            @Override
            public void reachedMemory(PendingRequest request, int lines) {}

            @Override
            public void interrupt(int id) {
                responses.interrupt(id);
            }
        };
    }

    /// Forgets all that is in flight.
    public void reset() {
        path.flush();
        undecided = false;
        chosen = NONE;
    }

    // Requests, in the order of their channels.

    /// A read of so many lines.
    public void read(VirtualChannel channel, long address, int count, int mdata) {
        request(PendingRequest.READ, channel, address, count, mdata, 0);
    }

    /// A write of so many lines, all words of which have the same value.
    public void write(VirtualChannel channel, long address, int count, int mdata, long value) {
        request(PendingRequest.WRITE, channel, address, count, mdata, value);
    }

    /// A write fence.
    public void fence(VirtualChannel scope, int mdata) {
        request(PendingRequest.FENCE, scope, 0, 1, mdata, 0);
    }

    /// An interrupt.
    public void interrupt(int id) {
        request(PendingRequest.INTERRUPT, VirtualChannel.VH0, 0, 1, id, 0);
    }

    private void request(
            byte kind, VirtualChannel channel, long address, int count, int mdata, long value) {
        PendingRequest request = path.requests.take();
        int lines = PendingRequest.first(count);
        request.begin(kind, 0, channel.code(), 0, mdata, count, lines);
        request.address = address;
        request.mapping = mapping;
        request.length = Line.BYTES;
        Arrays.fill(request.data, value);
        if (kind == PendingRequest.READ) {
            path.arriveRead(request);
        } else {
            for (int line = 0; line < count; line++) {
                path.arriveBeat(request, line);
            }
        }
        settle();
    }

    private void settle() {
        undecided = false;
        path.admit();
    }

    // Steps.

    /// How many steps can be taken now. If a line is to be admitted whose channel is open, the
    /// steps are its channels, else whatever may happen.
    ///
    /// CCIP-ORM-22: every step that may come next, for all outcomes to be found.
    public int choices() {
        if (undecided) {
            return channels.length;
        }
        int count = pool.size() + path.answerable();
        for (int channel : channels) {
            count += (path.drains(channel) ? 1 : 0) + Math.min(1, path.downstream(channel));
        }
        return count;
    }

    /// Takes one of the steps, from 0 on. The same steps since [#reset] lead to the same state.
    public void take(int choice) {
        if (undecided) {
            chosen = channels[choice];
        } else if (choice < pool.size()) {
            path.leavePool(pool, choice);
        } else if (choice < pool.size() + path.answerable()) {
            answer(choice - pool.size());
        } else {
            move(choice - pool.size() - path.answerable());
        }
        settle();
    }

    private void move(int choice) {
        int left = choice;
        for (int channel : channels) {
            if (path.drains(channel) && left-- == 0) {
                path.drain(channel);
                return;
            }
            if (path.downstream(channel) > 0 && left-- == 0) {
                deliver(channel);
                return;
            }
        }
        throw new IllegalArgumentException(choice + " is not a step");
    }

    private void deliver(int channel) {
        PendingRequest read = path.deliverable(channel);
        int line = path.deliverableLine(channel);
        int at = PendingRequest.at(line);
        responses.read(read.mdata, line, Arrays.copyOfRange(read.data, at, at + Line.LONGS));
        path.delivered(channel);
    }

    private void answer(int position) {
        PendingRequest request = path.answer(position);
        switch (request.kind) {
            case PendingRequest.INTERRUPT -> responses.interruptAnswered(request.mdata);
            case PendingRequest.FENCE -> responses.answered(request.mdata, 1);
            default -> responses.answered(request.mdata, request.packed ? request.count : 1);
        }
        path.answered(position);
    }

    /// Equal for equal states of what is in flight, and hardly for others. Memory is not part of
    /// it.
    public long digest() {
        return mix(path.digest(), pool.digestInAnyOrder());
    }

    /// Takes one value more into a digest.
    public static long mix(long digest, long value) {
        long mixed = (digest ^ value) * 0x9E3779B97F4A7C15L;
        return (mixed ^ mixed >>> 29) * 0xBF58476D1CE4E5B9L + 1;
    }

    /// Takes no step by itself.
    private final class ByHand implements Schedule {
        @Override
        public boolean admits(PendingRequest request) {
            if (request.named != VirtualChannel.VA.code()) {
                request.channel = request.named;
            } else if (channels.length == 1) {
                request.channel = (byte) channels[0];
            } else if (chosen != NONE) {
                request.channel = (byte) chosen;
                chosen = NONE;
            } else {
                undecided = true;
                return false;
            }
            return true;
        }

        @Override
        public void enter(PendingRequest request, int lines) {
            for (int left = lines; left != 0; left &= left - 1) {
                pool.add(request, Integer.lowestOneBit(left));
            }
        }

        @Override
        public void drained(PendingRequest request, int lines) {}

        @Override
        public void completed(PendingRequest request) {}

        @Override
        public void clock(MemoryPath path) {}

        @Override
        public int delivery(MemoryPath path) {
            return NONE;
        }

        @Override
        public int answer(MemoryPath path) {
            return NONE;
        }

        @Override
        public void flush(MemoryPath path) {
            pool.clear();
        }
    }
}
