package dev.outboard.dpa.trace;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/// Joins traces of several processes, each as [Trace#writeAbsolute] has written it, to one: what is
/// unique in a file becomes unique in all of them. Flows of numbers less than 0 stay what they are,
/// and join what happened in different processes.
public final class TraceMerge {
    private static final int TYPE_MASK = (1 << ProtoMessage.TYPE_BITS) - 1;
    private static final int MOST_GROUPS = 10;

    /// How many traces a file can hold.
    public static final int MOST_TRACES = 256;

    private static final int SEQUENCE_SHIFT = 16;
    private static final int UUID_SHIFT = 48;
    private static final int PID_SHIFT = 22;

    /// By what a field is about.
    private enum Message {
        TRACE,
        PACKET,
        EVENT,
        TRACK,
        PROCESS,
        OTHER;

        private Message inner(int field) {
            return switch (this) {
                case TRACE -> field == TrackEvents.PACKET ? PACKET : OTHER;
                case PACKET ->
                        field == TrackEvents.TRACK_EVENT
                                ? EVENT
                                : field == TrackEvents.TRACK_DESCRIPTOR ? TRACK : OTHER;
                case TRACK -> field == TrackEvents.PROCESS ? PROCESS : OTHER;
                case EVENT, PROCESS, OTHER -> OTHER;
            };
        }

        /// How many bits the number of the trace is shifted to make a field unique; 0 if it is
        /// nothing of the kind.
        private int shift(int field) {
            return switch (this) {
                case PACKET -> field == TrackEvents.SEQUENCE ? SEQUENCE_SHIFT : 0;
                case EVENT ->
                        field == TrackEvents.TRACK
                                        || field == TrackEvents.FLOW
                                        || field == TrackEvents.LAST_OF_FLOW
                                ? UUID_SHIFT
                                : 0;
                case TRACK ->
                        field == TrackEvents.UUID || field == TrackEvents.PARENT ? UUID_SHIFT : 0;
                case PROCESS -> field == TrackEvents.PID ? PID_SHIFT : 0;
                case TRACE, OTHER -> 0;
            };
        }
    }

    private TraceMerge() {}

    /// Writes traces one after the other.
    ///
    /// @throws IOException if one is no trace: the message says which, counted from 1
    /// @throws IllegalArgumentException if there are more than [#MOST_TRACES]
    public static void merge(List<byte[]> traces, OutputStream out) throws IOException {
        if (traces.size() > MOST_TRACES) {
            throw new IllegalArgumentException(
                    "%d traces; valid: 1 to %d".formatted(traces.size(), MOST_TRACES));
        }
        for (int i = 0; i < traces.size(); i++) {
            ByteBuffer in = ByteBuffer.wrap(traces.get(i)).order(ByteOrder.LITTLE_ENDIAN);
            try {
                copy(in, Message.TRACE, i).writeTo(out);
            } catch (MalformedException e) {
                throw new IOException("trace %d: %s".formatted(i + 1, e.getMessage()), e);
            }
        }
    }

    private static final class MalformedException extends IOException {
        private static final long serialVersionUID = 1;

        private MalformedException(ByteBuffer in) {
            super("byte %d is not of a trace of Perfetto".formatted(in.position()));
        }
    }

    private static ProtoMessage copy(ByteBuffer in, Message message, long number)
            throws MalformedException {
        ProtoMessage copied = new ProtoMessage();
        while (in.hasRemaining()) {
            long tag = varint(in);
            int field = (int) (tag >>> ProtoMessage.TYPE_BITS);
            long shift = number << message.shift(field);
            boolean isUnique = message.shift(field) != 0;
            switch ((int) tag & TYPE_MASK) {
                case ProtoMessage.VARINT -> {
                    long value = varint(in);
                    copied.number(field, isUnique && value != 0 ? value + shift : value);
                }
                case ProtoMessage.FIXED64 -> {
                    long value = fixed64(in);
                    copied.fixed64(field, isUnique && value > 0 ? value + shift : value);
                }
                case ProtoMessage.LENGTH_DELIMITED -> {
                    ByteBuffer inner = inner(in);
                    Message kind = message.inner(field);
                    if (kind == Message.OTHER) {
                        copied.bytes(field, inner);
                    } else {
                        copied.message(field, copy(inner, kind, number));
                    }
                }
                default -> throw new MalformedException(in);
            }
        }
        return copied;
    }

    private static ByteBuffer inner(ByteBuffer in) throws MalformedException {
        long length = varint(in);
        if (length < 0 || length > in.remaining()) {
            throw new MalformedException(in);
        }
        ByteBuffer inner = in.slice(in.position(), (int) length).order(ByteOrder.LITTLE_ENDIAN);
        in.position(in.position() + (int) length);
        return inner;
    }

    private static long fixed64(ByteBuffer in) throws MalformedException {
        if (in.remaining() < Long.BYTES) {
            throw new MalformedException(in);
        }
        return in.getLong();
    }

    private static long varint(ByteBuffer in) throws MalformedException {
        long value = 0;
        for (int group = 0; group < MOST_GROUPS; group++) {
            if (!in.hasRemaining()) {
                throw new MalformedException(in);
            }
            int one = in.get();
            value |= (long) (one & ProtoMessage.GROUP_MASK) << (ProtoMessage.GROUP_BITS * group);
            if ((one & ProtoMessage.MORE) == 0) {
                return value;
            }
        }
        throw new MalformedException(in);
    }
}
