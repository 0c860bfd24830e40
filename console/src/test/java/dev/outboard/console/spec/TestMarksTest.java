package dev.outboard.console.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestMarksTest {
    @TempDir Path root;

    @Test
    void findsTheMarksOfMethodsAndClasses() throws IOException {
        write(
                "PoolTest",
                """
                package a;
                // @Requirement("W-9") in a comment is none, nor is "@Requirement(\\"W-8\\")".
                @Requirement("W-1")
                class PoolTest {
                    @Test
                    @Requirement({"W-2", "W-3b"})
                    void isWet() {}

                    @Nested
                    class Deep {
                        @Requirement(value = "W-4", table = true)
                        @ParameterizedTest
                        void isDark(int depth) {}
                    }
                }
                """);

        assertThat(marks().marks())
                .extracting(
                        TestMarks.Mark::id,
                        TestMarks.Mark::type,
                        TestMarks.Mark::method,
                        TestMarks.Mark::line,
                        TestMarks.Mark::isTable)
                .containsExactly(
                        tuple("W-1", "PoolTest", "", 3L, false),
                        tuple("W-2", "PoolTest", "isWet", 6L, false),
                        tuple("W-3b", "PoolTest", "isWet", 6L, false),
                        tuple("W-4", "Deep", "isDark", 11L, true));
    }

    @Test
    void findsTheTestsThatMayBeSkipped() throws IOException {
        write(
                "ToolTest",
                """
                class ToolTest {
                    @Requirement("W-1") void runs() { Other.harmless(); }
                    @Requirement("W-2") void assumes() { assumeTrue(false); }
                    @Requirement("W-3") void asksAnother() { Other.tool(); }
                    @Requirement("W-4") @EnabledIf("x") void onCondition() {}
                    @Requirement("W-5") void asksFurther() { helper(); }
                    void helper() { Assumptions.assumeThat(1).isZero(); }
                }
                class Other {
                    static void harmless() {}
                    static String tool() { return abort("no tool"); }
                }
                """);
        write(
                "BaseTest",
                """
                abstract class Base {
                    @BeforeAll static void needsTool() { Other.tool(); }
                }
                class BaseTest extends Base {
                    @Requirement("W-6") void inherits() {}
                    class Inner { @Requirement("W-7") void isInside() {} }
                }
                """);

        assertThat(marks().marks())
                .filteredOn(TestMarks.Mark::maySkip)
                .extracting(TestMarks.Mark::id)
                .containsExactlyInAnyOrder("W-2", "W-3", "W-4", "W-5", "W-6", "W-7");
    }

    @Test
    void findsTheMarksOfSuitesThatOthersExtend() throws IOException {
        write("pool/src/main/java", "Pool", "class Pool {}");
        write(
                "pool-contract/src/main/java",
                "PoolContract",
                """
                public abstract class PoolContract {
                    @BeforeEach void fill() { abort("no water"); }
                    @Test @Requirement("W-1") void isWet() {}
                }
                """);

        TestMarks.Mark mark = marks().marks().getFirst();

        assertThat(mark.id()).isEqualTo("W-1");
        assertThat(mark.maySkip()).isTrue();
        assertThat(new SourceTree(root).moduleOf(mark.file())).isEqualTo("pool-contract");
    }

    private TestMarks marks() throws IOException {
        return TestMarks.read(new SourceTree(root));
    }

    private void write(String name, String text) throws IOException {
        write("pool/src/test/java", name, text);
    }

    private void write(String directory, String name, String text) throws IOException {
        Path file = root.resolve(directory).resolve(name + ".java");
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
