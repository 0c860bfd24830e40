package dev.outboard.fabric.roce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.roce.cm.CmDefaults;
import dev.outboard.fabric.roce.cm.CmTimers;
import dev.outboard.fabric.roce.cm.ResendPolicy;
import dev.outboard.fabric.roce.device.RoceDevice;
import dev.outboard.fabric.roce.io.UdpSocket;
import dev.outboard.fabric.roce.nic.GeneralServices;
import dev.outboard.fabric.roce.nic.QueuePairOne;
import dev.outboard.fabric.roce.rc.PeerBuffer;
import dev.outboard.fabric.roce.rc.RcConnection;
import dev.outboard.fabric.roce.rc.RcDefaults;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.spi.DeviceUri;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Every default that the catalog states is the one the product has. The statement is read from the
/// catalog, so whoever changes either has to change both.
class CatalogDefaultsTest {
    private static final DeviceUri PLAIN = DeviceUri.parse("roce://127.0.0.1");
    private static final ConnectionParameters PARAMETERS = ConnectionParameters.defaults();
    private static final int ACK_TIMEOUT = CmDefaults.ackTimeout(RoceDevice.PACKET_LIFETIME_CODE);
    private static final int LINUX_ACK_TIMEOUT =
            CmDefaults.ackTimeout(CmDefaults.configuration().packetLifetime());
    private static final CmTimers TIMERS = CmDefaults.configuration().timers();

    /// How the catalog states it, with a group for each value, and what it is here.
    private record Default(String statement, List<Object> actual) {
        static Default of(String statement, Object... actual) {
            return new Default(statement, List.of(actual));
        }
    }

    private static final List<Default> DEFAULTS =
            List.of(
                    Default.of(
                            "policy switch STRICT / (\\w+) \\(default\\) / OFF",
                            RoceOptions.of(PLAIN).icrc()),
                    Default.of(
                            "Our CM default: (\\d+) \\((\\S+) ms\\)",
                            GeneralServices.MIN_RNR_TIMER_CODE,
                            Aeth.rnrTimerNanos(GeneralServices.MIN_RNR_TIMER_CODE) / 1e6),
                    Default.of(
                            "Ours: configurable, default ≤(\\d+) packets per QP",
                            RcConnection.MAX_WINDOW_PACKETS),
                    Default.of(
                            "CM default timeout code of Linux (\\d+) → (\\S+) s, ours (\\d+) → (\\S+) s",
                            LINUX_ACK_TIMEOUT,
                            seconds(LINUX_ACK_TIMEOUT),
                            ACK_TIMEOUT,
                            seconds(ACK_TIMEOUT)),
                    Default.of("ours: (\\d) = seven retries, the default", PARAMETERS.retryCount()),
                    Default.of("7 = infinite; our default is (\\d)\\.", PARAMETERS.rnrRetryCount()),
                    Default.of(
                            "packet life time (\\d+) \\(RoCE default\\) and peer/own ack delay (\\d+)",
                            CmDefaults.configuration().packetLifetime(),
                            CmDefaults.ACK_DELAY),
                    Default.of(
                            "REQ, REP and DREQ (\\d+) ms doubling to (\\d+) s, (\\S+) s in all",
                            TIMERS.request().first().toMillis(),
                            TIMERS.request().longest().toSeconds(),
                            TIMERS.request().total().toMillis() / 1e3),
                    Default.of(
                            "\\*\\*(\\d+) ms\\*\\* \\(measured 6.3–6.4 s\\), up to max_cm_retries"
                                    + " \\((\\d+)\\)",
                            CmTimers.LINUX.request().first().toMillis(),
                            ResendPolicy.MAX_RESENDS),
                    Default.of(
                            "= \\*\\*(\\d+) ms\\*\\* \\(measured 4.19 s\\)",
                            CmTimers.LINUX.reply().first().toMillis()),
                    Default.of("MRA\\(REQ, service timeout (\\d+)\\)", CmDefaults.SERVICE_TIMEOUT),
                    Default.of(
                            "QP1 \\(GSI\\): Q_Key (0x\\w+)",
                            "0x%08x".formatted(QueuePairOne.QUEUE_KEY)),
                    Default.of(
                            "rdma_cm UD/IPoIB Q_Key (0x\\w+)",
                            "0x%08x".formatted(GeneralServices.DATAGRAM_QUEUE_KEY)),
                    Default.of(
                            "at most one CNP per QP per (\\d+) µs", RcDefaults.NOTIFICATION_MICROS),
                    Default.of("DSCP usually (\\d+)", RcDefaults.NOTIFICATION_DSCP),
                    Default.of(
                            "at most one cut per (\\d+) µs.* g=1/(\\d+)\\. Every (\\d+) µs without",
                            RcDefaults.CUT_MICROS,
                            RcDefaults.INVERSE_GAIN,
                            RcDefaults.CALM_MICROS),
                    Default.of("timer \\(≈(\\S+) ms here", RcDefaults.INCREASE_MILLIS),
                    Default.of(
                            "counter \\(≈(\\d+) MB\\): (\\d+) rounds fast .*\\((\\d+) Mb/s\\)",
                            RcDefaults.INCREASE_MEGABYTES,
                            RcDefaults.FAST_ROUNDS,
                            RcDefaults.ADDITIVE_MEGABITS),
                    Default.of(
                            "Ours by default: start (\\d+),[^*]*to (\\d+) on timeout; cap (\\d+)",
                            RcDefaults.INITIAL_WINDOW,
                            RcDefaults.WINDOW_AFTER_TIMEOUT,
                            RcConnection.MAX_WINDOW_PACKETS),
                    Default.of(
                            "ROCE-CC-3 .* default never overruns a (\\d+ \\d+)-byte peer",
                            String.format(Locale.ROOT, "%,d", PeerBuffer.DEFAULT_BYTES)
                                    .replace(',', ' ')),
                    Default.of("asking (\\d+) MiB", UdpSocket.BUFFER_BYTES >> 20),
                    Default.of("SO_RCVBUF ≥ (\\d+) MiB requested", UdpSocket.BUFFER_BYTES >> 20));

