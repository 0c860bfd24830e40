package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Every default that the catalog states, read before anything starts, on every provider. The
/// catalog's words are the keys: a row that changes, comes or goes has to be looked at here.
abstract class RdmaDefaultsContract {
    /// A property's row: its ID, name, rule, default, source and mark.
    private static final Pattern PROPERTY =
            Pattern.compile(
                    "\\| (DRDMA-PROP-\\d+) \\| ([^|]+) \\| [^|]+ \\| ([^|]+) \\| [^|]+ \\| [^|]+"
                            + " \\|");

    private final Map<String, Default> expected = new LinkedHashMap<>();
    private DocaDev dev;
    private Rdma rdma;

    /// What one row says, and what holds.
    ///
    /// @param inCatalog the row's words
    /// @param value what the getter has to give
    /// @param actual what it gives
    /// @param documented what the setter's comment says
    private record Default(
            String inCatalog, Object value, Supplier<Object> actual, String documented) {}

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    @BeforeEach
    void open() {
        DocaDevInfo info = device();
        dev = DocaDev.open(info);
        rdma = new Rdma(dev).send(5).read(6).receive(9);
        int port = RdmaCapabilities.of(info).maxMtu();
        row(
                "1",
                "covers the sum of enabled send-side task counts (DD-13)",
                16,
                rdma::sendQueueSize,
                "sendQueueSize: as many as are enabled");
        row(
                "2",
                "covers the receive task count",
                16,
                rdma::recvQueueSize,
                "recvQueueSize: as many as are enabled");
        row(
                "3",
                "4, capped by the device",
                4,
                rdma::maxSendBufListLen,
                "maxSendBufListLen: 4 by default");
        row(
                "4",
                "4, capped by the device",
                4,
                rdma::receiveDstBufListLen,
                "receiveDstBufListLen: 4 by default");
        row("5", "RC", TransportType.RC, rdma::transportType, "transportType: RC by default");
        row(
                "6",
                "the lower of both ports; may change at connect if not set by the user",
                port,
                rdma::mtu,
                "mtu: the device's by default");
        row(
                "7",
                "none",
                "[]",
                () -> rdma.permissions().toString(),
                "permissions: nothing by default");
        row("8", "on", true, rdma::grhEnabled, "grhEnabled: true by default");
        row(
                "9",
                "first RoCEv2 GID of the device, IPv4-mapped preferred",
                0,
                rdma::gidIndex,
                "gidIndex: 0 by default");
        row("10", "0", 0, rdma::serviceLevel, "serviceLevel: 0 by default");
        row("11", "1", 1, rdma::maxNumConnections, "maxNumConnections: 1 by default");
        row(
                "12",
                "6 (finite: a missing receive must end in a failure)",
                6,
                rdma::rnrRetryCount,
                "rnrRetryCount: 6 by default");
        row(
                "13",
                "2000",
                2000L,
                () -> rdma.connectionRequestTimeout().toMillis(),
                "connectionRequestTimeout: 2 seconds by default");
        row(
                "14",
                "see DRDMA-STATE-2",
                ConnectionMode.GATED,
                rdma::connectionMode,
                "connectionMode: By default GATED");
        row(
                "15",
                "7, ≈0.5 s each",
                "7 17",
                () -> rdma.retryCount() + " " + rdma.timeoutCode(),
                "timeoutCode: 17 (0.54 s) by default");
    }

    private void row(
            String id, String inCatalog, Object value, Supplier<Object> actual, String documented) {
        expected.put("DRDMA-PROP-" + id, new Default(inCatalog, value, actual, documented));
    }

    @AfterEach
    void close() {
        rdma.close();
        dev.close();
    }

    private static String file(String path) throws IOException {
        return Files.readString(Repository.root().resolve(path));
    }

