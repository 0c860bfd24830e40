package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What the catalog says about the API as a whole and its documentation.
class ApiTest {
    private static final Path SOURCES = Repository.root().resolve("naa/src/main/java");

    /// A row of the guide's tables: functions of the reference, their counterparts.
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| (`na\\w+`.*|`match\\w+`.*) \\| (.*) \\|$");

    private static final Pattern FUNCTION =
            Pattern.compile("`(naa\\w+|match_function_code|worker_procedure)`");
    private static final Pattern COUNTERPART =
            Pattern.compile("`([A-Z]\\w+)\\.(\\w+)(?:\\((\\w+)\\))?`");

    @Test
    @Requirement("NAA-API-1")
    void everyFunctionOfTheReferenceHasACounterpart() throws IOException {
        List<String> known = new ArrayList<>();
        for (MatchResult row : ROW.matcher(guide()).results().toList()) {
            FUNCTION.matcher(row.group(1)).results().forEach(f -> known.add(f.group(1)));
            assertThat(COUNTERPART.matcher(row.group(2)).results()).as(row.group()).isNotEmpty();
        }
        assertThat(known).doesNotHaveDuplicates();
        String catalog = Files.readString(Repository.root().resolve("spec/naaice.md"));
        String tables =
                catalog.substring(
                        catalog.indexOf("### 17.1"), catalog.indexOf("## 18. Robustness"));
        List<String> wanted =
                tables.lines()
                        .filter(line -> line.startsWith("| `"))
                        .map(line -> line.substring(0, line.indexOf('|', 1)))
                        .flatMap(cell -> FUNCTION.matcher(cell).results())
                        .map(f -> f.group(1))
                        .toList();
        assertThat(wanted).hasSizeGreaterThan(50);
        assertThat(known).containsAll(wanted);
    }

    @Test
    @Requirement("NAA-API-1")
    void everyCounterpartIsPublic() throws IOException, ReflectiveOperationException {
        List<MatchResult> names = COUNTERPART.matcher(guide()).results().toList();
        assertThat(names).hasSizeGreaterThan(50);
        for (MatchResult name : names) {
            assertThat(publicTypes())
                    .as(name.group())
                    .filteredOn(type -> type.getSimpleName().equals(name.group(1)))
                    .flatMap(type -> List.of(type.getMethods()))
                    .anyMatch(method ->
                            method.getName().equals(name.group(2)) && takes(method, name.group(3)));
        }
    }

    private static boolean takes(Method method, @Nullable String parameter) {
        return parameter == null
                || Arrays.stream(method.getParameterTypes())
                        .anyMatch(type -> type.getSimpleName().equals(parameter));
    }

    private static String guide() throws IOException {
        return Files.readString(Repository.root().resolve("docs/guide/from-the-c-library.md"));
    }

    @Test
    @Requirement("NAA-API-5")
    void onlyTypesOfTheProtocolShowAddresses() throws IOException, ReflectiveOperationException {
        List<String> shown = new ArrayList<>();
        for (Class<?> type : publicTypes()) {
            for (Method method : type.getMethods()) {
                if (method.getDeclaringClass().equals(type) && showsAnAddress(method)) {
                    shown.add(type.getSimpleName() + "." + method.getName());
                }
            }
        }
        assertThat(shown).containsExactlyInAnyOrder("PeerRegion.address", "Entry.address");
    }

    /// An NAA address is no pointer: it belongs to the memory of the NAA.
    private static boolean showsAnAddress(Method method) {
        List<String> numbers = new ArrayList<>();
        if (isNumber(method.getReturnType())) {
            numbers.add(method.getName());
        }
        for (Parameter parameter : method.getParameters()) {
            if (isNumber(parameter.getType())) {
                numbers.add(parameter.getName());
            }
        }
        return numbers.stream()
                .filter(name -> !name.endsWith("Nanos"))
                .map(name -> name.toLowerCase(Locale.ROOT).replace("naaaddress", ""))
                .anyMatch(name -> name.contains("address") || name.contains("pointer"));
    }

    private static boolean isNumber(Class<?> type) {
        return type == long.class || type == Long.class || type == OptionalLong.class;
    }

    /// What users of the module see.
    private static List<Class<?>> publicTypes() throws IOException, ReflectiveOperationException {
        List<Class<?>> types = new ArrayList<>();
        for (Class<?> member : List.of(NaaState.class, NaaClient.class, NaaServer.class)) {
            String exported = member.getPackageName();
            Path folder = SOURCES.resolve(exported.replace('.', '/'));
            try (Stream<Path> files = Files.list(folder).filter(Files::isRegularFile)) {
                for (Path file : files.toList()) {
                    String name = file.getFileName().toString().replace(".java", "");
                    if (!name.equals("package-info")) {
                        addPublic(types, Class.forName(exported + "." + name));
                    }
                }
            }
        }
        assertThat(types).contains(NaaClient.class, MrspMessage.Entry.class);
        return types;
    }

    private static void addPublic(List<Class<?>> types, Class<?> type) {
        if (Modifier.isPublic(type.getModifiers())) {
            types.add(type);
            Arrays.stream(type.getDeclaredClasses()).forEach(inner -> addPublic(types, inner));
        }
    }

    @Test
    @Requirement("NAA-POLL-7")
    void nothingUsesSignalsOrTimersOfTheProcess() throws IOException {
        for (String module : List.of("fabric", "naa")) {
            try (Stream<Path> files =
                    Files.walk(Repository.root().resolve(module).resolve("src/main/java"))) {
                List<Path> java = files.filter(f -> f.toString().endsWith(".java")).toList();
                assertThat(java).isNotEmpty();
                for (Path file : java) {
                    assertThat(Files.readString(file))
                            .as("%s", file)
                            .doesNotContain(
                                    "misc.Signal",
                                    "java.util.Timer",
                                    "ScheduledExecutor",
                                    "delayedExecutor",
                                    "orTimeout",
                                    "\"alarm\"",
                                    "\"setitimer\"",
                                    "\"timer_create\"",
                                    "\"sigaction\"",
                                    "\"signal\"");
                }
            }
        }
    }

    @Test
    @Requirement({"NAA-LIM-2", "NAA-ROB-4"})
    void thePageWarnsOfWhatUsersMustKnow() throws IOException {
        assertThat(page())
                .contains("at most 31 regions")
                .contains("neither authentication nor encryption");
    }

    @Test
    @Requirement("NAA-TIME-3")
    void timeIsMeasuredWithTheMonotonicClockOnly() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            List<Path> java = files.filter(f -> f.toString().endsWith(".java")).toList();
            assertThat(java).isNotEmpty();
            for (Path file : java) {
                assertThat(Files.readString(file))
                        .as("%s", file)
                        .doesNotContain("currentTimeMillis", "Instant.now", "java.util.Date");
            }
        }
    }

    private static String page() throws IOException {
        return Files.readString(Repository.root().resolve("docs/protocol/naaice.md"));
    }
}
