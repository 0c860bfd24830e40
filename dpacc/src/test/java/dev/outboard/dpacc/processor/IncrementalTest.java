package dev.outboard.dpacc.processor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.Processor;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedAnnotationTypes;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.TypeElement;
import org.junit.jupiter.api.Test;

/// Stubs do not depend on what else is compiled, or was.
class IncrementalTest {
    private static final String HEAD =
            """
            package demo;
            import dev.outboard.dpa.machine.DpaThread;
            import dev.outboard.dpacc.*;
            """;

    private static final String PAIR = HEAD + "@DpaType\nrecord Pair(int a, long b) {}\n";

    private static final String ONE =
            HEAD
                    + """
                    @DpaProgram("one")
                    class One {
                        @DpaRpc static long f(DpaThread t, Pair p) { return p.a() + p.b(); }
                    }
                    """;

    private static final String TWO =
            HEAD
                    + """
                    @DpaProgram("two")
                    class Two {
                        @DpaRpc static long f(DpaThread t, Pair p) { return p.b(); }
                        static DpaCall<DpaThread> other() { return OneStub.f(new Pair(1, 2)); }
                    }
                    """;

    @Test
    @Requirement("DPA-JK-1b")
    void aStubIsTheSameWhateverElseIsCompiled() {
        Compilation whole = Compilation.of(PAIR, ONE, TWO);
        Compilation turned = Compilation.of(TWO, ONE, PAIR);
        assertThat(whole.diagnostics()).isEmpty();
        assertThat(turned.diagnostics()).isEmpty();
        Compilation part = Compilation.of(List.of(new StubProcessor()), whole.classes(), ONE);

        assertThat(part.diagnostics()).isEmpty();
        assertThat(part.written()).containsExactly("demo.OneStub");
        assertThat(whole.stub("demo.OneStub"))
                .isEqualTo(turned.stub("demo.OneStub"))
                .isEqualTo(part.stub("demo.OneStub"))
                .contains("p.a");
        assertThat(part.classes().get("demo.OneStub"))
                .isEqualTo(whole.classes().get("demo.OneStub"));
    }

    @Test
    void aStubIsWrittenOnceInACompilationOfManyRounds() {
        Compilation compilation =
                Compilation.of(
                        List.of(new StubProcessor(), new ThreeRounds()), Map.of(), PAIR, ONE);
        assertThat(compilation.diagnostics()).isEmpty();
        assertThat(compilation.written())
                .containsExactlyInAnyOrder("demo.OneStub", "demo.Round1", "demo.Round2");
    }

    /// A program that another processor writes is one, too, and its name is taken.
    @Test
    void aProgramOfALaterRoundIsAProgram() {
        Compilation compilation =
                Compilation.of(
                        List.of(new StubProcessor(), new ThreeRounds("@DpaProgram(\"one\") ")),
                        Map.of(),
                        PAIR,
                        ONE);
        assertThat(compilation.diagnostics().getFirst())
                .endsWith(
                        "The name \"one\" of program demo.Round1 is that of program demo.One: each"
                                + " has a name of its own");
    }

    /// Writes a class in each of two rounds.
    @SupportedAnnotationTypes("*")
    private static final class ThreeRounds extends AbstractProcessor implements Processor {
        private final String mark;
        private int round;

        ThreeRounds() {
            this("");
        }

        ThreeRounds(String mark) {
            this.mark = mark;
        }

        @Override
        public SourceVersion getSupportedSourceVersion() {
            return SourceVersion.latestSupported();
        }

        @Override
        public boolean process(Set<? extends TypeElement> types, RoundEnvironment environment) {
            round++;
            if (round <= 2) {
                String name = "Round" + round;
                try (Writer out =
                        processingEnv.getFiler().createSourceFile("demo." + name).openWriter()) {
                    out.write(HEAD + (round == 1 ? mark : "") + "class " + name + " {}\n");
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return false;
        }
    }
}
