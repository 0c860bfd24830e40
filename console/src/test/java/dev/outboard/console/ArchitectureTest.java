package dev.outboard.console;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.SharedReceiveQueue;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The walls of the house: which module and which package may use which.
class ArchitectureTest {
    private static final String FABRIC = "dev.outboard.fabric..";
    private static final String CONTRACT = "dev.outboard.fabric.contract";
    private static final String NAA = "dev.outboard.naa..";
    private static final String DOCA = "dev.outboard.doca..";
    private static final String NAA_PROTOCOL = "dev.outboard.naa.protocol..";
    private static final String NAA_LINK = "dev.outboard.naa.link..";
    private static final String NAA_CLIENT = "dev.outboard.naa.client..";
    private static final String NAA_SERVER = "dev.outboard.naa.server..";
    private static final String CCIP = "dev.outboard.ccip..";
    private static final String DPACC = "dev.outboard.dpacc..";
    private static final String DPA = "dev.outboard.dpa..";
    private static final String ROCE = "dev.outboard.fabric.roce";
    private static final String WIRE = ROCE + ".wire..";
    private static final String NIC = ROCE + ".nic..";
    private static final String RC = ROCE + ".rc..";
    private static final String UD = ROCE + ".ud..";
    private static final String RAW = ROCE + ".raw..";
    private static final String TRANSPORT = ROCE + ".transport..";
    private static final String CM = ROCE + ".cm..";
    private static final String EXPLAIN = ROCE + ".explain..";
    private static final String IO = ROCE + ".io..";
    private static final String LINUX = "dev.outboard.fabric.linux..";
    private static final String MEMORY = "dev.outboard.fabric.memory..";
    private static final String VERBS = "dev.outboard.fabric.verbs..";
    private static final String SIMULATED_NETWORK = "dev.outboard.fabric.sim.network..";
    private static final String RTL = "dev.outboard.ccip.rtl..";

    private static final String TREES = "com.sun.source..";
    private static final String[] COMPILER = {
        "javax.annotation.processing", "javax.lang.model..", "javax.tools", TREES
    };

    private static final String[] NO_PRODUCT = {
        "dev.outboard.bench..", "dev.outboard.examples..", "dev.outboard.interop.."
    };

    /// What knows neither time nor chance but those that it is given.
    private static final String[] PROTOCOLS = {
        MEMORY,
        VERBS,
        SIMULATED_NETWORK,
        WIRE,
        TRANSPORT,
        NIC,
        RC,
        UD,
        RAW,
        CM,
        EXPLAIN,
        NAA_PROTOCOL,
        "dev.outboard.ccip.wire..",
        "dev.outboard.ccip.platform..",
        "dev.outboard.ccip.afu..",
        "dev.outboard.ccip.checker..",
        "dev.outboard.ccip.fiu..",
        "dev.outboard.ccip.trace..",
        "dev.outboard.dpa.model..",
        "dev.outboard.dpa.litmus..",
        "dev.outboard.dpa.checker..",
        "dev.outboard.dpa.debug",
        "dev.outboard.dpa.nic.."
    };

    private static final JavaClasses CODE =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .withImportOption(location ->
                            !location.contains("testkit") && !location.contains("fabric-contract"))
                    .importPackages("dev.outboard");

    /// The table of docs/architecture.md, with what those modules use in turn.
    @ParameterizedTest
    @CsvSource({
        "fabric,   'fabric'",
        "naa,      'fabric;naa'",
        "doca,     'fabric;doca'",
        "ccip,     'ccip'",
        "dpacc,    'dpacc'",
        "dpa,      'fabric;doca;dpacc;dpa'",
        "node,     'fabric;naa;doca;ccip;dpacc;dpa;node'",
        "terminal, 'terminal'",
        "examples, 'fabric;doca;dpacc;dpa;terminal;examples'",
        "bench,    'fabric;naa;doca;ccip;dpacc;dpa;node;terminal;bench'",
        "console,  'fabric;naa;doca;ccip;dpacc;dpa;node;terminal;console'",
    })
    void modulesUseTheModulesBelowThemOnly(String one, String those) {
        check("dev.outboard.", one, those);
    }

    /// Whoever measures the product, shows how it is used or tests it with others: their commands
    /// are found when the product runs.
    @Test
    void noProductModuleImportsBenchExamplesOrInterop() {
        noClasses()
                .that()
                .resideOutsideOfPackages(NO_PRODUCT)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(NO_PRODUCT)
                .check(CODE);
    }

