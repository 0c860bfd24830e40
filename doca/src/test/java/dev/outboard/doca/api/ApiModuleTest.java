package dev.outboard.doca.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.constant.MethodTypeDesc;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What the module shows, and what it asks of the JDK.
@Requirement("DJAVA-API-1")
class ApiModuleTest {
    private static final Set<String> EXPORTED =
            Set.of(
                    "dev.outboard.doca",
                    "dev.outboard.doca.jobs",
                    "dev.outboard.doca.rdma",
                    "dev.outboard.doca.spi",
                    "dev.outboard.doca.sync");

    /// Types of the JDK that are nobody's business, and reflection, by which one gets at them.
    private static final Pattern INSIDES =
            Pattern.compile("(sun|com/sun|jdk/internal|java/lang/reflect)/.*");

    private static final Set<String> REFLECTION =
            Set.of("setAccessible", "privateLookupIn", "forName", "loadClass");

    private static ApiCode code;

    @BeforeAll
    static void readTheModule() throws Exception {
        code = ApiCode.read();
        assertThat(code.classes()).hasSizeGreaterThan(80);
    }

    @Test
    void theModuleHasANameAndExportsItsApiOnly() {
        ModuleDescriptor module =
                ModuleFinder.of(code.root()).find("dev.outboard.doca").orElseThrow().descriptor();

        assertThat(module.isOpen()).isFalse();
        assertThat(module.opens()).isEmpty();
        assertThat(module.exports()).noneMatch(Exports::isQualified);
        assertThat(module.exports()).extracting(Exports::source).hasSameElementsAs(EXPORTED);
        assertThat(module.packages()).contains("dev.outboard.doca.blob");
        assertThat(module.requires())
                .extracting(Requires::name)
                .containsExactlyInAnyOrder(
                        "java.base", "jdk.jfr", "dev.outboard.fabric", "org.jspecify");
    }

    @Test
    void theApiNamesNoTypeThatIsHidden() {
        Set<String> visible =
                code.classes().stream()
                        .filter(ApiModuleTest::isApi)
                        .map(type -> type.thisClass().asInternalName())
                        .collect(Collectors.toSet());
        List<String> hidden = new ArrayList<>();
        for (ClassModel type : code.classes()) {
            if (isApi(type)) {
                named(type)
                        .filter(name -> name.startsWith("dev/outboard/doca/"))
                        .filter(name -> !visible.contains(name))
                        .forEach(name -> hidden.add(type.thisClass().name() + ": " + name));
            }
        }
        assertThat(hidden).isEmpty();
    }

    @Test
    void nobodyExtendsWhatIsNotMadeForIt() {
        assertThat(code.classes())
                .filteredOn(ApiModuleTest::isApi)
                .filteredOn(type ->
                        !type.flags().has(AccessFlag.FINAL)
                                && !type.flags().has(AccessFlag.ABSTRACT))
                .extracting(type -> type.thisClass().asInternalName())
                .isEmpty();
    }

    /// A class with one heir is one class in two files; what each half needs of the other it gets
    /// by casts. Parts are objects.
    @Test
    void noClassIsMadeOfAClassAndItsOnlyHeir() {
        Map<String, Long> heirs =
                code.classes().stream()
                        .flatMap(type -> type.superclass().stream())
                        .collect(
                                Collectors.groupingBy(
                                        ClassEntry::asInternalName, Collectors.counting()));
        assertThat(code.classes())
                .filteredOn(type ->
                        type.flags().has(AccessFlag.ABSTRACT)
                                && !type.flags().has(AccessFlag.INTERFACE))
                .isNotEmpty()
                .extracting(type -> type.thisClass().asInternalName())
                .allSatisfy(name -> assertThat(heirs.getOrDefault(name, 0L)).isGreaterThan(1));
    }

    @Test
    void nothingReachesIntoTheJdk() {
        List<String> found = new ArrayList<>();
        for (ClassModel type : code.classes()) {
            for (PoolEntry entry : type.constantPool()) {
                boolean isInside =
                        switch (entry) {
                            case ClassEntry named ->
                                    INSIDES.matcher(named.asInternalName()).matches();
                            case MemberRefEntry member ->
                                    REFLECTION.contains(member.name().stringValue());
                            default -> false;
                        };
                if (isInside) {
                    found.add(type.thisClass().name() + ": " + entry);
                }
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void noModuleOfTheJdkHasToBeOpened() throws IOException {
        try (Stream<Path> modules = Files.list(Repository.root())) {
            List<Path> starters =
                    Stream.concat(
                                    Stream.of(Repository.root().resolve("outboard")),
                                    modules.map(module -> module.resolve("pom.xml")))
                            .filter(Files::isRegularFile)
                            .toList();
            assertThat(starters).hasSizeGreaterThan(5);
            assertThat(starters)
                    .allSatisfy(file -> assertThat(file).content().doesNotContain("--add-opens"));
        }
    }

    /// Whether users can name it.
    private static boolean isApi(ClassModel type) {
        String name = type.thisClass().asInternalName();
        return name.contains("/")
                && type.flags().has(AccessFlag.PUBLIC)
                && EXPORTED.contains(name.substring(0, name.lastIndexOf('/')).replace('/', '.'));
    }

    /// The types in the signatures that users see.
    private static Stream<String> named(ClassModel type) {
        return type.methods().stream()
                .filter(method ->
                        method.flags().has(AccessFlag.PUBLIC)
                                || method.flags().has(AccessFlag.PROTECTED))
                .map(method -> MethodTypeDesc.ofDescriptor(method.methodType().stringValue()))
                .flatMap(signature ->
                        Stream.concat(
                                Stream.of(signature.returnType()),
                                signature.parameterList().stream()))
                .map(named -> named.isArray() ? named.componentType() : named)
                .filter(named -> !named.isPrimitive())
                .map(named -> named.descriptorString())
                .map(named -> named.substring(1, named.length() - 1));
    }
}
