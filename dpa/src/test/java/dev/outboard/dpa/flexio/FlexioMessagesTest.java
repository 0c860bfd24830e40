package dev.outboard.dpa.flexio;

import static dev.outboard.dpa.flexio.Refusals.fatal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.cc.Clang;
import dev.outboard.dpa.cc.Clang.Form;
import dev.outboard.dpa.flexio.FlexioErrorState.Kind;
import dev.outboard.dpa.flexio.FlexioMsgStream.Attributes;
import dev.outboard.dpa.flexio.FlexioMsgStream.Mode;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Messages.Level;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Requirement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What device code tells its host beside results: messages, and errors of its own.
class FlexioMessagesTest {
    private final List<String> first = Collections.synchronizedList(new ArrayList<>());
    private final List<String> second = Collections.synchronizedList(new ArrayList<>());

    static List<RunMode> modes() {
        return List.of(
                RunMode.fast(), RunMode.check(Observer.NONE, 1), RunMode.weak(Profile.SEED, 2));
    }

    /// In Java and in C.
    static List<Form> forms() {
        return Clang.forms(PrinterStub.APP, modes());
    }

    private static FlexioProcess open(HostProcess host, RunMode mode) {
        return open(host, new Form(mode, PrinterStub.APP));
    }

    private static FlexioProcess open(HostProcess host, Form form) {
        MachineOptions options = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);
        return FlexioProcess.create(host, DpaDevice.of(options, form.mode()), form.app());
    }

    private static DpaAddr text(FlexioProcess process) {
        return process.heap().copyFromHost("a word\0".getBytes(StandardCharsets.US_ASCII));
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement({"DPA-FXM-1", "DPA-FXM-2"})
    void aStreamTakesWhatIsImportantEnough(Form form) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, form)) {
            DpaAddr text = text(process);
            // Without a stream printing has no effect.
            assertThat(process.call(PrinterStub.print(1, text))).isEqualTo(5);

            FlexioMsgStream one =
                    FlexioMsgStream.create(
                            process, Attributes.of(Level.ERROR, Mode.SYNC), first::add);
            FlexioMsgStream two =
                    FlexioMsgStream.create(
                            process, Attributes.of(Level.INFO, Mode.SYNC), second::add);
            assertThat(List.of(one.number(), two.number())).containsExactly(0, 1);
            assertThat(process.call(PrinterStub.print(1, text))).isEqualTo(5);
            assertThat(first).containsExactly("-3 of a word is 0x0abc");
            assertThat(second).containsExactly("error", "info 18446744073709551615", "to all");

            first.clear();
            second.clear();
            one.level(Level.NONE);
            two.level(Level.DEBUG);
            process.call(PrinterStub.print(1, text));
            assertThat(first).isEmpty();
            assertThat(second).hasSize(4).contains("debug");

            two.close();
            process.call(PrinterStub.print(1, text));
            assertThat(second).hasSize(4);
        }
    }

    @Test
    @Requirement("DPA-FXM-1")
    void modesTellWhenMessagesCome() {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, RunMode.fast())) {
            DpaAddr text = text(process);
            FlexioMsgStream later =
                    FlexioMsgStream.create(
                            process, new Attributes(Level.DEBUG, Mode.ASYNC, 3), first::add);
            FlexioMsgStream batch =
                    FlexioMsgStream.create(
                            process, new Attributes(Level.DEBUG, Mode.BATCH, 3), second::add);
            process.call(PrinterStub.print(0, text));
            assertThat(first).isEmpty();
            assertThat(later.dropped()).isEqualTo(2);
            later.flush();
            assertThat(first)
                    .containsExactly(
                            "-3 of a word is 0x0abc", "error", "info 18446744073709551615");

            // One message has come from each call so far, by broadcast.
            process.call(PrinterStub.print(0, text));
            assertThat(second).isEmpty();
            process.call(PrinterStub.print(0, text));
            assertThat(second).containsExactly("to all", "to all", "to all");
            process.call(PrinterStub.print(0, text));
            batch.close();
            assertThat(second).hasSize(4);
        }
    }

    @Test
    @Requirement("DPA-FXM-1")
    void aProcessHas255Streams() {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, RunMode.fast())) {
            Attributes attributes = Attributes.of(Level.INFO, Mode.TRACER);
            List<FlexioMsgStream> streams = new ArrayList<>();
            for (int i = 0; i < 255; i++) {
                streams.add(FlexioMsgStream.create(process, attributes, first::add));
            }
            assertThatThrownBy(() -> FlexioMsgStream.create(process, attributes, first::add))
                    .isInstanceOf(FlexioException.class)
                    .hasMessageContaining("255 message streams");
            assertThat(streams.getLast().number()).isEqualTo(254);
            process.call(PrinterStub.print(7, text(process)));
            streams.forEach(FlexioMsgStream::flush);
            assertThat(first).filteredOn("to all"::equals).hasSize(255);
            streams.get(17).close();
            assertThat(FlexioMsgStream.create(process, attributes, first::add).number())
                    .isEqualTo(17);
        }
    }

    @ParameterizedTest
    @CsvSource(
            value = {
                "%d|-1|-1",
                "%5d|42|'   42'",
                "%-5d!|42|'42   !'",
                "%05d|-42|-0042",
                "%+d|7|+7",
                "% d|7|' 7'",
                "%.3d|7|007",
                "%u|-1|4294967295",
                "%hhu|-1|255",
                "%hd|65535|-1",
                "%lld|-9223372036854775808|-9223372036854775808",
                "%.2s|65|AB",
                "%x|255|ff",
                "%#X|255|0XFF",
                "%o|8|10",
                "%c|65|A",
                "%p|4096|0x1000",
                "100%%|0|100%",
                "%q|1|%q",
                "%d %d|1|1 ?"
            },
            delimiter = '|')
    @Requirement("DPA-FXM-1")
    void formatsAreThoseOfPrintf(String format, long argument, String expected) {
        assertThat(PrintFormat.format(format, new long[] {argument}, at -> at)).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement({"DPA-FXM-3", "DPA-ERR-23", "DPA-FXE-9", "DPA-FXP-3c"})
    void theProgramEndsItsProcess(Form form) {
        ended(form, 128, 128, Kind.USER);
        ended(form, 255, 255, Kind.USER);
        ended(form, 127, 0x42, Kind.USER);
        ended(form, 256, 0x42, Kind.USER);
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, form)) {
            fatal(() -> process.call(PrinterStub.finish()));
            assertThat(process.errorState()).isEqualTo(new FlexioErrorState(Kind.NONE, 0x40, ""));
        }
    }

    private static void ended(Form form, int code, int status, Kind kind) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, form)) {
            fatal(() -> process.call(PrinterStub.fail(code)));
            FlexioErrorState state = process.awaitError(Duration.ofSeconds(1));
            assertThat(state.kind()).isEqualTo(kind);
            assertThat(state.exitStatus()).isEqualTo(status);
            fatal(() -> process.heap().allocate(8));
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXM-1")
    void printfInCTakesWhatItsFormatAsksFor(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, new Form(mode, Clang.app("printer")))) {
            FlexioMsgStream.create(process, Attributes.of(Level.INFO, Mode.SYNC), first::add);
            DpaAddr text = text(process);
            assertThat(Clang.call(process, Clang.app("printer"), "formats", text.value()))
                    .isEqualTo("a word".length());
            assertThat(first)
                    .containsExactly(
                            "a word c     1|2    |00003 %% 10000000000 0x%x"
                                    .formatted(text.value()),
                            "1 2 3 4 5 6 7 8 9",
                            "   1|2   |a |a word",
                            "100 % sure",
                            "told",
                            "a word");
        }
    }

    @Test
    @Requirement("DPA-FXM-1")
    void widthsAndPrecisionsCanBeArguments() {
        long[] arguments = {5, 1, -4, 2, 3, 7, -1, 8, 9};
        assertThat(PrintFormat.format("%*d|%*d|%.*d|%.*d|%d|%*d", arguments, at -> at))
                .isEqualTo("    1|2   |007|8|9|?");
    }

    /// As wide as a program may ask for, which is less than what the host has no room for.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "%2147483647d",
                "%-2147483647d",
                "%99999999999999999999d",
                "%.2147483647d",
                "%.99999999999999999999d",
                "%.2147483647s",
                "%99999999999999999999s",
                "%*d",
                "%.*d"
            })
    void hostileWidthsAreCut(String format) {
        long[] arguments = {Integer.MAX_VALUE, 1};
        assertThat(PrintFormat.format(format, arguments, at -> 65)).hasSize(1024);
        assertThat(PrintFormat.format(format, new long[] {-1L << 31, 1}, at -> 65))
                .hasSizeLessThanOrEqualTo(1024 + "-".length());
    }
}
