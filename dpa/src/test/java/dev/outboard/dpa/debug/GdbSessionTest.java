package dev.outboard.dpa.debug;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.elf.ElfProgram;
import dev.outboard.dpa.rv.BareRun;
import dev.outboard.testkit.Seeds;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What gdb is answered, byte by byte.
class GdbSessionTest {
    private static final int SESSIONS = 200;
    private static final List<String> PACKETS =
            List.of(
                    "g",
                    "G" + "00".repeat(264),
                    "p20",
                    "P0a=0000000000000001",
                    "m10000,40",
                    "M11000,4:00000000",
                    "X11000,0:",
                    "Z0,111c0,4",
                    "Z2,13000,8",
                    "z4,13000,8",
                    "Hg1",
                    "T1",
                    "qXfer:features:read:target.xml:0,fff",
                    "qSupported:swbreak+",
                    "QStartNoAckMode",
                    "vCont;s:1;c",
                    "vCont?",
                    "?",
                    "s",
                    "c");

    @TempDir private Path directory;
    private ElfProgram program;

    @BeforeEach
    void load() throws Exception {
        program = Squares.parsed(directory);
    }

    /// Runs the program, and does something with the session when it stops.
    private void run(Consumer<GdbSession> whenStopped) {
        GdbSession[] session = new GdbSession[1];
        Operator operator =
                new Operator() {
                    @Override
                    public Resume stopped(Stop stop) {
                        session[0].stopped(stop);
                        whenStopped.accept(session[0]);
                        return session[0].resume().orElse(Resume.END);
                    }

                    @Override
                    public boolean interrupts() {
                        return false;
                    }
                };
        Debugger debugger = new Debugger(new ProgramView(program), operator);
        session[0] = new GdbSession(debugger);
        BareRun run = BareRun.of(program);
        run.follow(debugger);
        run.run(1_000_000);
    }

    private static String exchange(GdbSession session, byte[] bytes) {
        session.receive(bytes, bytes.length);
        return new String(session.toSend(), StandardCharsets.ISO_8859_1);
    }

    private static String exchange(GdbSession session, String packet) {
        String answer = exchange(session, GdbFrames.frame(packet));
        return answer.isEmpty() ? "" : answer.replaceFirst("^\\+", "").replaceAll("^\\$|#..$", "");
    }

    /// At the first instruction of the program.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "?|T05thread:1;",
                "qC|QC1",
                "qfThreadInfo|m1",
                "qsThreadInfo|l",
                "qAttached|0",
                "vCont?|vCont;c;C;s;S",
                "vMustReplyEmpty|''",
                "qTStatus|''",
                "Hg1|OK",
                "Hg2|E16",
                "Hc-1|OK",
                "T1|OK",
                "T2|E16",
                "p0|0000000000000000",
                "p1|00f0ffffffffffff",
                "p21|E16",
                "P1=0100000000000000|OK",
                "P20=0100000000000000|E16",
                "m0,4|E0e",
                "m10000,4|7f454c46",
                "m|E16",
                "mzz,4|E16",
                "m10000,ffffffffffffffff|E16",
                "M10000,2:0000|E0e",
                "M10000,2:00|E16",
                "Z0,0,4|E0e",
                "Z9,10000,4|''",
                "Z2,10000,0|E16",
                "Z2,10000,8|OK",
                "z2,10000,8|OK",
                "qXfer:features:read:target.xml:fffff,10|l",
                "G00|E16",
                "vCont;x|E16",
                "!|''",
            })
    void answers(String packet, String answer) {
        List<String> answers = new ArrayList<>();
        run(session -> answers.add(exchange(session, packet)));
        assertThat(answers).containsExactly(answer);
    }

    @Test
    void damagedPacketsAreAskedForAgainAndAnswersAreRepeated() {
        List<String> answers = new ArrayList<>();
        run(session -> {
            answers.add(exchange(session, "$?#00".getBytes(StandardCharsets.ISO_8859_1)));
            answers.add(exchange(session, "+$qC#b4".getBytes(StandardCharsets.ISO_8859_1)));
            answers.add(exchange(session, "-".getBytes(StandardCharsets.ISO_8859_1)));
            answers.add(
                    exchange(session, "$QStartNoAckMode#b0".getBytes(StandardCharsets.ISO_8859_1)));
            answers.add(exchange(session, "$qC#b4".getBytes(StandardCharsets.ISO_8859_1)));
        });
        assertThat(answers).containsExactly("-", "+$QC1#c5", "$QC1#c5", "+$OK#9a", "$QC1#c5");
    }

    @Test
    void bytesWithAMeaningOfTheirOwnAreEscaped() {
        assertThat(new String(GdbFrames.frame("a#}"), StandardCharsets.ISO_8859_1))
                .isEqualTo("$a}\u0003}]#" + sum("a}\u0003}]"));
        List<String> answers = new ArrayList<>();
        long total = program.symbols().named("total").orElseThrow().address();
        run(session -> {
            answers.add(exchange(session, "X%x,4:#$}*".formatted(total)));
            answers.add(exchange(session, "m%x,4".formatted(total)));
        });
        assertThat(answers).containsExactly("OK", "23247d2a");
    }

    private static String sum(String text) {
        return "%02x".formatted(text.chars().sum() & 0xff);
    }

    @Test
    void whatComesWhileTheProgramRunsWaits() {
        List<String> answers = new ArrayList<>();
        byte[] both =
                (new String(GdbFrames.frame("s"), StandardCharsets.ISO_8859_1)
                                + new String(GdbFrames.frame("qC"), StandardCharsets.ISO_8859_1))
                        .getBytes(StandardCharsets.ISO_8859_1);
        run(session -> {
            answers.add(new String(session.toSend(), StandardCharsets.ISO_8859_1));
            if (answers.size() == 1) {
                answers.add(exchange(session, both));
            }
        });
        assertThat(answers)
                .containsExactly("", "+", "$T05thread:1;#" + sum("T05thread:1;") + "+$QC1#c5");
    }

    /// Packets of gdb, changed anywhere, and bytes of chance: each is answered or dropped, and the
    /// program ends at last.
    @Test
    void nothingThatComesBreaksIt() throws Exception {
        Seeds.campaign(
                SESSIONS,
                seed -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    int[] left = {100};
                    run(session -> {
                        while (left[0]-- > 0 && session.resume().isEmpty()) {
                            byte[] bytes = hostile(random);
                            session.receive(bytes, bytes.length);
                            assertThat(session.toSend().length)
                                    .isLessThan(GdbFrames.MOST_BYTES * 8);
                        }
                    });
                });
    }

    private static byte[] hostile(SplittableRandom random) {
        StringBuilder packet = new StringBuilder(PACKETS.get(random.nextInt(PACKETS.size())));
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            int at = random.nextInt(packet.length());
            packet.setCharAt(at, (char) random.nextInt(random.nextBoolean() ? 128 : 256));
        }
        if (random.nextInt(4) == 0) {
            packet.setLength(random.nextInt(packet.length() + 1));
        }
        byte[] bytes = GdbFrames.frame(packet.toString());
        if (random.nextInt(8) == 0) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return bytes;
    }
}
