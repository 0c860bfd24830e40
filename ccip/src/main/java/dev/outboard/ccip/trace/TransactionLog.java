package dev.outboard.ccip.trace;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.C1Framing;
import dev.outboard.ccip.checker.CacheLookup;
import dev.outboard.ccip.checker.CacheTransition;
import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.checker.Monitor;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.C0Tx;
import dev.outboard.ccip.wire.C1Response;
import dev.outboard.ccip.wire.C1Rx;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.C2Tx;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.PowerState;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// Every transaction of a port, cycle by cycle, in the order Tx C0, C1, C2, Rx C0, C1 within a
/// cycle, each change of reset, error, power and almost-full, and at the end of a cycle the lookups
/// of the FPGA cache: for programs an object each, for files a line of text between tabs. Cycles in
/// which nothing happens leave no line.
///
/// It must be there from cycle 0: requests are counted from power-up. It is called by the thread
/// that clocks the port.
///
/// ```java
/// try (Writer file = Files.newBufferedWriter(path)) {
///     simulation.monitor(TransactionLog.to(file));
///     …
/// }
/// ```
public final class TransactionLog implements Monitor {
    private static final int TIDS = 512;

    private final Consumer<Transaction> reader;
    private final Beat beat = new Beat();
    private final C1Framing framing = new C1Framing();
    private final long[] mmioRead = new long[TIDS];
    private long mmioReads;
    private long c0Requests;
    private boolean began;
    private boolean reset;
    private boolean error;
    private boolean c0AlmostFull;
    private boolean c1AlmostFull;
    private PowerState power = PowerState.AP0;

    /// A log for a program.
    public TransactionLog(Consumer<Transaction> reader) {
        this.reader = reader;
        Arrays.fill(mmioRead, Transaction.NONE);
    }

    /// A log as text, which begins with [Transaction#HEADER_LINE]. Who opened `out` closes it.
    public static TransactionLog to(Appendable out) {
        appendLine(out, Transaction.HEADER_LINE);
        return new TransactionLog(transaction -> appendLine(out, transaction.text()));
    }

