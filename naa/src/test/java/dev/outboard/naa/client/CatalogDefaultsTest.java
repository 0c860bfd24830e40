package dev.outboard.naa.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.Dialect;
import dev.outboard.naa.NaaMemory;
import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.protocol.ClientFixture;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Every default that the catalog states is the one the product has. The statement is read from the
/// catalog, so whoever changes either has to change both.
class CatalogDefaultsTest {
    private static final Pattern ROW = Pattern.compile("\\| ([^|]+?) \\| (.*) \\|");
    private static final NaaClientBuilder CLIENT = NaaClient.builder("127.0.0.1");
    private static final ServerOptions SERVER = ServerOptions.builder().build();

    /// Where a row states its default, and what it is here, in the catalog's way to write it.
    private record Default(String statement, List<Object> actual) {
        static Default of(String statement, Object... actual) {
            return new Default(statement, List.of(actual));
        }
    }

    /// By the first cell of the row: its ID, or the name of a quantity.
    private static final Map<String, Default> DEFAULTS =
            Map.ofEntries(
                    Map.entry(
                            "NAA-SCOPE-7", Default.of("default SHALL be `(\\S+)`", CLIENT.dialect)),
                    Map.entry("NAA-CONN-9", Default.of("default (\\d+ s)", CLIENT.connectLimit)),
                    Map.entry(
                            "NAA-CONN-10",
                            Default.of(
                                    "defaults (\\d+ ms) and (\\d+ ms)",
                                    CLIENT.addressLimit,
                                    CLIENT.routeLimit)),
                    Map.entry("NAA-ADDR-3", Default.of("\\(default (\\d+)\\)", CLIENT.naaOffset)),
                    Map.entry("NAA-LIM-1", Default.of("default cap is (\\d+)", CLIENT.maxRegions)),
                    Map.entry(
                            "NAA-XFER-11",
                            Default.of(
                                    "default (\\d+)", ClientFixture.simple().machine.userBytes())),
                    Map.entry(
                            "NAA-META-7",
                            Default.of(
                                    "default (0x\\d+)",
                                    "0x%02x".formatted(ReturnCode.FIRST_APPLICATION))),
                    Map.entry(
                            "NAA-ADDR-6",
                            Default.of(
                                    "by default it (accepts every value)",
                                    SERVER.memory().equals(new NaaMemory(1L << 56, 1))
                                            ? "accepts every value"
                                            : SERVER.memory())),
                    Map.entry(
                            "NAA-DISC-2",
                            Default.of("default (\\d+ s) in total", CLIENT.closeLimit)),
                    Map.entry("NAA-MULTI-2", Default.of("default (?:= )?([^.|;]+)", connections())),
                    Map.entry("Default port", Default.of("^(\\d+)", NaaClient.DEFAULT_PORT)),
                    Map.entry(
                            "Regions an NAA handles",
                            Default.of("default cap (\\d+)", SERVER.maxRegions())),
                    Map.entry(
                            "Region size",
                            Default.of(
                                    "default cap 2\\^(\\d+) in `ap1-2023`, 2\\^(\\d+) in",
                                    exponent(Dialect.AP1_2023.maxRegionBytes()),
                                    exponent(Dialect.UPSTREAM_2026.maxRegionBytes()))),
                    Map.entry(
                            "Parallel connections",
                            Default.of("configurable, default (?:= )?([^.|;]+)", connections())),
                    Map.entry(
                            "MRSP, RPC (whole call)",
                            Default.of("context timeout, default (60 s)", CLIENT.timeout)),
                    Map.entry(
                            "server waits for AAR / next RPC",
                            Default.of(
                                    "AAR (\\d+ s); idle (unlimited) by default",
                                    SERVER.setupLimit(),
                                    SERVER.idleLimit())),
                    Map.entry(
                            "setup_connection", Default.of("\\| (\\d+ s)$", CLIENT.connectLimit)));

    @TestFactory
    @Requirement(
            table = true,
            value = {
                "NAA-SCOPE-7",
                "NAA-CONN-9b",
                "NAA-CONN-10",
                "NAA-ADDR-3",
                "NAA-LIM-1",
                "NAA-XFER-11",
                "NAA-META-7",
                "NAA-ADDR-6",
                "NAA-DISC-2b",
                "NAA-MULTI-2b"
            })
    List<DynamicTest> everyDefaultIsTheOneOfTheCatalog() throws IOException {
        Map<String, String> rows = rows();
        return DEFAULTS.entrySet().stream()
                .map(entry ->
                        DynamicTest.dynamicTest(
                                entry.getKey(), () -> compare(rows, entry.getKey())))
                .toList();
    }

    private static void compare(Map<String, String> rows, String key) {
        Default expected = DEFAULTS.get(key);
        assertThat(rows).containsKey(key);
        Matcher stated = Pattern.compile(expected.statement()).matcher(rows.get(key));
        assertThat(stated.find()).as("%s in: %s", expected.statement(), rows.get(key)).isTrue();
        for (int i = 0; i < expected.actual().size(); i++) {
            assertThat(written(expected.actual().get(i))).isEqualTo(stated.group(i + 1).strip());
        }
    }

    /// No row states a default that this table does not know.
    @Test
    void noDefaultIsLeftOut() throws IOException {
        assertThat(
                        rows().entrySet().stream()
                                .filter(row -> row.getKey().startsWith("NAA-"))
                                .filter(row -> row.getValue().contains("default"))
                                .map(Map.Entry::getKey)
                                .collect(Collectors.toSet()))
                .isSubsetOf(DEFAULTS.keySet())
                .hasSizeGreaterThan(8);
    }

    /// The rest of each table row, by its first cell.
    private static Map<String, String> rows() throws IOException {
        Map<String, String> rows = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Repository.root().resolve("spec/naaice.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                rows.putIfAbsent(row.group(1), row.group(2));
            }
        }
        return rows;
    }

    private static String written(Object value) {
        return switch (value) {
            case Duration none when none.isZero() -> "unlimited";
            case Duration time when time.toMillis() % 1000 == 0 -> time.toSeconds() + " s";
            case Duration time -> time.toMillis() + " ms";
            default -> value.toString();
        };
    }

    private static Object exponent(long power) {
        assertThat(Long.bitCount(power)).isEqualTo(1);
        return Long.numberOfTrailingZeros(power);
    }

    private static Object connections() {
        int maximum = SERVER.maxConnections();
        return maximum == Runtime.getRuntime().availableProcessors()
                ? "available processors"
                : maximum;
    }
}
