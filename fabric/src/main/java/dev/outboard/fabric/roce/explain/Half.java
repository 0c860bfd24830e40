package dev.outboard.fabric.roce.explain;

import dev.outboard.fabric.roce.explain.Episode.Cause;
import dev.outboard.fabric.roce.explain.Episode.Kind;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Opcode.Operation;
import dev.outboard.fabric.roce.wire.Psn;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One direction of a reliable connection: the requests to a queue pair, and the answers that come
/// back. It follows them as the requester does, but from where the capture was made, and so may see
/// what never arrives, and miss what was sent.
final class Half {
    /// Which direction: packets from an address to a queue pair of another.
    record Key(Gid source, Gid destination, int qpn) {}

    /// The remote memory that a request names.
    record Target(Opcode opcode, long address, int key, long length) {}

    /// What requests with a key were granted: addresses, and by which operations.
    static final class Grant {
        final long from;
        final long end;
        final Map<Operation, Boolean> operations = new EnumMap<>(Operation.class);

        Grant(long from, long end) {
            this.from = from;
            this.end = end;
        }

        Grant with(Target target) {
            long targetEnd = target.address + target.length;
            Grant wider =
                    new Grant(
                            Long.compareUnsigned(target.address, from) < 0 ? target.address : from,
                            Long.compareUnsigned(targetEnd, end) > 0 ? targetEnd : end);
            wider.operations.putAll(operations);
            wider.operations.put(target.opcode.operation(), true);
            return wider;
        }
    }

    /// A request without an answer so far.
    static final class Request {
        final int psn;
        final Opcode opcode;
        final int payload;
        final @Nullable Target target;
        final long firstNanos;
        long lastNanos;
        int sends = 1;

        /// The PSN of its last response; of a READ, as far as is known.
        int lastPsn;

        Request(RocePacket packet, @Nullable Target target) {
            psn = packet.psn();
            lastPsn = psn;
            opcode = packet.opcode();
            payload = packet.payload();
            this.target = target;
            firstNanos = packet.nanos();
            lastNanos = firstNanos;
        }
    }

    /// Repetitions of one kind that were answered in the end.
    static final class Tally {
        final int psn;
        final Opcode opcode;
        final long firstNanos;
        int count;
        int rounds;
        long longestNanos;

        Tally(Episode first) {
            psn = first.psn;
            opcode = first.opcode;
            firstNanos = first.firstNanos;
        }
    }

    /// PSNs that were passed over.
    ///
    /// @param repairs how often a repetition had begun, or been asked for, by then
    private record Gap(int from, int count, long repairs) {
        boolean has(int psn) {
            int offset = Psn.difference(psn, from);
            return offset >= 0 && offset < count;
        }
    }

    static final int MAX_OPEN = 1024;
    static final int MAX_SEARCHES = 64;
    private static final int MAX_GAPS = 64;
    private static final int MAX_KEYS = 256;
    private static final int MAX_ATOMICS = 64;

    /// Copies of a packet come sooner than that: no timer of RoCE is so short.
    private static final long COPY_NANOS = 100_000;

    /// Packets that are repeated together follow each other sooner than that.
    private static final long SWEEP_NANOS = 1_000_000;

    final Key key;
    @Nullable Half back;

    /// Whether the capture has the start of it.
    boolean isFromStart;

    /// How often the requests that its answers belong to were looked for.
    int searches;

    boolean isClosed;
    boolean hasRequests;

    /// The PSN behind the last request, and behind the last that is answered.
    int next;

    int acked;
    long firstRequestNanos;
    long lastRequestNanos;
    long lastResponseNanos = Long.MIN_VALUE;
    long responses;
    private int lastSent;
    private @Nullable Request newest;
    private @Nullable Target target;
    final Map<Integer, Request> open = new LinkedHashMap<>();
    final Map<Integer, Grant> grants = new LinkedHashMap<>();
    final Map<Kind, Tally> solved = new EnumMap<>(Kind.class);
    @Nullable Episode episode;
    private @Nullable Cause pending;
    private long repairs;
    private final ArrayDeque<Gap> gaps = new ArrayDeque<>();
    private final Map<Integer, Long> atomics = new LinkedHashMap<>();

