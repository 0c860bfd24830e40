package dev.outboard.dpacc.processor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

/// What is wrong with the form of a program is an error at its line, which says what would be
/// right.
class ComplaintsTest {
    private static final String HEAD =
            """
            package demo;
            import dev.outboard.dpa.machine.DpaThread;
            import dev.outboard.dpacc.*;
            """;

    private static final String TYPES =
            "the device gets byte, short, int, long, boolean, DpaAddr and records marked @DpaType";

    /// The program `p` with these members has exactly that error, at the line marked with `// !`,
    /// and no stub.
    private static void assertMember(String members, String message) {
        assertRefused("@DpaProgram(\"p\")\nclass P {\n%s\n}\n".formatted(members), message);
    }

    /// The record `R`, or what is in its place, has exactly that error, at the line marked with `//
    /// !`; a function that takes it has no stub.
    private static void assertType(String members, String message) {
        assertMember("@DpaGlobal static void f(DpaThread t, R r) {}\n" + members, message);
    }

    private static void assertRefused(String source, String message) {
        Compilation compilation = Compilation.of(HEAD + source);
        assertThat(compilation.diagnostics()).containsExactly("ERROR !: " + message);
        assertThat(compilation.written()).isEmpty();
    }

    @Test
    @Requirement({"DPA-JK-3a", "DPA-JK-2d"})
    void aWrongReturnType() {
        assertMember(
                "@DpaRpc static int f(DpaThread t) { return 0; } // !",
                "Function f returns int: @DpaRpc returns long");
        assertMember(
                "@DpaRpc static Long f(DpaThread t) { return 0L; } // !",
                "Function f returns java.lang.Long: @DpaRpc returns long");
        assertMember(
                "@DpaRpc static void f(DpaThread t) {} // !",
                "Function f returns void: @DpaRpc returns long");
        assertMember(
                "@DpaGlobal static long f(DpaThread t) { return 0; } // !",
                "Function f returns long: @DpaGlobal returns void");
    }

    @Test
    @Requirement("DPA-JK-2a")
    void noThread() {
        String message = "Function f does not take the thread: its first parameter is a DpaThread";
        assertMember("@DpaGlobal static void f() {} // !", message);
        assertMember("@DpaGlobal static void f(long a, DpaThread t) {} // !", message);
    }

    @Test
    @Requirement("DPA-JK-3b")
    void aRecordWithoutMark() {
        assertMember(
                """
                record R(int a) {}
                @DpaGlobal static void f(
                    DpaThread t,
                    R r) {} // !
                """,
                "parameter r of function f has the type demo.P.R, a record that is not marked"
                        + " @DpaType: "
                        + TYPES);
        assertMember(
                """
                record R(int a) {}
                @DpaType record S(
                    int a,
                    R r) {} // !
                @DpaGlobal static void f(DpaThread t, S s) {}
                @DpaGlobal static void g(DpaThread t, S s) {}
                """,
                "component r of record demo.P.S has the type demo.P.R, a record that is not marked"
                        + " @DpaType: "
                        + TYPES);
    }

    @Test
    @Requirement({"DPA-JK-3c", "DPA-JK-2b"})
    void aTypeThatTheDeviceDoesNotGet() {
        for (String type :
                new String[] {
                    "char",
                    "float",
                    "double",
                    "int[]",
                    "java.lang.String",
                    "java.lang.Integer",
                    "dev.outboard.dpa.machine.DpaThread",
                    "java.util.concurrent.TimeUnit"
                }) {
            assertMember(
                    "@DpaGlobal static void f(DpaThread t, %s x) {} // !".formatted(type),
                    "parameter x of function f has the type %s: %s".formatted(type, TYPES));
            assertType(
                    "@DpaType record R(%s x) {} // !".formatted(type),
                    "component x of record demo.P.R has the type %s: %s".formatted(type, TYPES));
        }
    }

