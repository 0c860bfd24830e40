package dev.outboard.console.afu;

import dev.outboard.ccip.afu.example.ByteWriter;
import dev.outboard.ccip.afu.example.Hello;
import dev.outboard.ccip.afu.example.InterruptSender;
import dev.outboard.ccip.afu.example.JobRegisters;
import dev.outboard.ccip.afu.example.Sha256;
import dev.outboard.ccip.afu.example.UmsgEcho;
import dev.outboard.ccip.afu.example.VectorAdd;
import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.wire.Line;
import dev.outboard.terminal.CommandException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;

/// One run of a [HostProgram]: an AFU that was opened, a buffer for it to read and one to write.
final class HostJob {
    private static final int POLL_CYCLES = 100;
    private static final int CYCLES_AFTER_ERROR = 100_000;

    /// Any byte of a line but its first.
    private static final int OFFSET = 5;

    private final Simulation simulation;
    private final Fpga fpga;
    private final long limit;
    private final int lines;
    private final int bytes;
    private final Buffer source;
    private final Buffer destination;

    /// Prepares the buffers. What `input` leaves of the source holds its own index in each long.
    ///
    /// @param limit the cycle in which the program has to be done
    HostJob(Simulation simulation, Fpga fpga, int lines, byte[] input, long limit) {
        this.simulation = simulation;
        this.fpga = fpga;
        this.limit = limit;
        this.lines = lines;
        bytes = lines * Line.BYTES;
        source = fpga.prepareBuffer(bytes);
        destination = fpga.prepareBuffer(bytes);
        for (int i = 0; i < bytes / Long.BYTES; i++) {
            source.segment().setAtIndex(ValueLayout.JAVA_LONG, i, i);
        }
        MemorySegment.copy(
                input,
                0,
                source.segment(),
                ValueLayout.JAVA_BYTE,
                0,
                Math.min(input.length, bytes));
    }

    /// The AFU announces data by writing this line.
    void markFlag(FlagLine flag) {
        if (flag.line() >= lines) {
            throw new CommandException(
                    "--flag: no line "
                            + flag.line()
                            + " in a buffer of "
                            + lines
                            + " lines; valid are 0 to "
                            + (lines - 1));
        }
        long first = (flag.source() ? source : destination).lineAddress();
        simulation.checker().markFlag(first + flag.line());
    }

    UUID afuId() {
        return fpga.afuId();
    }

    /// What the AFU wrote.
    byte[] result() {
        return content(destination);
    }

    private byte[] content(Buffer buffer) {
        return buffer.segment().asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
    }

    String hello() {
        fpga.writeMmio64(Hello.BUFFER, destination.lineAddress());
        fpga.waitUntil(
                () -> destination.segment().get(ValueLayout.JAVA_BYTE, 0) != 0, cyclesLeft());
        byte[] line = result();
        int end = 0;
        while (end < Line.BYTES && line[end] != 0) {
            end++;
        }
        return "the AFU wrote \"" + new String(line, 0, end, StandardCharsets.US_ASCII) + '"';
    }

    String transform() {
        work();
        return "the AFU worked through " + lines + " lines";
    }

    String copy() {
        work();
        require(content(source), result());
        return "the AFU copied " + lines + " lines";
    }

    String add() {
        Buffer second = fpga.prepareBuffer(bytes);
        byte[] expected = new byte[bytes];
        MemorySegment sums = MemorySegment.ofArray(expected);
        for (int at = 0; at < bytes; at += Integer.BYTES) {
            int summand = at * 31;
            second.segment().set(ValueLayout.JAVA_INT, at, summand);
            int sum = source.segment().get(ValueLayout.JAVA_INT, at) + summand;
            sums.set(ValueLayout.JAVA_INT_UNALIGNED, at, sum);
        }
        fpga.writeMmio64(VectorAdd.SECOND_SOURCE, second.lineAddress());
        work();
        require(expected, result());
        return "the AFU added " + bytes / Integer.BYTES + " integers";
    }

    String digest() throws NoSuchAlgorithmException {
        fpga.writeMmio64(Sha256.LENGTH, bytes);
        work();
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(content(source));
        require(digest, Arrays.copyOf(result(), digest.length));
        return "the AFU computed " + HexFormat.of().formatHex(digest);
    }

    String interrupt() {
        fpga.registerInterrupt(0);
        fpga.writeMmio64(InterruptSender.IDS, 1);
        start();
        fpga.waitForInterrupt(0, cyclesLeft());
        long last = (lines - 1L) * Line.LONGS;
        long found = destination.segment().getAtIndex(ValueLayout.JAVA_LONG, last);
        if (found != lines - 1) {
            throw new CommandException(
                    "the last line holds " + found + " after the interrupt, not " + (lines - 1));
        }
        return "the AFU wrote " + lines + " lines and sent interrupt 0";
    }

    String shift() {
        int length = bytes - Line.BYTES;
        fpga.writeMmio64(ByteWriter.OFFSET, OFFSET);
        fpga.writeMmio64(ByteWriter.LENGTH, length);
        work();
        byte[] expected = new byte[bytes];
        System.arraycopy(content(source), 0, expected, OFFSET, length);
        require(expected, result());
        return "the AFU copied " + length + " bytes to byte " + OFFSET;
    }

    String umsg() {
        Buffer flag = fpga.prepareBuffer(Line.BYTES);
        long[] words = new long[UmsgEcho.FLAG + 1];
        words[UmsgEcho.SEQUENCE] = 1;
        words[UmsgEcho.SOURCE] = source.lineAddress();
        words[UmsgEcho.DESTINATION] = destination.lineAddress();
        words[UmsgEcho.LINES] = lines;
        words[UmsgEcho.FLAG] = flag.lineAddress();
        fpga.triggerUmsg(0, words);
        fpga.waitUntil(
                () -> flag.segment().get(ValueLayout.JAVA_LONG, 0) == words[UmsgEcho.SEQUENCE],
                cyclesLeft());
        require(content(source), result());
        return "the AFU gave " + lines + " lines back";
    }

    private void start() {
        fpga.writeMmio64(JobRegisters.SOURCE, source.lineAddress());
        fpga.writeMmio64(JobRegisters.DESTINATION, destination.lineAddress());
        fpga.writeMmio64(JobRegisters.LINES, lines);
        fpga.writeMmio64(JobRegisters.CONTROL, JobRegisters.START);
    }

    /// Starts the AFU and polls its status until it is done.
    private void work() {
        start();
        while ((fpga.readMmio64(JobRegisters.STATUS) & JobRegisters.DONE) == 0) {
            if (cyclesLeft() <= 0) {
                throw new CommandException(
                        "bit 0 of register 0x%x, STATUS, is still 0 in cycle %d"
                                .formatted(JobRegisters.STATUS, simulation.cycle()));
            }
            fpga.step(POLL_CYCLES);
        }
    }

    /// After a protocol error the port takes no more requests: what is not done soon is never done.
    private long cyclesLeft() {
        long end =
                fpga.firstError()
                        .map(error -> Math.min(limit, error.cycle() + CYCLES_AFTER_ERROR))
                        .orElse(limit);
        return end - simulation.cycle();
    }

    private static void require(byte[] expected, byte[] found) {
        int at = Arrays.mismatch(expected, found);
        if (at >= 0) {
            throw new CommandException(
                    "byte %d of the result is 0x%02x, not 0x%02x"
                            .formatted(at, found[at], expected[at]));
        }
    }
}