    /// The largest request that was answered, in bytes; -1 for none.
    int largestAnswered = -1;

    /// What the peer said when it failed a request: the syndrome, or 0.
    int refusal;

    int refusedPsn;
    long refusedNanos;
    @Nullable Request refused;

    /// NAKs for want of a receive since the last request was answered, and the wait they ask for.
    int notReady;

    long notReadyNanos;

    /// Of sequence errors, since the last request was answered.
    int sequenceErrors;

    long copies;
    long overtaken;
    int overtakenPsn;
    private int lastFilled = -1;
    private long lastFilledNanos;
    long unseen;
    long repeatedAtomics;
    long differingAtomics;
    long marked;
    long notifications;
    private int lastAnswer = -1;
    private long lastAnswerNanos;

    Half(Key key) {
        this.key = key;
    }

    /// Both ends have agreed that requests begin with `psn`.
    void startsAt(int psn) {
        isFromStart = true;
        next = psn;
        acked = psn;
        lastSent = Psn.add(psn, -1);
    }

    // Requests.

    void request(RocePacket packet) {
        if (!hasRequests) {
            if (!isFromStart) {
                startsAt(packet.psn());
                isFromStart = false;
            }
            hasRequests = true;
            firstRequestNanos = packet.nanos();
        }
        int ahead = Psn.difference(packet.psn(), next);
        if (ahead >= 0) {
            fresh(packet, ahead);
        } else {
            repeated(packet);
        }
        lastRequestNanos = packet.nanos();
        lastSent = packet.psn();
        lastAnswer = -1;
    }

    private void fresh(RocePacket packet, int ahead) {
        if (ahead > 0) {
            skipTo(packet.psn(), ahead);
        }
        Opcode opcode = packet.opcode();
        if (opcode.hasReth() || opcode.hasAtomicEth()) {
            target =
                    new Target(
                            opcode,
                            packet.remoteAddress(),
                            packet.remoteKey(),
                            packet.remoteLength());
        } else if (opcode.operation() != Operation.WRITE) {
            target = null;
        }
        newest = new Request(packet, target);
        if (open.size() < MAX_OPEN) {
            open.put(packet.psn(), newest);
        }
        next = Psn.next(packet.psn());
        if (episode != null) {
            episode.isPast = true;
        }
    }

    /// How many packets a READ takes depends on the path MTU, and is seen in the next request.
    private void skipTo(int psn, int ahead) {
        Request last = newest;
        if (last != null && last.opcode == Opcode.READ_REQUEST && last.target != null) {
            long most = (last.target.length + 255) / 256;
            if (Psn.difference(psn, last.psn) <= most) {
                last.lastPsn = Psn.add(psn, -1);
                return;
            }
        }
        if (gaps.size() == MAX_GAPS) {
            gaps.removeFirst();
        }
        gaps.addLast(new Gap(next, ahead, repairs));
    }

    private void repeated(RocePacket packet) {
        int psn = packet.psn();
        Gap gap = fill(psn);
        if (gap != null) {
            missing(packet, gap);
            return;
        }
        Request request = open.get(psn);
        long before = request != null ? request.lastNanos : lastRequestNanos;
        boolean isCopy = request != null || psn == lastSent;
        if (isCopy && pending == null && packet.nanos() - before < COPY_NANOS) {
            copies++;
            return;
        }
        if (psn == lastFilled && packet.nanos() - lastFilledNanos < SWEEP_NANOS) {
            // What was missing had only been overtaken.
            overtaken++;
            overtakenPsn = psn;
            lastFilled = -1;
        }
        Request first = request == null ? oldest() : request;
        again(packet, first == null ? before : first.firstNanos);
        if (request != null) {
            request.sends++;
            request.lastNanos = packet.nanos();
        }
    }

    /// A packet that had been passed over: late, or sent again after it was lost before it got
    /// here.
    private void missing(RocePacket packet, Gap gap) {
        if (repairs == gap.repairs) {
            overtaken++;
            overtakenPsn = packet.psn();
        } else {
            lastFilled = packet.psn();
            lastFilledNanos = packet.nanos();
            again(packet, lastRequestNanos);
        }
    }