    @Test
    void aTypeThatCannotBeLaidOut() {
        String valid =
                ": what is passed to the device is a record with components, without type"
                        + " parameters, that is not private";
        assertThat(Compilation.of(HEAD + "@DpaType\nclass C {} // !\n").diagnostics())
                .containsExactly("ERROR !: demo.C is marked @DpaType but is no record" + valid);
        assertType(
                "@DpaType record R() {} // !",
                "demo.P.R is marked @DpaType but has no components" + valid);
        assertType(
                "@DpaType record R<T>(int a) {} // !",
                "demo.P.R is marked @DpaType but has type parameters" + valid);
        assertType(
                "@DpaType private record R(int a) {} // !",
                "demo.P.R is marked @DpaType but is private" + valid);
        assertType(
                """
                @DpaType record R(int a, B b) {}
                @DpaType record B(R a) {} // !
                """,
                "component a of record demo.P.B has the type demo.P.R, which would contain itself:"
                        + " refer to it by a DpaAddr");
    }

    @Test
    void aRecordThatThePackageOfTheProgramDoesNotSee() {
        Compilation compilation =
                Compilation.of(
                        """
                        package other;
                        public class Outer {
                            @dev.outboard.dpacc.DpaType record Inner(int a) {}
                            @dev.outboard.dpacc.DpaType public record Whole(int b, Inner a) {}
                        }
                        """,
                        HEAD
                                + """
                                @DpaProgram("p")
                                class P {
                                    @DpaGlobal static void f(DpaThread t, other.Outer.Whole w) {} // !
                                }
                                """);
        assertThat(compilation.diagnostics())
                .containsExactly(
                        "ERROR !: parameter w of function f has the type other.Outer.Whole, which"
                                + " package demo does not see whole: make its records and the"
                                + " classes around them public");
    }

    @Test
    @Requirement("DPA-JK-3d")
    void aMethodThatNoStubCanCall() {
        assertMember(
                "@DpaGlobal void f(DpaThread t) {} // !",
                "Function f is not static: make it static");
        assertMember(
                "@DpaGlobal private static void f(DpaThread t) {} // !",
                "Function f is private: its stub calls it from the same package");
        assertMember(
                "@DpaGlobal static <T> void f(DpaThread t) {} // !",
                "Function f has type parameters: it has none");
        assertMember(
                "@DpaGlobal static void f(DpaThread t) throws Exception {} // !",
                "Function f declares exceptions: it has none");
        assertMember(
                "@DpaGlobal @DpaRpc static long f(DpaThread t) { return 0; } // !",
                "Function f is marked @DpaGlobal and @DpaRpc: it is one of them");
    }

    @Test
    void aVariableNumberOfArguments() {
        Compilation compilation =
                Compilation.of(
                        HEAD
                                + """
                                @DpaProgram("p")
                                class P {
                                    @DpaGlobal static void f(DpaThread t, int... a) {} // !
                                }
                                """);
        assertThat(compilation.diagnostics())
                .containsExactlyInAnyOrder(
                        "ERROR !: Function f has a variable number of arguments: declare each of"
                                + " them",
                        "ERROR !: parameter a of function f has the type int[]: " + TYPES);
    }

    @Test
    void aNameThatIsTaken() {
        assertMember(
                """
                @DpaGlobal static void f(DpaThread t) {} // !
                static void f(int a) {}
                """,
                "Function f is overloaded: no other method of its class has its name");
        String taken =
                "a name that its stub cannot use: APP and the names of methods of Object are taken";
        assertMember(
                "@DpaGlobal static void notify(DpaThread t) {} // !",
                "Function notify has " + taken);
        assertMember(
                "@DpaGlobal static void APP(DpaThread t) {} // !", "Function APP has " + taken);
    }

    @Test
    void aNameThatIsNotValid() {
        String valid = "a name is a letter or _, then letters, digits and _, all of ASCII";
        assertMember(
                "@DpaGlobal static void a$b(DpaThread t) {} // !",
                "Function a$b has a name that is not valid: " + valid);
        for (String name : new String[] {"", "1a", "a-b", "a b", "ä"}) {
            assertRefused(
                    "@DpaProgram(\"%s\")\nclass P {} // !\n".formatted(name),
                    "The name \"%s\" of program demo.P is not valid: %s".formatted(name, valid));
        }
    }

