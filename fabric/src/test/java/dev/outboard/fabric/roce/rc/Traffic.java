package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.SendRequest.Operation;
import dev.outboard.fabric.roce.rc.PlannedMessage.Flaw;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/// All messages of one direction, and the receives they take: drawn beforehand, so that both ends
/// know what has to arrive. Every message has a place of its own in the sender's source memory and,
/// if it is a WRITE, in the receiver's target memory.
final class Traffic {
    private static final List<Operation> OPERATIONS =
            List.of(
                    Operation.SEND,
                    Operation.SEND_WITH_IMMEDIATE,
                    Operation.RDMA_WRITE,
                    Operation.RDMA_WRITE_WITH_IMMEDIATE,
                    Operation.RDMA_READ,
                    Operation.RDMA_READ,
                    Operation.COMPARE_AND_SWAP,
                    Operation.FETCH_AND_ADD);

    private static final List<Operation> ONE_SIDED = OPERATIONS.subList(2, OPERATIONS.size());

    /// 64-bit words of the receiver that the atomics work on.
    static final int WORDS = 3;

    static final int MAX_PIECES = 4;
    static final int MAX_INLINE_BYTES = 64;

    private static final int MAX_MESSAGES = 40;
    private static final int MAX_BYTES = 300_000;
    private static final int GAP_BYTES = 16;
    private static final int CHANCE_OF_FLAW = 12;

    final List<PlannedMessage> messages = new ArrayList<>();
    final List<PlannedReceive> receives = new ArrayList<>();
    long sourceBytes = GAP_BYTES;
    long targetBytes = GAP_BYTES;
    long receiveBytes = GAP_BYTES;
    long sinkBytes = GAP_BYTES;
    long shelfBytes = GAP_BYTES;
    final long[] initialWords = new long[WORDS];

    private final SplittableRandom random;
    private final int mtu;
    private final long[] words;

    Traffic(SplittableRandom random, int mtu) {
        this.random = random;
        this.mtu = mtu;
        Arrays.setAll(initialWords, i -> random.nextLong());
        words = initialWords.clone();
        int count = random.nextInt(MAX_MESSAGES);
        int flawed = random.nextInt(CHANCE_OF_FLAW) == 0 ? random.nextInt(1 + count) : -1;
        int budget = MAX_BYTES;
        for (int i = 0; i < count; i++) {
            int length = Math.min(budget, drawLength());
            budget -= length;
            boolean isLast = i == count - 1;
            add(draw(i, length, isLast, i == flawed ? drawFlaw() : Flaw.NONE));
        }
    }

    int packets() {
        return messages.stream().mapToInt(message -> message.packets(mtu)).sum();
    }

    /// What the words hold once the first `count` messages are executed.
    long[] wordsAfter(int count) {
        long[] after = initialWords.clone();
        for (PlannedMessage message : messages.subList(0, count)) {
            if (message.isAtomic() && !message.isFlawed()) {
                apply(message, after);
            }
        }
        return after;
    }

    private static void apply(PlannedMessage message, long[] words) {
        int index = (int) (message.remoteOffset() / Long.BYTES);
        PlannedMessage.Operands operands = message.operands();
        if (message.operation() == Operation.FETCH_AND_ADD) {
            words[index] += operands.swapOrAdd();
        } else if (words[index] == operands.compare()) {
            words[index] = operands.swapOrAdd();
        }
    }

    private Flaw drawFlaw() {
        return Flaw.values()[random.nextInt(Flaw.values().length)];
    }

    private int drawLength() {
        int packets = random.nextInt(1, 12);
        return switch (random.nextInt(10)) {
            case 0 -> 0;
            case 1 -> 1;
            case 2 -> mtu - 1;
            case 3 -> mtu;
            case 4 -> mtu + 1;
            case 5 -> packets * mtu - 1;
            case 6 -> packets * mtu;
            case 7 -> packets * mtu + 1;
            case 8 -> random.nextInt(64);
            default -> random.nextInt(random.nextInt(8) == 0 ? MAX_BYTES : 20_000);
        };
    }

