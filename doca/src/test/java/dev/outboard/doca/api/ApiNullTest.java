package dev.outboard.doca.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.testkit.Requirement;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.ElementKind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Where the API takes null, and what it says where it does not.
@Requirement("DJAVA-API-7")
class ApiNullTest {
    /// The operands that may be null, where they are declared.
    private static final Pattern OPERANDS =
            Pattern.compile(
                    "(ReceiveTask|RecvJob|Rdma\\.allocReceive)\\b.*\\b(newDst|dst)"
                            + "|(Send(Imm)?Task|SendJob|RdmaConnection\\.allocSend(Imm)?)\\b.*\\b(newSrc|src)"
                            + "|(ReadTask|Write(Imm)?Task|ReadWriteJob|RdmaConnection\\.alloc(Read|Write|WriteImm))\\b.*\\b(newSrc|src|newDst|dst)");

    /// Not operands: what the user attached, if anything; what no transport uses (DJOB-ADDR-1); the
    /// event of C, whose absence is a result.
    private static final Pattern OTHERS =
            Pattern.compile(
                    ".* (userData|newUserData|peerAddress)|WorkQueue\\.retrieve\\(.* event");

    /// Operands that must not be null, and are refused when the task is submitted (DRDMA-NULL-6 and
    /// 7), not when they are set.
    private static final Pattern REFUSED_LATER =
            Pattern.compile("(Atomic|SyncEvent)\\w+Task\\.(dst|src|result|event)\\(.*");

    private static ApiSource source;

    /// @param number of the parameter
    private record Parameter(ApiSource.Method method, Executable code, int number, String name) {
        boolean mayBeNull() {
            return code.getAnnotatedParameterTypes()[number].isAnnotationPresent(Nullable.class);
        }

        @Override
        public String toString() {
            return method + " " + name;
        }
    }

    @BeforeAll
    static void readTheModule() throws Exception {
        source =
                ApiSource.read(
                        List.of(
                                "dev.outboard.doca",
                                "dev.outboard.doca.jobs",
                                "dev.outboard.doca.rdma",
                                "dev.outboard.doca.sync"));
    }

    @Test
    void nullIsAnOperandOrNothing() {
        assertThat(parameters().filter(Parameter::mayBeNull))
                .filteredOn(parameter -> !OPERANDS.matcher(parameter.toString()).matches())
                .filteredOn(parameter -> !OTHERS.matcher(parameter.toString()).matches())
                .isEmpty();
    }

    @Test
    void whatMayBeNullMayBeLeftOut() {
        assertThat(parameters().filter(Parameter::mayBeNull))
                .filteredOn(parameter -> OPERANDS.matcher(parameter.toString()).matches())
                // A setter has nothing to leave out, and neither has what mirrors a structure of C.
                .filteredOn(parameter -> !parameter.method().type().toString().endsWith("Task"))
                .filteredOn(parameter -> !source.isImplied(parameter.method()))
                .filteredOn(parameter -> !hasOverloadWithout(parameter))
                .isEmpty();
    }

    private static boolean hasOverloadWithout(Parameter operand) {
        return operand.method().type().methods().stream()
                .filter(other -> other.name().equals(operand.method().name()))
                .map(source::parameterNames)
                .anyMatch(names -> !names.contains(operand.name()));
    }

    @Test
    void anyOtherNullIsRefusedByName() throws Exception {
        List<String> accepted = new ArrayList<>();
        int tried = 0;
        try (ApiObjects objects = new ApiObjects()) {
            for (Parameter parameter : parameters().filter(p -> !p.mayBeNull()).toList()) {
                if (REFUSED_LATER.matcher(parameter.toString()).matches()) {
                    continue;
                }
                String problem = problem(parameter, objects);
                tried++;
                if (!problem.isEmpty()) {
                    accepted.add(parameter + ": " + problem);
                }
            }
            assertThat(accepted).isEmpty();
        }
        assertThat(tried).isGreaterThan(150);
    }

    /// What is wrong with how the API refuses null for this parameter; nothing if it is as it
    /// should be.
    private static String problem(Parameter parameter, ApiObjects objects) throws Exception {
        Executable code = parameter.code();
        Class<?>[] types = code.getParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = i == parameter.number() ? null : objects.argument(types[i]);
        }
        try {
            Object result;
            if (code instanceof Constructor<?> constructor) {
                result = constructor.newInstance(arguments);
            } else {
                boolean isStatic = Modifier.isStatic(code.getModifiers());
                Object on = isStatic ? null : objects.get(code.getDeclaringClass());
                result = ((Method) code).invoke(on, arguments);
            }
            return result == DocaError.INVALID_VALUE ? "" : "accepts null";
        } catch (InvocationTargetException e) {
            return names(e.getCause(), parameter.name()) ? "" : e.getCause().toString();
        }
    }

    private static boolean names(Throwable thrown, String parameter) {
        return thrown instanceof DocaException refusal
                && refusal.error() == DocaError.INVALID_VALUE
                && String.valueOf(refusal.getMessage()).matches(".*\\b" + parameter + "\\b.*");
    }

    /// All parameters of what users call that can hold null; what users implement takes what it is
    /// given.
    private static Stream<Parameter> parameters() {
        return source.methods().stream()
                .filter(method -> method.type().element().getKind() != ElementKind.INTERFACE)
                .filter(method ->
                        method.element()
                                .getModifiers()
                                .contains(javax.lang.model.element.Modifier.PUBLIC))
                // what the language gives to enums and to every object
                .filter(method -> !method.name().equals("valueOf") || !source.isImplied(method))
                .filter(method -> !method.name().equals("equals"))
                // what refuses null
                .filter(method -> !method.name().equals("nonNull"))
                .flatMap(ApiNullTest::parameters);
    }

    private static Stream<Parameter> parameters(ApiSource.Method method) {
        Executable code = code(method);
        List<Parameter> found = new ArrayList<>();
        for (int i = 0; i < code.getParameterCount(); i++) {
            if (!code.getParameterTypes()[i].isPrimitive()) {
                found.add(new Parameter(method, code, i, source.parameterNames(method).get(i)));
            }
        }
        return found.stream();
    }

    private static Executable code(ApiSource.Method method) {
        try {
            Class<?> type = Class.forName(method.type().name().replace('/', '.'));
            Executable found =
                    Stream.concat(
                                    Arrays.stream(type.getDeclaredConstructors()),
                                    Arrays.stream(type.getDeclaredMethods()))
                            .filter(each -> method.key().equals(key(each)))
                            .findFirst()
                            .orElseThrow();
            return found;
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static String key(Executable code) {
        Class<?> returned = code instanceof Method method ? method.getReturnType() : void.class;
        return code.getDeclaringClass().getName().replace('.', '/')
                + "."
                + (code instanceof Method ? code.getName() : "<init>")
                + MethodType.methodType(returned, code.getParameterTypes()).descriptorString();
    }
}