    @Test
    @Requirement("DRDMA-PROP-16b")
    void theCatalogStatesTheDefaultsThatAreTestedHere() throws IOException {
        Map<String, String> stated = new TreeMap<>();
        Matcher rows = PROPERTY.matcher(file("spec/doca-rdma.md"));
        while (rows.find()) {
            stated.put(rows.group(1), rows.group(3));
        }
        Map<String, String> tested = new TreeMap<>();
        expected.forEach((id, each) -> tested.put(id, each.inCatalog));
        assertThat(stated).isEqualTo(tested);
    }

    @Test
    @Requirement(
            table = true,
            value = {
                "DRDMA-PROP-1",
                "DRDMA-PROP-2",
                "DRDMA-PROP-3",
                "DRDMA-PROP-4",
                "DRDMA-PROP-5",
                "DRDMA-PROP-6",
                "DRDMA-PROP-7",
                "DRDMA-PROP-8",
                "DRDMA-PROP-9",
                "DRDMA-PROP-10",
                "DRDMA-PROP-11",
                "DRDMA-PROP-12",
                "DRDMA-PROP-13",
                "DRDMA-PROP-14",
                "DRDMA-PROP-15",
                "DRDMA-PROP-16b"
            })
    void eachDefaultIsReadBeforeTheStart() {
        expected.forEach((id, each) ->
                assertThat(each.actual.get())
                        .as("%s: %s", id, each.inCatalog)
                        .isEqualTo(each.value));
    }

    @Test
    @Requirement("DRDMA-PROP-16a")
    void eachDefaultStandsInTheDocumentationOfItsSetter() throws IOException {
        String source = file("doca/src/main/java/dev/outboard/doca/rdma/Rdma.java");
        for (Default each : expected.values()) {
            String[] setterAndWords = each.documented.split(": ", 2);
            assertThat(commentOf(setterAndWords[0], source))
                    .as(setterAndWords[0])
                    .contains(setterAndWords[1]);
        }
    }

    /// The comment of the method that sets `name`, on one line.
    private static String commentOf(String name, String source) {
        Matcher method =
                Pattern.compile("((?: {4}///.*\n)+) {4}public Rdma " + name + "\\(")
                        .matcher(source);
        assertThat(method.find()).as("a setter %s with a comment", name).isTrue();
        return method.group(1).replaceAll("\\s*///\\s*", " ");
    }

    @Test
    @Requirement("DCORE-THR-2")
    void anEngineIsConfinedToTheThreadThatFirstProgresses() throws InterruptedException {
        AtomicReference<DocaError> elsewhere = new AtomicReference<>();
        try (ProgressEngine engine = ProgressEngine.create()) {
            engine.progress();
            Thread.ofPlatform()
                    .start(() -> {
                        try {
                            engine.progress();
                        } catch (DocaException e) {
                            elsewhere.set(e.error());
                        }
                    })
                    .join();
        }
        assertThat(elsewhere).hasValue(DocaError.BAD_STATE);
    }

    @Test
    @Requirement("DSE-OBJ-5")
    void aSyncEventBeginsWithZero() {
        try (SyncEvent event =
                new SyncEvent(dev).publisher(Location.CPU).subscriber(Location.CPU).start()) {
            assertThat(event.get()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, false, , GATED",
        "1, true, , OPEN",
        "2, false, , OPEN",
        "2, true, , OPEN",
        "1, true, GATED, GATED",
        "1, false, OPEN, OPEN",
        "2, false, GATED, GATED",
    })
    @Requirement({"DRDMA-STATE-2a", "DRDMA-STATE-2b", "DRDMA-STATE-2c"})
    void theModeFollowsFromConnectionsAndHandlerUnlessItIsSet(
            int connections, boolean handler, ConnectionMode set, ConnectionMode mode) {
        rdma.maxNumConnections(connections);
        if (handler) {
            rdma.onConnection(new ConnectionNotes());
        }
        if (set != null) {
            rdma.connectionMode(set);
        }
        assertThat(rdma.connectionMode()).isEqualTo(mode);
        try (ProgressEngine engine = ProgressEngine.create()) {
            assertThat(rdma.attach(engine).start())
                    .isEqualTo(mode == ConnectionMode.GATED ? CtxState.STARTING : CtxState.RUNNING);
            rdma.close();
        }
    }
}