    private void again(RocePacket packet, long firstNanos) {
        Episode present = episode;
        if (present != null && pending == null && goesOn(present, packet)) {
            present.highest = packet.psn();
            present.roundPackets++;
            return;
        }
        boolean isSame = present != null && !present.isSolved && present.psn == packet.psn();
        if (!isSame || present == null) {
            endEpisode();
            boolean isAnswered = Psn.difference(acked, packet.psn()) > 0;
            present = new Episode(packet, firstNanos, cause(packet), isAnswered);
            episode = present;
        }
        present.round(packet, next);
        pending = null;
        repairs++;
        if (packet.opcode().hasAtomicEth()) {
            repeatedAtomics++;
        }
    }

    /// Whether a packet belongs to the repetitions that are under way: a requester repeats all that
    /// it has sent from one packet on, also what is acknowledged meanwhile.
    private boolean goesOn(Episode present, RocePacket packet) {
        boolean isBehind =
                Psn.difference(packet.psn(), present.highest) > 0
                        && Psn.difference(packet.psn(), present.next) < 0;
        return isBehind && packet.nanos() - lastRequestNanos < SWEEP_NANOS;
    }

    /// Who asks for the rest of a READ has got the first responses.
    private Cause cause(RocePacket packet) {
        Request first = oldest();
        boolean isRest =
                packet.opcode() == Opcode.READ_REQUEST
                        && first != null
                        && Psn.difference(packet.psn(), first.psn) > 0
                        && Psn.difference(packet.psn(), first.lastPsn) <= 0;
        return pending != null ? pending : isRest ? Cause.MISSING_RESPONSE : Cause.TIMEOUT;
    }

    /// Adds the last repetitions to the others of their kind, if they have led to an answer.
    void endEpisode() {
        Episode ended = episode;
        if (ended != null && (ended.isSolved || ended.isAnswered)) {
            Tally tally = solved.computeIfAbsent(ended.kind(), _ -> new Tally(ended));
            tally.count++;
            tally.rounds += ended.rounds;
            long end = ended.isSolved ? ended.solvedNanos : ended.lastNanos;
            tally.longestNanos = Math.max(tally.longestNanos, end - ended.firstNanos);
        }
        episode = null;
    }

    /// The gap that `psn` fills, which is then gone; null if it fills none.
    private @Nullable Gap fill(int psn) {
        for (Iterator<Gap> all = gaps.iterator(); all.hasNext(); ) {
            Gap gap = all.next();
            if (gap.has(psn)) {
                all.remove();
                int before = Psn.difference(psn, gap.from);
                if (before > 0) {
                    gaps.addFirst(new Gap(gap.from, before, gap.repairs));
                }
                if (gap.count - before > 1) {
                    gaps.addLast(new Gap(Psn.next(psn), gap.count - before - 1, gap.repairs));
                }
                return gap;
            }
        }
        return null;
    }

    // Answers.

    /// Whether an answer with `psn` can be one to these requests.
    boolean mayAnswer(int psn) {
        return hasRequests
                && Psn.difference(psn, next) < 0
                && Psn.difference(psn, acked) >= -MAX_OPEN;
    }

    void response(RocePacket packet) {
        if (!hasRequests) {
            return;
        }
        responses++;
        lastResponseNanos = packet.nanos();
        Opcode opcode = packet.opcode();
        int syndrome = opcode.hasAeth() ? packet.syndrome() : Aeth.ACK;
        int answer = opcode.code() << 24 | packet.psn();
        if (answer == lastAnswer && packet.nanos() - lastAnswerNanos < COPY_NANOS) {
            copies++;
            return;
        }
        lastAnswer = answer;
        lastAnswerNanos = packet.nanos();
        if (Aeth.isAck(syndrome)) {
            if (opcode.operation() == Operation.READ_RESPONSE) {
                readResponse(packet);
            } else {
                if (opcode.operation() == Operation.ATOMIC_ACK) {
                    compareAtomic(packet);
                }
                acknowledge(packet.psn(), packet.nanos());
            }
        } else {
            if (Psn.difference(packet.psn(), acked) > 0) {
                acknowledge(Psn.add(packet.psn(), -1), packet.nanos());
            }
            negative(packet, syndrome);
        }
    }

