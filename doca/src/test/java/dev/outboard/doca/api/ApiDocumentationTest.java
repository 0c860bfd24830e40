package dev.outboard.doca.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.DocaError;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.lang.model.element.Modifier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What the comments of the API tell. What holds for a whole type stands in the type's comment; a
/// method's says what differs, and may refer to another method's for the rest.
@Requirement("DJAVA-API-8")
class ApiDocumentationTest {
    private static final Pattern THREADS = Pattern.compile("(?i)\\bthread|immutable");
    private static final Pattern SOURCE =
            Pattern.compile("DOCA|doca_|InfiniBand|catalog\\s[A-Z]+-[A-Z]+|\\b[A-Z]+-[A-Z]+-\\d");

    /// No failures: one is the absence of an error, the other says that there is no outcome yet.
    private static final Set<DocaError> OUTCOMES =
            EnumSet.of(DocaError.SUCCESS, DocaError.IN_PROGRESS);

    /// What the calls seem to give, but cannot: the memory of a sync event and of a pool, the
    /// context of an instance and the port of a peer are always in order.
    private static final Map<String, Set<DocaError>> IMPOSSIBLE =
            Map.of(
                    "BufPool.alloc()", Set.of(DocaError.INVALID_VALUE),
                    "BufPool.tryAlloc(dev.outboard.doca.Buf[])", Set.of(DocaError.NO_MEMORY),
                    "SyncEvent.start()", Set.of(DocaError.ALREADY_EXIST, DocaError.NOT_PERMITTED),
                    "SyncEvent.stop()", Set.of(DocaError.NOT_PERMITTED),
                    "SyncEvent.close()", Set.of(DocaError.NOT_PERMITTED),
                    "RdmaInstance.addDevice(dev.outboard.doca.DocaDev)",
                            Set.of(DocaError.NOT_PERMITTED),
                    "RdmaInstance.close()", Set.of(DocaError.IN_USE),
                    "RdmaConnection.peerAddress()", Set.of(DocaError.INVALID_VALUE));

    private static ApiSource source;
    private static ApiCode code;

    @BeforeAll
    static void readTheModule() throws Exception {
        source =
                ApiSource.read(
                        List.of(
                                "dev.outboard.doca",
                                "dev.outboard.doca.jobs",
                                "dev.outboard.doca.rdma",
                                "dev.outboard.doca.sync"));
        code = ApiCode.read();
        assertThat(source.methods()).hasSizeGreaterThan(300);
        assertThat(source.methods()).allMatch(method -> code.has(method.key()));
    }

    @Test
    void everyTypeTellsWhatItIsForAndWhereItsRulesComeFrom() {
        assertThat(source.types())
                .filteredOn(type -> type.comment().isBlank() || !tells(type, SOURCE))
                .isEmpty();
    }

    @Test
    void everyClassTellsWhichThreadsMayUseIt() {
        assertThat(source.types())
                .filteredOn(ApiSource.Type::holdsState)
                .filteredOn(type -> !tells(type, THREADS))
                .isEmpty();
    }

    /// Whether the comment of `type`, or of what it extends, implements or lies in, tells it.
    private static boolean tells(ApiSource.Type type, Pattern what) {
        return source.withSurroundings(type).anyMatch(t -> what.matcher(t.comment()).find());
    }

    @Test
    void everyMethodHasAComment() {
        assertThat(source.methods())
                .filteredOn(method -> method.comment().isBlank())
                .filteredOn(method -> !source.isImplied(method))
                .filteredOn(method -> source.overridden(method).findAny().isEmpty())
                .filteredOn(method -> !isGetterOfASetter(method))
                .isEmpty();
    }

    /// The comment of a property stands at its setter, which has the same name.
    private static boolean isGetterOfASetter(ApiSource.Method method) {
        return method.element().getParameters().isEmpty()
                && method.type().methods().stream()
                        .filter(other -> other.name().equals(method.name()))
                        .anyMatch(other -> !other.comment().isBlank());
    }

    @Test
    void everyErrorThatAMethodGivesIsNamed() {
        List<String> untold = new ArrayList<>();
        for (ApiSource.Method method : source.methods()) {
            if (!method.element().getModifiers().contains(Modifier.PUBLIC)) {
                continue; // for the kinds of context in this module
            }
            Set<DocaError> errors = code.errors(method.key());
            errors.removeAll(OUTCOMES);
            errors.removeAll(IMPOSSIBLE.getOrDefault(method.toString(), Set.of()));
            String told = told(method);
            errors.removeIf(error -> told.contains(error.name()));
            if (!errors.isEmpty()) {
                untold.add(method + " does not name " + errors);
            }
        }
        assertThat(untold).isEmpty();
    }

    @Test
    @Requirement("DCORE-THR-9")
    void noTransferPromisesToBeAtomic() {
        for (ApiSource.Type type : source.types()) {
            String name = type.toString();
            String comments =
                    type.methods().stream()
                            .map(ApiSource.Method::comment)
                            .collect(Collectors.joining(" ", type.comment(), ""));
            if (name.endsWith("RdmaTask")) {
                assertThat(type.comment()).contains("not atomic", "synchronise");
            } else if (name.endsWith("Task") && !name.contains("Atomic")) {
                assertThat(comments).as(name).doesNotContainIgnoringCase("atomic");
            }
        }
    }

    /// The comments of a method, of what it refers to and overrides, and of the types of these.
    private static String told(ApiSource.Method method) {
        Map<String, ApiSource.Method> read = new HashMap<>();
        gather(method, read);
        return read.values().stream()
                .map(each ->
                        each.comment()
                                + source.withSurroundings(each.type())
                                        .map(ApiSource.Type::comment)
                                        .collect(Collectors.joining()))
                .collect(Collectors.joining());
    }

    private static void gather(ApiSource.Method method, Map<String, ApiSource.Method> read) {
        if (read.putIfAbsent(method.key(), method) == null) {
            source.linked(method.type(), method.comment()).forEach(m -> gather(m, read));
            source.overridden(method)
                    .flatMap(element -> source.find(element).stream())
                    .forEach(m -> gather(m, read));
        }
    }
}