    private static void appendLine(Appendable out, String line) {
        try {
            out.append(line).append('\n');
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// CCIP-MOD-8: every transaction, with all its fields.
    @Override
    public void clock(long cycle, Tx tx, Rx rx, Answers answers) {
        port(cycle, rx);
        if (tx.c0.valid) {
            c0Tx(cycle, tx.c0);
        }
        if (tx.c1.valid) {
            c1Tx(cycle, tx.c1);
        }
        if (tx.c2.mmioRdValid) {
            c2Tx(cycle, tx.c2);
        }
        if (rx.c0.mmioRdValid || rx.c0.mmioWrValid) {
            mmioRequest(cycle, rx.c0);
        } else if (rx.c0.rspValid) {
            c0Response(cycle, rx.c0, answers.c0Request);
        }
        if (rx.c1.rspValid) {
            c1Response(cycle, rx.c1, answers.c1Request);
        }
    }

    /// CCIP-CCH-8: each lookup of the FPGA cache.
    @Override
    public void lookup(long cycle, CacheLookup lookup) {
        CacheTransition transition = lookup.transition;
        beat.begin(cycle, Channel.CACHE, transition.request().name());
        beat.request = lookup.request;
        beat.channel(VirtualChannel.VL0.code());
        beat.line = lookup.request == CacheLookup.NONE ? Transaction.NONE : lookup.line;
        beat.address = lookup.address;
        beat.hit = transition.hit() ? 1 : 0;
        beat.before = transition.before().name();
        beat.upi = upi(transition);
        beat.victim = lookup.victim;
        beat.after = transition.after().name();
        reader.accept(beat.end());
    }

    private static String upi(CacheTransition transition) {
        String commands =
                transition.phases().stream()
                        .map(CacheTransition.Phase::command)
                        .filter(command -> command != CacheTransition.Command.NONE)
                        .map(CacheTransition.Command::toString)
                        .collect(Collectors.joining(","));
        return commands.isEmpty() ? Transaction.NO_TEXT : commands;
    }

    private void port(long cycle, Rx rx) {
        if (!began || reset != rx.softReset) {
            reset = rx.softReset;
            wire(cycle, "SOFT_RESET", reset ? "1" : "0");
            if (reset) {
                framing.reset();
            }
        }
        if (error != rx.error) {
            error = rx.error;
            wire(cycle, "ERROR", error ? "1" : "0");
        }
        if (power != rx.powerState) {
            power = rx.powerState;
            wire(cycle, "POWER_STATE", power.name());
        }
        // In reset the almost-full wires mean nothing, and the FIU drives garbage there.
        if (c0AlmostFull != rx.c0TxAlmFull && !reset) {
            c0AlmostFull = rx.c0TxAlmFull;
            wire(cycle, "C0_ALMOST_FULL", c0AlmostFull ? "1" : "0");
        }
        if (c1AlmostFull != rx.c1TxAlmFull && !reset) {
            c1AlmostFull = rx.c1TxAlmFull;
            wire(cycle, "C1_ALMOST_FULL", c1AlmostFull ? "1" : "0");
        }
        began = true;
    }

    private void wire(long cycle, String name, String value) {
        beat.begin(cycle, Channel.PORT, name);
        beat.data = value;
        reader.accept(beat.end());
    }

    private void c0Tx(long cycle, C0Tx c0) {
        beat.begin(cycle, Channel.TX_C0, TypeNames.of(c0));
        beat.request = c0Requests++;
        beat.channel(c0.channel());
        beat.lines = c0.lengthCode() + 1;
        beat.address = c0.address();
        beat.mdata = c0.mdata();
        beat.header(c0.hdrHigh, c0.hdrLow, 74);
        reader.accept(beat.end());
    }

    private void c1Tx(long cycle, C1Tx c1) {
        beat.begin(cycle, Channel.TX_C1, TypeNames.of(c1));
        framing.accept(c1);
        beat.request = framing.requests() - 1;
        beat.sop = c1.startOfPacket() ? 1 : 0;
        beat.header(c1.hdrHigh, c1.hdrLow, 80);
        int type = c1.requestType();
        if (type == WriteType.INTR.code()) {
            beat.channel(c1.channel());
            beat.tid = c1.interruptId();
        } else if (type == WriteType.WRFENCE.code()) {
            beat.channel(c1.channel());
            beat.mdata = c1.mdata();
        } else {
            beat.mode = c1.byteMode() ? 1 : 0;
            beat.byteStart = c1.byteStart();
            beat.byteLength = c1.byteLength();
            if (c1.startOfPacket()) {
                beat.channel(c1.channel());
                beat.lines = c1.lengthCode() + 1;
                beat.address = c1.address();
                beat.mdata = c1.mdata();
            } else {
                beat.line = (int) c1.address() & 3;
            }
            beat.data(c1.data, 64);
        }
        reader.accept(beat.end());
    }

    private void c2Tx(long cycle, C2Tx c2) {
        beat.begin(cycle, Channel.TX_C2, "MMIO_READ");
        beat.tid = c2.tid;
        beat.request = mmioRead[c2.tid & TIDS - 1];
        beat.header(0, c2.tid, 9);
        beat.data = Beat.hexadecimal(c2.data, 16);
        reader.accept(beat.end());
    }

    private void mmioRequest(long cycle, C0Rx c0) {
        beat.begin(cycle, Channel.RX_C0, TypeNames.of(c0));
        beat.address = c0.mmioAddress() * 4L;
        int bytes = c0.mmioLength() == 3 ? 0 : MmioLength.of(c0.mmioLength()).bytes();
        beat.byteLength = bytes;
        beat.header(0, c0.hdr, 28);
        if (c0.mmioRdValid) {
            beat.tid = c0.tid();
            beat.request = mmioReads;
            mmioRead[c0.tid()] = mmioReads++;
        } else {
            beat.data(c0.data, bytes);
        }
        reader.accept(beat.end());
    }

    private void c0Response(long cycle, C0Rx c0, long request) {
        beat.begin(cycle, Channel.RX_C0, TypeNames.of(c0));
        beat.header(0, c0.hdr, 28);
        if (c0.isUmsg()) {
            beat.tid = c0.umsgId();
        } else {
            beat.request = request;
            beat.channel(c0.channelUsed());
            beat.line = c0.lineNumber();
            beat.mdata = c0.mdata();
            beat.hit = c0.hit() ? 1 : 0;
        }
        if (!c0.isUmsg() || !c0.isHint()) {
            beat.data(c0.data, 64);
        }
        reader.accept(beat.end());
    }

    private void c1Response(long cycle, C1Rx c1, long request) {
        beat.begin(cycle, Channel.RX_C1, TypeNames.of(c1));
        beat.request = request;
        beat.header(0, c1.hdr, 28);
        if (c1.responseType() == C1Response.INTR.code()) {
            beat.channel(c1.channelUsed());
            beat.tid = c1.interruptId();
        } else {
            beat.mdata = c1.mdata();
        }
        if (c1.isWriteResponse()) {
            beat.channel(c1.channelUsed());
            beat.hit = c1.hit() ? 1 : 0;
            beat.format = c1.packed() ? 1 : 0;
            if (c1.packed()) {
                beat.lines = c1.lineNumber() + 1;
            } else {
                beat.line = c1.lineNumber();
            }
        }
        reader.accept(beat.end());
    }
}
