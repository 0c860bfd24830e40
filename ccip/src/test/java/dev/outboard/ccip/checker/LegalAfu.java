package dev.outboard.ccip.checker;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.C0Tx;
import dev.outboard.ccip.wire.C1Response;
import dev.outboard.ccip.wire.C1Rx;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.util.Arrays;
import java.util.SplittableRandom;

/// An AFU that does anything that CCI-P allows, by chance, and nothing else: all types, lengths and
/// channels of its platform, bursts with pauses, byte writes, fences, interrupts, up to eight beats
/// under almost-full, MMIO responses late and out of order; and no access to a line whose order is
/// open, so that it knows what it has to read.
///
/// Its memory is made of blocks of four lines; a request stays inside one. After a write, a block
/// is used on the channel of the response only, until the response of a VA fence frees it.
public final class LegalAfu implements Afu {
    private static final int TAGS = 1 << 12;
    private static final int BLOCK = 4;
    private static final long NEVER = -1;

    private final Profile profile;
    private final long firstLine;
    private final SplittableRandom random;
    private final VirtualChannel[] channels;
    private final boolean oneLink;

    /// Per block the tag that uses it, or -1.
    private final int[] users;

    /// Per block the C1 request of its latest write, and the channel that answered it.
    private final long[] writes;

    private final int[] writtenOn;

    /// Per tag its block, and the responses that it waits for.
    private final int[] blocks = new int[TAGS];

    private final int[] waiting = new int[TAGS];

    /// Per tag of a read its first line.
    private final long[] readFrom = new long[TAGS];

    private final ExpectedLines memory;
    private final boolean[] interruptBusy = new boolean[4];
    private final int[] mmioReads = new int[Profile.MMIO_READS];
    private long wrongReads;
    private int mmioReadCount;
    private int nextTag;
    private int outstanding;
    private int fenceTag;
    private long fenceSent;
    private long fenceAnswered;
    private long c1Requests;
    private int c0Left;
    private int c1Left;
    private int mood;
    private boolean stopped;

    private WriteType burstType = WriteType.WRLINE_I;
    private long burstLine;
    private int burstLeft;

    /// An AFU for this platform that may use so many lines from this one on.
    public LegalAfu(Profile profile, long firstLine, int lines, long seed) {
        this.profile = profile;
        this.firstLine = firstLine;
        random = new SplittableRandom(seed);
        channels =
                Arrays.stream(VirtualChannel.values())
                        .filter(profile::has)
                        .toArray(VirtualChannel[]::new);
        oneLink = profile.channels().size() == 1;
        users = new int[lines / BLOCK];
        writes = new long[users.length];
        writtenOn = new int[users.length];
        memory = new ExpectedLines(firstLine, lines);
        reset();
    }

    /// Begins nothing new from now on.
    public void stop() {
        stopped = true;
    }

    /// Whether everything that was begun is done.
    public boolean isDone() {
        return outstanding == 0 && burstLeft == 0 && mmioReadCount == 0;
    }

    /// Lines that it read with other data than it wrote.
    public long wrongReads() {
        return wrongReads;
    }

    private void reset() {
        Arrays.fill(users, -1);
        Arrays.fill(writes, NEVER);
        Arrays.fill(waiting, 0);
        Arrays.fill(interruptBusy, false);
        mmioReadCount = 0;
        outstanding = 0;
        fenceTag = -1;
        fenceSent = NEVER;
        fenceAnswered = NEVER;
        burstLeft = 0;
    }

    /// What is not answered may never reach memory.
    private void doubtBlocksInUse() {
        for (int block = 0; block < users.length; block++) {
            for (int i = 0; users[block] >= 0 && i < BLOCK; i++) {
                memory.doubt(firstLine + (long) block * BLOCK + i);
            }
        }
    }

    @Override
    public void clock(Rx rx, Tx tx) {
        if (rx.softReset) {
            doubtBlocksInUse();
            reset();
            return;
        }
        receive(rx.c0);
        receive(rx.c1);
        c0Left = rx.c0TxAlmFull ? c0Left : Rx.BEATS_AFTER_ALMOST_FULL;
        c1Left = rx.c1TxAlmFull ? c1Left : Rx.BEATS_AFTER_ALMOST_FULL;
        if (random.nextInt(1000) == 0) {
            mood = random.nextInt(4);
        }
        if (isActive() && c0Left > 0 && read(tx.c0)) {
            c0Left -= rx.c0TxAlmFull ? 1 : 0;
        }
        if (isActive() && c1Left > 0 && driveC1(tx.c1)) {
            c1Left -= rx.c1TxAlmFull ? 1 : 0;
        }
        if (mmioReadCount != 0 && random.nextInt(4) == 0) {
            int chosen = random.nextInt(mmioReadCount);
            tx.c2.respond(mmioReads[chosen], random.nextLong());
            mmioReads[chosen] = mmioReads[--mmioReadCount];
        }
    }

    /// Sometimes every cycle, sometimes every other, sometimes rarely.
    private boolean isActive() {
        return random.nextInt(1 << (2 * mood)) == 0;
    }

