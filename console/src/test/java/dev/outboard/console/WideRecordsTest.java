package dev.outboard.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WideRecordsTest {
    private static final String DECLARATION =
            """
            /// A record Foo(int a) of words.
            record Foo(int a, Map<String, Long> b, int c, int d, int e, int f, int g, int h) {}
            record Narrow(int a, int b, int c, int d, int e, int f, int g) {}
            """;

    private final WideRecords records = new WideRecords();

    WideRecordsTest() {
        records.addDeclarationsOf(DECLARATION);
    }

    @Test
    void knowsRecordsOfMoreThanSevenComponents() {
        assertThat(records.names()).containsExactly("Foo");
    }

    @Test
    void aCallWithTheComponentsNamesIsFine() {
        assertThat(records.confusableCallsIn("x = new Foo(a, b, c, d,\n e, f, g, h);")).isEmpty();
        assertThat(records.confusableCallsIn("x = new Narrow(1, 2, 3, 4, 5, 6, 7);")).isEmpty();
        assertThat(records.confusableCallsIn("// new Foo(1, b, c, d, e, f, g, h)")).isEmpty();
    }

    @Test
    void findsSwappedNamesAndValuesWithoutName() {
        assertThat(records.confusableCallsIn("x = new Foo(a, b, d, c, e, f, g, h);"))
                .containsExactly("new Foo[a, b, d, c, e, f, g, h]");
        assertThat(records.confusableCallsIn("new Other.Foo(a, p(1, 2), c, 0, e, f, g, \",\")"))
                .containsExactly("new Foo[a, p(1, 2), c, 0, e, f, g, \"\"]");
        assertThat(records.confusableCallsIn("new Foo(a, x -> y, c > 1, d, e, f, g, h)"))
                .containsExactly("new Foo[a, x -> y, c > 1, d, e, f, g, h]");
    }
}
