package dev.outboard.dpacc.processor;

import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaFunction.Kind;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaGlobalVar;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;
import dev.outboard.dpacc.processor.DeviceType.Struct;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;

/// DPA-JK-3: reads classes marked with [DpaProgram], and complains about what is wrong.
final class ProgramReader {
    /// The thread of a kernel, in a module that this one does not know.
    static final String THREAD = "dev.outboard.dpa.machine.DpaThread";

    /// The constant of a stub that describes the app.
    static final String APP = "APP";

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final String VALID_NAME =
            "a name is a letter or _, then letters, digits and _, all of ASCII";
    private static final String VALID_PROGRAM =
            "a program is a top-level class without type parameters";
    private static final String VALID_GLOBAL =
            "a global is static, not final, not private, and a DpaAddr of 1 byte or more";

    private final Elements elements;
    private final Complaints complaints;
    private final TypeReader types;

    /// Classes by the name of their app.
    private final Map<String, String> apps;

    ProgramReader(
            Elements elements, Complaints complaints, TypeReader types, Map<String, String> apps) {
        this.apps = apps;
        this.elements = elements;
        this.complaints = complaints;
        this.types = types;
    }

    /// Reads a class. Empty if there is something wrong with it, or with a type that it uses.
    Optional<Program> read(TypeElement type) {
        int before = complaints.count();
        String name = type.getAnnotation(DpaProgram.class).value();
        checkClass(type, name);
        List<Program.Function> functions = new ArrayList<>();
        boolean whole = true;
        for (ExecutableElement method : ElementFilter.methodsIn(type.getEnclosedElements())) {
            if (isEntryPoint(method)) {
                Optional<Program.Function> function = read(type, method);
                function.ifPresent(functions::add);
                whole &= function.isPresent();
            }
        }
        List<Program.Global> globals = new ArrayList<>();
        for (VariableElement field : ElementFilter.fieldsIn(type.getEnclosedElements())) {
            DpaGlobalVar mark = field.getAnnotation(DpaGlobalVar.class);
            if (mark != null) {
                check(field, mark);
                globals.add(new Program.Global(field.getSimpleName().toString(), mark.bytes()));
            }
        }
        checkSize(type, globals);
        String packageName = elements.getPackageOf(type).getQualifiedName().toString();
        return complaints.count() > before || !whole
                ? Optional.empty()
                : Optional.of(new Program(type, packageName, name, functions, globals));
    }

    /// Complains about a method or field with a mark that is not in a program.
    void checkPlace(Element marked, String mark) {
        if (marked.getEnclosingElement() instanceof TypeElement owner
                && owner.getAnnotation(DpaProgram.class) == null) {
            complaints.at(
                    marked,
                    ("%s is marked %s, but %s is not marked @DpaProgram: mark that class, or move"
                                    + " what is marked into a class of a program")
                            .formatted(marked.getSimpleName(), mark, owner));
        }
    }

    private void checkClass(TypeElement type, String name) {
        String not = "";
        if (type.getKind() != ElementKind.CLASS) {
            not =
                    "is of the kind "
                            + type.getKind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        } else if (type.getNestingKind().isNested()) {
            not = "is nested in " + type.getEnclosingElement();
        } else if (!type.getTypeParameters().isEmpty()) {
            not = "has type parameters";
        }
        if (!not.isEmpty()) {
            complaints.at(
                    type,
                    "%s is marked @DpaProgram but %s: %s".formatted(type, not, VALID_PROGRAM));
        }
        if (!NAME.matcher(name).matches()) {
            complaints.at(
                    type,
                    "The name \"%s\" of program %s is not valid: %s"
                            .formatted(name, type, VALID_NAME));
        }
        /// DPA-CC-11: within one compilation; a host sees the rest.
        String other = apps.putIfAbsent(name, type.toString());
        if (other != null) {
            complaints.at(
                    type,
                    ("The name \"%s\" of program %s is that of program %s: each has a name of its"
                                    + " own")
                            .formatted(name, type, other));
        }
    }

    private static boolean isEntryPoint(ExecutableElement method) {
        return method.getAnnotation(DpaGlobal.class) != null
                || method.getAnnotation(DpaRpc.class) != null;
    }

    private Optional<Program.Function> read(TypeElement owner, ExecutableElement method) {
        boolean rpc = method.getAnnotation(DpaRpc.class) != null;
        checkName(owner, method);
        checkForm(method);
        if (rpc && method.getAnnotation(DpaGlobal.class) != null) {
            complain(method, "is marked @DpaGlobal and @DpaRpc: it is one of them");
        } else if (rpc && method.getReturnType().getKind() != TypeKind.LONG) {
            /// DPA-CC-5: what an RPC gives is 64 bits.
            complain(method, "returns %s: @DpaRpc returns long".formatted(method.getReturnType()));
        } else if (!rpc && method.getReturnType().getKind() != TypeKind.VOID) {
            /// DPA-CC-4: nobody waits for what a kernel gives.
            complain(
                    method,
                    "returns %s: @DpaGlobal returns void".formatted(method.getReturnType()));
        }
        List<? extends VariableElement> parameters = method.getParameters();
        if (parameters.isEmpty() || !is(parameters.getFirst().asType(), THREAD)) {
            complain(method, "does not take the thread: its first parameter is a DpaThread");
            return Optional.empty();
        }
        return arguments(method, parameters.subList(1, parameters.size()))
                .map(arguments ->
                        new Program.Function(
                                method.getSimpleName().toString(),
                                rpc ? Kind.RPC : Kind.GLOBAL,
                                arguments));
    }