    private void negative(RocePacket packet, int syndrome) {
        if (Aeth.isRnrNak(syndrome)) {
            pending = Cause.NOT_READY;
            notReady++;
            notReadyNanos = Aeth.rnrTimerNanos(Aeth.rnrTimerCode(syndrome));
        } else if (syndrome == Aeth.NAK_PSN_SEQUENCE_ERROR) {
            pending = Cause.SEQUENCE_ERROR;
            sequenceErrors++;
            repairs++;
        } else if (refusal == 0) {
            refusal = syndrome;
            refusedPsn = packet.psn();
            refusedNanos = packet.nanos();
            refused = open.get(packet.psn());
        }
    }

    /// A response to a READ acknowledges what was before it, unless one is missing in between.
    private void readResponse(RocePacket packet) {
        Request first = open.isEmpty() ? null : open.values().iterator().next();
        while (first != null
                && first.opcode != Opcode.READ_REQUEST
                && Psn.difference(first.psn, packet.psn()) < 0) {
            acknowledge(first.psn, packet.nanos());
            first = open.isEmpty() ? null : open.values().iterator().next();
        }
        boolean isBehindGap =
                first != null
                        && first.opcode == Opcode.READ_REQUEST
                        && Psn.difference(packet.psn(), acked) > 0
                        && Psn.difference(acked, first.psn) >= 0;
        if (isBehindGap) {
            pending = Cause.MISSING_RESPONSE;
            return;
        }
        boolean isLast = packet.opcode().isLast() || packet.opcode().isOnly();
        if (!isLast && first != null && Psn.difference(packet.psn(), first.lastPsn) >= 0) {
            // There are more to come than was known.
            first.lastPsn = Psn.next(packet.psn());
            if (Psn.difference(first.lastPsn, next) >= 0) {
                next = Psn.next(first.lastPsn);
            }
        } else if (isLast && first != null && first.opcode == Opcode.READ_REQUEST) {
            first.lastPsn = packet.psn();
        }
        acknowledge(packet.psn(), packet.nanos());
    }

    private void compareAtomic(RocePacket packet) {
        Long before = atomics.get(packet.psn());
        if (before == null) {
            if (atomics.size() == MAX_ATOMICS) {
                atomics.remove(atomics.keySet().iterator().next());
            }
            atomics.put(packet.psn(), packet.originalValue());
        } else if (before != packet.originalValue()) {
            differingAtomics++;
        }
    }

    private void acknowledge(int psn, long nanos) {
        Episode present = episode;
        if (Psn.difference(psn, acked) < 0) {
            if (present != null && present.isSolved && Psn.difference(psn, present.psn) >= 0) {
                present.laterAnswers++;
            }
            return;
        }
        if (Psn.difference(psn, next) >= 0) {
            unseen++;
            next = Psn.next(psn);
        }
        acked = Psn.next(psn);
        notReady = 0;
        sequenceErrors = 0;
        for (Iterator<Request> all = open.values().iterator(); all.hasNext(); ) {
            Request request = all.next();
            if (Psn.difference(request.lastPsn, psn) > 0) {
                break;
            }
            all.remove();
            granted(request);
        }
        if (present != null && !present.isSolved && Psn.difference(psn, present.psn) >= 0) {
            present.isSolved = true;
            present.solvedNanos = nanos;
            present.isAhead =
                    Psn.difference(psn, present.highest) > 0
                            && Psn.difference(psn, present.next) < 0;
        }
    }

    private void granted(Request request) {
        largestAnswered = Math.max(largestAnswered, request.payload);
        Target granted = request.target;
        if (granted != null && (grants.size() < MAX_KEYS || grants.containsKey(granted.key))) {
            Grant before =
                    grants.getOrDefault(
                            granted.key,
                            new Grant(granted.address, granted.address + granted.length));
            grants.put(granted.key, before.with(granted));
        }
    }

    /// The first request that nothing has answered; null if there is none.
    @Nullable Request oldest() {
        return open.isEmpty() ? null : open.values().iterator().next();
    }
}