    @TestFactory
    @Requirement(
            table = true,
            value = {
                "ROCE-ICRC-7",
                "ROCE-SOCK-6",
                "ROCE-RC-15",
                "ROCE-RC-17",
                "ROCE-CM-6",
                "ROCE-CM-11",
                "ROCE-CM-17",
                "ROCE-CC-3"
            })
    List<DynamicTest> everyDefaultIsTheOneOfTheCatalog() throws IOException {
        String catalog = catalog();
        return DEFAULTS.stream()
                .map(expected ->
                        DynamicTest.dynamicTest(
                                expected.statement(), () -> compare(catalog, expected)))
                .toList();
    }

    private static void compare(String catalog, Default expected) {
        Matcher stated = Pattern.compile(expected.statement()).matcher(catalog);
        assertThat(stated.find()).as("the catalog states it so").isTrue();
        assertThat(stated.groupCount()).isEqualTo(expected.actual().size());
        for (int i = 0; i < expected.actual().size(); i++) {
            assertThat(written(expected.actual().get(i))).isEqualTo(stated.group(i + 1));
        }
    }

    /// No line speaks of a default of ours that this table does not look at.
    @Test
    void noDefaultIsLeftOut() throws IOException {
        String catalog = catalog();
        List<MatchResult> known =
                DEFAULTS.stream()
                        .flatMap(each ->
                                Pattern.compile(each.statement()).matcher(catalog).results())
                        .toList();
        List<MatchResult> lines =
                Pattern.compile("(?mi)^.*\\bours?\\b.*default.*$")
                        .matcher(catalog)
                        .results()
                        .toList();

        assertThat(lines)
                .hasSizeGreaterThan(5)
                .allMatch(line ->
                        known.stream()
                                .anyMatch(
                                        at -> at.start() < line.end() && at.end() > line.start()));
    }

    private static String catalog() throws IOException {
        return Files.readString(Repository.root().resolve("spec/roce.md"));
    }

    /// 4.096 µs·2^code.
    private static BigDecimal seconds(int code) {
        return BigDecimal.valueOf(4096L << code, 9).setScale(2, RoundingMode.HALF_UP);
    }

    private static String written(Object value) {
        return value instanceof Double number
                ? BigDecimal.valueOf(number).stripTrailingZeros().toPlainString()
                : value.toString();
    }
}