    private Optional<Struct> arguments(
            ExecutableElement method, List<? extends VariableElement> parameters) {
        PackageElement home = elements.getPackageOf(method);
        List<String> names = new ArrayList<>();
        List<DeviceType> read = new ArrayList<>();
        for (VariableElement parameter : parameters) {
            names.add(parameter.getSimpleName().toString());
            String of =
                    "parameter %s of function %s"
                            .formatted(parameter.getSimpleName(), method.getSimpleName());
            Optional<DeviceType> type = types.read(parameter, parameter.asType(), of);
            type.ifPresent(read::add);
            if (type.isPresent() && !types.isVisible(type.get(), home)) {
                complaints.at(
                        parameter,
                        ("%s has the type %s, which package %s does not see whole: make its records"
                                        + " and the classes around them public")
                                .formatted(of, type.get().javaName(), home));
            }
        }
        return read.size() < names.size()
                ? Optional.empty()
                : Optional.of(Struct.of("", names, read));
    }

    private void checkName(TypeElement owner, ExecutableElement method) {
        String name = method.getSimpleName().toString();
        if (!NAME.matcher(name).matches()) {
            complain(method, "has a name that is not valid: %s".formatted(VALID_NAME));
        } else if (name.equals(APP) || namesOfObject().contains(name)) {
            complain(
                    method,
                    ("has a name that its stub cannot use: %s and the names of methods of Object"
                                    + " are taken")
                            .formatted(APP));
        }
        long same =
                ElementFilter.methodsIn(owner.getEnclosedElements()).stream()
                        .filter(each -> each.getSimpleName().equals(method.getSimpleName()))
                        .count();
        if (same > 1) {
            complain(method, "is overloaded: no other method of its class has its name");
        }
    }

    private Set<String> namesOfObject() {
        return ElementFilter.methodsIn(
                        elements.getTypeElement("java.lang.Object").getEnclosedElements())
                .stream()
                .map(each -> each.getSimpleName().toString())
                .collect(Collectors.toSet());
    }

    private void checkForm(ExecutableElement method) {
        Set<Modifier> modifiers = method.getModifiers();
        if (!modifiers.contains(Modifier.STATIC)) {
            complain(method, "is not static: make it static");
        }
        if (modifiers.contains(Modifier.PRIVATE)) {
            complain(method, "is private: its stub calls it from the same package");
        }
        if (method.isVarArgs()) {
            complain(method, "has a variable number of arguments: declare each of them");
        }
        if (!method.getTypeParameters().isEmpty()) {
            complain(method, "has type parameters: it has none");
        }
        if (!method.getThrownTypes().isEmpty()) {
            complain(method, "declares exceptions: it has none");
        }
    }

    /// Annotations of the type do not count.
    private static boolean is(TypeMirror type, String name) {
        return type instanceof DeclaredType declared
                && declared.asElement() instanceof TypeElement element
                && element.getQualifiedName().contentEquals(name);
    }

    /// DPA-JK-4: the form of a global.
    private void check(VariableElement field, DpaGlobalVar mark) {
        Set<Modifier> modifiers = field.getModifiers();
        String not = "";
        if (!modifiers.contains(Modifier.STATIC)) {
            not = "is not static";
        } else if (modifiers.contains(Modifier.FINAL)) {
            not = "is final";
        } else if (modifiers.contains(Modifier.PRIVATE)) {
            not = "is private";
        } else if (!is(field.asType(), DpaAddr.class.getName())) {
            not = "has the type " + field.asType();
        } else if (mark.bytes() < 1) {
            not = "has %d bytes".formatted(mark.bytes());
        }
        if (!not.isEmpty()) {
            complaints.at(
                    field, "Global %s %s: %s".formatted(field.getSimpleName(), not, VALID_GLOBAL));
        }
    }

    private void checkSize(TypeElement type, List<Program.Global> globals) {
        long bytes = globals.stream().mapToLong(each -> StubWriter.roundUp(each.bytes())).sum();
        if (bytes > Integer.MAX_VALUE) {
            complaints.at(
                    type,
                    "The globals of program %s have %d bytes: together they have less than 2 GiB"
                            .formatted(type, bytes));
        }
    }

    private void complain(ExecutableElement method, String message) {
        complaints.at(method, "Function %s %s".formatted(method.getSimpleName(), message));
    }
}