    @Test
    @Requirement("DPA-JK-3e")
    void anAppOfTheSameName() {
        assertThat(
                        Compilation.of(
                                        HEAD + "@DpaProgram(\"one\")\nclass A {}\n",
                                        HEAD + "@DpaProgram(\"two\")\nclass B {}\n",
                                        HEAD + "\n\n@DpaProgram(\"one\")\nclass C {} // !\n")
                                .diagnostics())
                .containsExactly(
                        "ERROR !: The name \"one\" of program demo.C is that of program demo.A:"
                                + " each has a name of its own");
    }

    @Test
    void aClassThatIsNoProgram() {
        String valid = ": a program is a top-level class without type parameters";
        assertRefused(
                "class O {\n@DpaProgram(\"p\") static class P {} // !\n}\n",
                "demo.O.P is marked @DpaProgram but is nested in demo.O" + valid);
        assertRefused(
                "@DpaProgram(\"p\")\nclass P<T> {} // !\n",
                "demo.P is marked @DpaProgram but has type parameters" + valid);
        assertRefused(
                "@DpaProgram(\"p\")\ninterface P {} // !\n",
                "demo.P is marked @DpaProgram but is of the kind interface" + valid);
        assertRefused(
                "@DpaProgram(\"p\")\nrecord P(int a) {} // !\n",
                "demo.P is marked @DpaProgram but is of the kind record" + valid);
    }

    @Test
    void aMarkOutsideOfAProgram() {
        String where =
                ", but demo.P is not marked @DpaProgram: mark that class, or move what is marked"
                        + " into a class of a program";
        assertRefused(
                "class P {\n@DpaRpc static long f(DpaThread t) { return 0; } // !\n}\n",
                "f is marked @DpaRpc" + where);
        assertRefused(
                "class P {\n@DpaGlobal static void f(DpaThread t) {} // !\n}\n",
                "f is marked @DpaGlobal" + where);
        assertRefused(
                "class P {\n@DpaGlobalVar(bytes = 8) static DpaAddr g; // !\n}\n",
                "g is marked @DpaGlobalVar" + where);
    }

    @Test
    void aGlobalOfAnotherForm() {
        String valid =
                ": a global is static, not final, not private, and a DpaAddr of 1 byte or more";
        assertMember("@DpaGlobalVar(bytes = 8) DpaAddr g; // !", "Global g is not static" + valid);
        assertMember(
                "@DpaGlobalVar(bytes = 8) static final DpaAddr g = null; // !",
                "Global g is final" + valid);
        assertMember(
                "@DpaGlobalVar(bytes = 8) private static DpaAddr g; // !",
                "Global g is private" + valid);
        assertMember(
                "@DpaGlobalVar(bytes = 8) static long g; // !",
                "Global g has the type long" + valid);
        assertMember(
                "@DpaGlobalVar(bytes = 0) static DpaAddr g; // !", "Global g has 0 bytes" + valid);
        assertRefused(
                """
                @DpaProgram("p")
                class P { // !
                    @DpaGlobalVar(bytes = 0x7fff_ffff) static DpaAddr g;
                }
                """,
                "The globals of program demo.P have 2147483648 bytes: together they have less than"
                        + " 2 GiB");
    }

    @Test
    void aClassThatHasTheNameOfTheStub() {
        assertThat(
                        Compilation.of(
                                        HEAD + "@DpaProgram(\"p\")\nclass P {} // !\n",
                                        HEAD + "\nclass PStub {}\n")
                                .diagnostics())
                .containsExactly(
                        "ERROR !: The stub of program demo.P is the class demo.PStub, which is"
                                + " there already: rename one of them");
    }

    /// Each of several mistakes is told.
    @Test
    void severalMistakes() {
        assertThat(
                        Compilation.of(
                                        HEAD
                                                + """
                                                @DpaProgram("p")
                                                class P {
                                                    @DpaRpc int f(char c) { return 0; } // !
                                                    @DpaRpc static int g(DpaThread t, float c) { return 0; }
                                                }
                                                """)
                                .diagnostics())
                .containsExactlyInAnyOrder(
                        "ERROR !: Function f is not static: make it static",
                        "ERROR !: Function f returns int: @DpaRpc returns long",
                        "ERROR !: Function f does not take the thread: its first parameter is a"
                                + " DpaThread",
                        "ERROR 7: Function g returns int: @DpaRpc returns long",
                        "ERROR 7: parameter c of function g has the type float: " + TYPES);
    }
}
