package dev.outboard.ccip.fiu;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.platform.Access;
import dev.outboard.ccip.platform.AfterError;
import dev.outboard.ccip.platform.MemoryModel;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.PageSize;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.platform.ResponseFormat;
import dev.outboard.ccip.platform.Translation;
import dev.outboard.ccip.wire.C1Response;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// An FIU whose port is driven beat by beat, with 64 KiB of memory behind it; it keeps what comes
/// back.
final class Port {
    /// A response, as decoded from the wires.
    record Response(
            long cycle,
            boolean write,
            int type,
            VirtualChannel channel,
            boolean hit,
            boolean packed,
            int number,
            int mdata,
            long request,
            long word) {}

    static final int LINES = 1024;

    final HostMemory memory;
    final MemorySegment bytes;
    final long base;
    final Checker checker;
    final Mmio mmio;
    final Fiu fiu;
    final Tx tx = new Tx();
    final Rx rx = new Rx();
    final Answers answers = new Answers();
    final List<Response> responses = new ArrayList<>();
    long cycle;

    Port(Profile profile) {
        this(profile, Mode.TIMED, 1, ResponseFormat.BY_CHANNEL);
    }

    Port(Profile profile, Mode mode, long seed, ResponseFormat format) {
        this(
                new Parameters(
                        profile,
                        mode,
                        MemoryModel.MANUAL,
                        seed,
                        format,
                        AfterError.COMPLETE,
                        false));
    }

    Port(Parameters parameters) {
        bytes = Arena.ofAuto().allocate(LINES * (long) Line.BYTES, 4096);
        memory = new HostMemory(parameters.seed(), Translation.IOMMU);
        base = memory.map(List.of(bytes), PageSize.KIB_4, Access.READ_WRITE) / Line.BYTES;
        checker = new Checker(parameters.profile(), ErrorPolicy.LOG);
        mmio = new Mmio(parameters.profile(), 1, false, checker);
        fiu = new Fiu(parameters, memory, checker, mmio, null, new Interrupts(checker));
        edges(Fiu.RESET_CYCLES + 2);
    }

    /// The word at the beginning of a line.
    long word(int line) {
        return bytes.getAtIndex(ValueLayout.JAVA_LONG, line * 8L);
    }

    void word(int line, long value) {
        bytes.setAtIndex(ValueLayout.JAVA_LONG, line * 8L, value);
    }

    Port read(int line, LineCount count, VirtualChannel channel, int mdata) {
        tx.c0.read(ReadType.RDLINE_I, channel, count, base + line, mdata);
        return this;
    }

    Port read(int line, int mdata) {
        return read(line, LineCount.ONE, VirtualChannel.VA, mdata);
    }

    /// The first beat of a write; each word of the line is `word`.
    Port write(int line, LineCount count, VirtualChannel channel, int mdata, long word) {
        tx.c1.write(WriteType.WRLINE_I, channel, count, base + line, mdata);
        Arrays.fill(tx.c1.data, word);
        return this;
    }

    Port write(int line, int mdata, long word) {
        return write(line, LineCount.ONE, VirtualChannel.VA, mdata, word);
    }

    /// A later beat.
    Port next(int line, long word) {
        tx.c1.writeNext(WriteType.WRLINE_I, base + line);
        Arrays.fill(tx.c1.data, word);
        return this;
    }

    /// All beats of a write, an edge for each; line `i` is filled with `word + i`.
    Port burst(int line, LineCount count, VirtualChannel channel, int mdata, long word) {
        write(line, count, channel, mdata, word).edge();
        for (int i = 1; i < count.lines(); i++) {
            next(line + i, word + i).edge();
        }
        return this;
    }

    Port fence(VirtualChannel channel, int mdata) {
        tx.c1.fence(channel, mdata);
        return this;
    }

    /// One edge: the FIU samples what is driven, and answers.
    Port edge() {
        fiu.clock(cycle, tx, rx, answers);
        tx.idle();
        record();
        cycle++;
        return this;
    }

    Port edges(int count) {
        for (int i = 0; i < count; i++) {
            edge();
        }
        return this;
    }

    /// Edges until nothing is in flight.
    Port settle() {
        for (int i = 0; i < 100_000 && !fiu.isIdle(); i++) {
            edge();
        }
        if (!fiu.isIdle()) {
            throw new AssertionError(
                    "Still in flight after 100,000 cycles; answered: " + responses);
        }
        return this;
    }

    private void record() {
        if (rx.c0.isReadResponse()) {
            boolean write = false;
            int type = rx.c0.responseType();
            VirtualChannel channel = VirtualChannel.of(rx.c0.channelUsed());
            boolean hit = rx.c0.hit();
            boolean packed = false;
            int number = rx.c0.lineNumber();
            int mdata = rx.c0.mdata();
            long request = answers.c0Request;
            long word = rx.c0.data[0];
            responses.add(
                    new Response(
                            cycle, write, type, channel, hit, packed, number, mdata, request,
                            word));
        }
        if (rx.c1.rspValid) {
            boolean interrupt = rx.c1.responseType() == C1Response.INTR.code();
            boolean write = true;
            int type = rx.c1.responseType();
            VirtualChannel channel = VirtualChannel.of(rx.c1.channelUsed());
            boolean hit = rx.c1.hit();
            boolean packed = rx.c1.packed();
            int number = rx.c1.lineNumber();
            int mdata = interrupt ? rx.c1.interruptId() : rx.c1.mdata();
            long request = answers.c1Request;
            long word = 0;
            responses.add(
                    new Response(
                            cycle, write, type, channel, hit, packed, number, mdata, request,
                            word));
        }
    }

    List<Response> reads() {
        return responses.stream().filter(response -> !response.write()).toList();
    }

    List<Response> writes() {
        return responses.stream().filter(Response::write).toList();
    }
}