    @Test
    void fabricNaaDocaCcipDpaccAndDpaNeedTheJdkOnly() {
        classes()
                .that()
                .resideInAnyPackage(FABRIC, NAA, DOCA, CCIP, DPACC, DPA)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "jdk..",
                        "com.sun.management..",
                        "javax.annotation.processing",
                        "javax.lang.model..",
                        "javax.tools",
                        TREES,
                        "org.jspecify..",
                        FABRIC,
                        NAA,
                        DOCA,
                        CCIP,
                        DPACC,
                        DPA)
                .check(CODE);
    }

    /// Where the compiler has no trees, what looks at bodies is not loaded, and the rest works.
    @Test
    void ofTheLibrariesOnlyTheProcessorKnowsTheCompilerAndOneClassItsTrees() {
        noClasses()
                .that()
                .resideInAnyPackage(FABRIC, NAA, DOCA, CCIP, DPACC, DPA)
                .and()
                .resideOutsideOfPackage("dev.outboard.dpacc.processor")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(COMPILER)
                .check(CODE);
        noClasses()
                .that()
                .resideInAPackage(DPACC)
                .and()
                .haveNameNotMatching(".*\\.BodyCheck(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(TREES)
                .check(CODE);
    }

    /// What a provider is tested with may say of it only what a user sees.
    @Test
    void suitesOfTheFabricKnowItsApiOnly() {
        classes()
                .that()
                .resideInAPackage(CONTRACT)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "org.jspecify..",
                        "org.junit.jupiter..",
                        "org.assertj..",
                        "dev.outboard.testkit",
                        "dev.outboard.fabric",
                        CONTRACT)
                .check(
                        new ClassFileImporter()
                                .withImportOption(new ImportOption.DoNotIncludeTests())
                                .importPackages(CONTRACT));
    }

    @Test
    void noProductModuleStandsOnTests() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.outboard.testkit..", CONTRACT + "..")
                .check(CODE);
    }

    @Test
    void protocolsAboveTheFabricKnowNoProvider() {
        noClasses()
                .that()
                .resideInAnyPackage(NAA, DOCA)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(ROCE + "..", "dev.outboard.fabric.sim..")
                .check(CODE);
    }

    @ParameterizedTest
    @CsvSource({
        "dev.outboard.naa,            '"
                + NAA_PROTOCOL
                + ";"
                + NAA_LINK
                + ";"
                + NAA_CLIENT
                + ";"
                + NAA_SERVER
                + "'",
        "dev.outboard.naa.protocol.., '" + NAA_LINK + ";" + NAA_CLIENT + ";" + NAA_SERVER + "'",
        "dev.outboard.naa.link..,  '" + NAA_CLIENT + ";" + NAA_SERVER + "'",
        "dev.outboard.naa.client..,   '" + NAA_SERVER + "'",
        "dev.outboard.naa.server..,   '" + NAA_CLIENT + "'",
    })
    void packagesOfNaaUseThoseBelowThemOnly(String one, String others) {
        noClasses()
                .that()
                .resideInAPackage(one)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others.split(";"))
                .check(CODE);
    }

    @ParameterizedTest
    @CsvSource({
        "wire,     'wire'",
        "platform, 'wire;platform'",
        "afu,      'wire;afu'",
        "checker,  'wire;platform;checker'",
        "fiu,      'wire;platform;checker;fiu'",
        "trace,    'wire;platform;checker;trace'",
        "rtl,      'wire;platform;afu;checker;trace;rtl'",
        "host,     'wire;platform;afu;checker;fiu;host'",
    })
    void packagesOfCcipUseThoseBelowThemOnly(String one, String those) {
        check("dev.outboard.ccip.", one, those);
    }

    /// All know the words of `dpa.machine`. The memory's rules know who runs by them no more than a
    /// litmus test does who checks it.
    @ParameterizedTest
    @CsvSource({
        "model,     'machine.*;process;litmus;checker;nic'",
        "machine,   'process;litmus;checker;nic'",
        "process,   'litmus;checker;nic'",
        "litmus,    'process;checker;nic'",
        "nic,       'litmus;checker'",
        "nic.layout, 'process;litmus;checker;machine.run'",
        "machine.unit,   'machine.memory;machine.run;machine.fast;machine.turns;machine.load'",
        "machine.memory, 'machine.run;machine.fast;machine.turns;machine.load'",
        "machine.run,    'machine.fast;machine.turns;machine.load'",
        "machine.fast,   'machine.turns;machine.load'",
        "machine.turns,  'machine.fast;machine.load'",
    })
    void packagesOfDpaUseThoseBelowThemOnly(String one, String others) {
        noClasses()
                .that()
                .resideInAPackage("dev.outboard.dpa." + one + "..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        Arrays.stream(others.split(";"))
                                .map(name -> "dev.outboard.dpa." + name + "..")
                                .toArray(String[]::new))
                .check(CODE);
    }

    /// Every object of DOCA DPA is objects of FlexIO.
    @Test
    @Requirement("DPA-SYS-10")
    void docaDpaIsMadeOfFlexio() {
        noClasses()
                .that()
                .resideInAPackage("dev.outboard.dpa.doca..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        Stream.of(
                                        "process",
                                        "model",
                                        "litmus",
                                        "checker",
                                        "trace",
                                        "watch",
                                        "machine.unit",
                                        "machine.run",
                                        "machine.fast",
                                        "machine.turns",
                                        "machine.load",
                                        "machine.explore")
                                .map(name -> "dev.outboard.dpa." + name + "..")
                                .toArray(String[]::new))
                .check(CODE);
    }

    /// What is below `root` and then `one` uses, of all that is below `root`, only `those`.
    private static void check(String root, String one, String those) {
        String[] allowed =
                Arrays.stream(those.split(";"))
                        .map(name -> root + name + "..")
                        .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage(root + one + "..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage(root + ".").and(not(resideInAnyPackage(allowed))))
                .check(CODE);
    }

    /// All know the API besides; `fabric.roce` and `fabric.sim`, which put them together, know all.
    @ParameterizedTest
    @CsvSource({
        "table,          'table'",
        "memory,         'table;memory'",
        "verbs,          'memory;verbs'",
        "drive,          'memory;verbs;drive'",
        "linux,          'linux'",
        "roce.wire,      'memory;roce.wire'",
        "roce.transport, 'memory;verbs;roce.wire;roce.transport'",
        "roce.rc,        'memory;verbs;roce.wire;roce.transport;roce.rc'",
        "roce.ud,        'memory;verbs;roce.wire;roce.transport;roce.ud'",
        "roce.raw,       'memory;verbs;roce.wire;roce.transport;roce.raw'",
        "roce.cm,        'memory;verbs;roce.wire;roce.transport;roce.cm'",
        "steering,       'steering'",
        "roce.nic,       'table;memory;verbs;drive;steering;roce.wire;roce.transport;roce.rc;"
                + "roce.ud;roce.raw;roce.cm;roce.nic'",
        "roce.device,    'table;memory;verbs;drive;steering;linux;roce.wire;roce.transport;"
                + "roce.rc;roce.ud;roce.raw;roce.cm;roce.nic;roce.device'",
        "sim.network,    'memory;verbs;roce.wire;roce.transport;sim.network'",
        "pcapng,         'pcapng'",
        "roce.explain,   'pcapng;roce.wire;roce.explain'",
        "roce.io,        'spi;memory;verbs;linux;pcapng;roce.wire;roce.transport;roce.io'",
    })
    void packagesOfFabricUseThoseBelowThemOnly(String one, String those) {
        String[] allowed =
                Stream.of(those.split(";"))
                        .map(name -> "dev.outboard.fabric." + name + "..")
                        .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage("dev.outboard.fabric." + one + "..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("dev.outboard.fabric.*..")
                                .and(not(resideInAnyPackage(allowed))))
                .check(CODE);
    }

    @Test
    void protocolsKnowNoSocketOrChance() {
        noClasses()
                .that()
                .resideInAnyPackage(PROTOCOLS)
                .should()
                .dependOnClassesThat(isOutsideWorld())
                .check(CODE);
    }

    @Test
    void protocolsRunNoThread() {
        noClasses()
                .that()
                .resideInAnyPackage(PROTOCOLS)
                .should()
                .callMethodWhere(runsOrHoldsAThread())
                .check(CODE);
    }

    @Test
    void protocolsReadNoClock() {
        noClasses()
                .that()
                .resideInAnyPackage(PROTOCOLS)
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Math.class, "random")
                .check(CODE);
    }

    @Test
    void nativeCallsLiveInOnePackageOfTheirModule() {
        noClasses()
                .that()
                .resideOutsideOfPackages(LINUX, RTL)
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(Linker.class, SymbolLookup.class)
                .check(CODE);
    }

    @Test
    @Requirement({"DJOB-WQ-7", "DJOB-MAP-1"})
    void jobsHaveNoWayOfTheirOwnToTheTransport() {
        noClasses()
                .that()
                .resideInAPackage("dev.outboard.doca.jobs..")
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(
                        QueuePair.class,
                        CompletionQueue.class,
                        SharedReceiveQueue.class,
                        SendRequest.class,
                        ReceiveRequest.class)
                .check(CODE);
    }

    @Test
    void packagesFormNoCycles() {
        slices().assignedFrom(new PackageSlices()).should().beFreeOfCycles().check(CODE);
    }

    private static DescribedPredicate<JavaClass> isOutsideWorld() {
        return resideInAnyPackage(ROCE, IO, LINUX, "java.nio.channels..")
                .or(
                        describe(
                                "sockets, clocks, executors or random numbers",
                                type ->
                                        type.getName().matches("java\\.net\\..*Socket.*")
                                                || type.isAssignableTo(Executor.class)
                                                || type.isEquivalentTo(LockSupport.class)
                                                || type.isEquivalentTo(Clock.class)
                                                || type.isEquivalentTo(Instant.class)
                                                || type.isEquivalentTo(Random.class)
                                                || type.isEquivalentTo(ThreadLocalRandom.class)
                                                || type.isEquivalentTo(SecureRandom.class)));
    }

    private static DescribedPredicate<JavaMethodCall> runsOrHoldsAThread() {
        return describe(
                "starts a thread or makes one wait",
                call ->
                        call.getTargetOwner()
                                        .getName()
                                        .matches("java\\.lang\\.Thread(\\$Builder.*)?")
                                && call.getName()
                                        .matches("start.*|sleep|join|yield|onSpinWait|interrupt"));
    }

    /// One slice per package. A package and its `spi` are one: what a provider implements speaks of
    /// the types that its users see, and the other way round.
    private static final class PackageSlices implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(type.getPackageName().replaceFirst("\\.spi$", ""));
        }

        @Override
        public String getDescription() {
            return "packages";
        }
    }
}