    private void receive(C0Rx c0) {
        if (c0.mmioRdValid) {
            mmioReads[mmioReadCount++] = c0.tid();
        } else if (c0.isReadResponse()) {
            long line = readFrom[c0.mdata()] + c0.lineNumber();
            wrongReads += memory.mayBe(line, c0.data) ? 0 : 1;
            answered(c0.mdata(), 1);
        }
    }

    private void receive(C1Rx c1) {
        if (!c1.rspValid) {
            return;
        }
        if (c1.responseType() == C1Response.INTR.code()) {
            interruptBusy[c1.interruptId()] = false;
            outstanding--;
        } else if (c1.responseType() == C1Response.WRFENCE.code()) {
            outstanding--;
            waiting[c1.mdata()] = 0;
            if (c1.mdata() == fenceTag) {
                fenceTag = -1;
                fenceAnswered = fenceSent;
            }
        } else {
            writtenOn[blocks[c1.mdata()]] = c1.channelUsed();
            answered(c1.mdata(), c1.packed() ? c1.lineNumber() + 1 : 1);
        }
    }

    private void answered(int tag, int lines) {
        waiting[tag] -= lines;
        if (waiting[tag] == 0) {
            users[blocks[tag]] = -1;
            outstanding--;
        }
    }

    private boolean read(C0Tx c0) {
        VirtualChannel channel = channel();
        int block = block(channel);
        int tag = tag();
        if (block < 0 || tag < 0 || stopped) {
            return false;
        }
        LineCount count = count();
        use(tag, block, count.lines());
        readFrom[tag] = line(block, count);
        c0.read(
                random.nextInt(4) == 0 ? ReadType.RDLINE_S : ReadType.RDLINE_I,
                channel,
                count,
                readFrom[tag],
                tag);
        return true;
    }

    private boolean driveC1(C1Tx c1) {
        Arrays.setAll(c1.data, word -> random.nextLong());
        if (burstLeft > 0) {
            burstLeft--;
            c1.writeNext(burstType, ++burstLine);
            memory.write(burstLine, c1.data);
            return true;
        }
        int choice = stopped ? Integer.MAX_VALUE : random.nextInt(100);
        if (choice < 3) {
            return fence(c1, random.nextBoolean() ? VirtualChannel.VA : channel());
        }
        if (choice < 6 && profile.interrupts()) {
            return interrupt(c1);
        }
        return choice < 100 && write(c1);
    }

    private boolean fence(C1Tx c1, VirtualChannel channel) {
        int tag = tag();
        if (tag < 0) {
            return false;
        }
        waiting[tag] = 1;
        outstanding++;
        if (channel == VirtualChannel.VA && fenceTag < 0) {
            fenceTag = tag;
            fenceSent = c1Requests;
        }
        c1Requests++;
        c1.fence(channel, tag);
        return true;
    }

    private boolean interrupt(C1Tx c1) {
        int id = random.nextInt(interruptBusy.length);
        if (interruptBusy[id]) {
            return false;
        }
        interruptBusy[id] = true;
        outstanding++;
        c1Requests++;
        c1.interrupt(channel(), id);
        return true;
    }

    private boolean write(C1Tx c1) {
        VirtualChannel channel = channel();
        int block = block(channel);
        int tag = tag();
        if (tag < 0) {
            return false;
        }
        if (block < 0) {
            return fenceTag < 0 && fence(c1, VirtualChannel.VA);
        }
        boolean bytes = profile.byteEnable() && random.nextInt(4) == 0;
        LineCount count = bytes ? LineCount.ONE : count();
        use(tag, block, count.lines());
        writes[block] = c1Requests++;
        writtenOn[block] = 0;
        burstType = WriteType.of(random.nextInt(3));
        burstLine = line(block, count);
        burstLeft = count.lines() - 1;
        if (bytes) {
            int start = random.nextInt(64);
            int length = 1 + random.nextInt(start == 0 ? 63 : 64 - start);
            c1.writeBytes(burstType, channel, burstLine, tag, start, length);
            memory.writeBytes(burstLine, c1.data, start, length);
        } else {
            c1.write(burstType, channel, count, burstLine, tag);
            memory.write(burstLine, c1.data);
        }
        return true;
    }

    private void use(int tag, int block, int lines) {
        blocks[tag] = block;
        users[block] = tag;
        waiting[tag] = lines;
        outstanding++;
    }

    /// A block of which the order of all accesses is known on this channel, or -1.
    private int block(VirtualChannel channel) {
        for (int attempt = 0; attempt < 4; attempt++) {
            int block = random.nextInt(users.length);
            boolean ordered =
                    oneLink || writes[block] <= fenceAnswered || writtenOn[block] == channel.code();
            if (users[block] < 0 && ordered) {
                return block;
            }
        }
        return -1;
    }

    private int tag() {
        nextTag = (nextTag + 1) % TAGS;
        return waiting[nextTag] == 0 ? nextTag : -1;
    }

    private VirtualChannel channel() {
        return channels[random.nextInt(channels.length)];
    }

    private LineCount count() {
        return LineCount.ofLines(1 << random.nextInt(3));
    }

    private long line(int block, LineCount count) {
        int part = random.nextInt(BLOCK / count.lines()) * count.lines();
        return firstLine + (long) block * BLOCK + part;
    }
}