    private PlannedMessage draw(int index, int bytes, boolean isLast, Flaw flaw) {
        Operation operation = drawOperation(flaw);
        boolean isWrite =
                operation == Operation.RDMA_WRITE
                        || operation == Operation.RDMA_WRITE_WITH_IMMEDIATE;
        boolean isRead = operation == Operation.RDMA_READ;
        boolean isAtomic =
                operation == Operation.COMPARE_AND_SWAP || operation == Operation.FETCH_AND_ADD;
        boolean hasReceive = !isRead && !isAtomic && operation != Operation.RDMA_WRITE;
        int length = isAtomic ? Long.BYTES : flaw == Flaw.NONE ? bytes : Math.max(1, bytes);
        int word = random.nextInt(WORDS);
        int[] pieces = isAtomic ? new int[] {length} : split(length);
        boolean signaled = isLast || random.nextInt(3) > 0;
        boolean solicited = random.nextBoolean();
        boolean inline =
                length <= MAX_INLINE_BYTES
                        && flaw != Flaw.UNREGISTERED_SOURCE
                        && !isRead
                        && !isAtomic
                        && random.nextBoolean();
        int immediate = random.nextInt();
        boolean fence = random.nextInt(4) == 0;
        long localOffset = isRead || isAtomic ? sinkBytes : sourceBytes;
        long remoteOffset = isWrite ? targetBytes : isRead ? shelfBytes : (long) word * Long.BYTES;
        int receive = hasReceive ? receives.size() : -1;
        long pattern = random.nextLong();
        PlannedMessage.Operands operands =
                isAtomic ? drawOperands(word) : PlannedMessage.Operands.NONE;
        return new PlannedMessage(
                index,
                operation,
                length,
                pieces,
                signaled,
                solicited,
                inline,
                immediate,
                fence,
                localOffset,
                remoteOffset,
                receive,
                pattern,
                operands,
                flaw);
    }

    /// Half of the swaps find what they expect.
    private PlannedMessage.Operands drawOperands(int word) {
        return new PlannedMessage.Operands(
                random.nextBoolean() ? words[word] : random.nextLong(),
                random.nextLong(),
                words[word]);
    }

    private Operation drawOperation(Flaw flaw) {
        return switch (flaw) {
            case NONE, UNREGISTERED_SOURCE -> OPERATIONS.get(random.nextInt(OPERATIONS.size()));
            case WRONG_KEY, BEYOND_REGION, NO_RIGHT ->
                    ONE_SIDED.get(random.nextInt(ONE_SIDED.size()));
            case MISALIGNED ->
                    random.nextBoolean() ? Operation.COMPARE_AND_SWAP : Operation.FETCH_AND_ADD;
            case TOO_LONG, UNWRITABLE_RECEIVE ->
                    random.nextBoolean() ? Operation.SEND : Operation.SEND_WITH_IMMEDIATE;
        };
    }

    private void add(PlannedMessage message) {
        messages.add(message);
        if (message.isAnsweredWithData()) {
            sinkBytes += message.length() + GAP_BYTES;
        } else {
            sourceBytes += message.length() + GAP_BYTES;
        }
        if (message.isRead()) {
            shelfBytes += message.length() + GAP_BYTES;
        }
        if (message.isAtomic() && !message.isFlawed()) {
            apply(message, words);
        }
        if (message.isWrite()) {
            targetBytes += message.length() + GAP_BYTES;
        }
        if (message.takesReceive()) {
            addReceive(message);
        }
    }

    /// A WRITE with immediate data uses no bytes of its receive.
    private void addReceive(PlannedMessage message) {
        int spare = random.nextInt(3) == 0 ? random.nextInt(100) : 0;
        int length =
                message.flaw() == Flaw.TOO_LONG
                        ? message.length() - 1
                        : message.isWrite() ? spare : message.length() + spare;
        int[] lengths = split(length);
        long[] offsets = new long[lengths.length];
        for (int i = 0; i < lengths.length; i++) {
            offsets[i] = receiveBytes;
            receiveBytes += lengths[i] + GAP_BYTES;
        }
        receives.add(new PlannedReceive(receives.size(), offsets, lengths, message));
    }

    /// Into pieces, some of them empty.
    private int[] split(int length) {
        int[] pieces = new int[random.nextInt(1, MAX_PIECES + 1)];
        int left = length;
        for (int i = 0; i < pieces.length - 1; i++) {
            pieces[i] = random.nextInt(left + 1);
            left -= pieces[i];
        }
        pieces[pieces.length - 1] = left;
        return pieces;
    }
}
