package dev.outboard.dpa.machine.load;

import dev.outboard.dpa.machine.load.ProgramClasses.Method;
import java.lang.classfile.CodeElement;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.DirectMethodHandleDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Which methods of a program call which, as far as one can see before they are loaded: a call
/// through an interface may come to each class and each lambda that fits it.
final class ProgramCalls {
    /// So many calls may be done without being counted.
    private static final long MOST_UNCOUNTED = 1024;

    private final ProgramClasses program;
    private final Map<Method, List<Method>> calls = new HashMap<>();
    private final List<Lambda> lambdas = new ArrayList<>();
    private final Set<Method> recursive = new HashSet<>();
    private final Map<Method, Long> weights = new HashMap<>();

    /// A lambda or reference to a method of the program.
    ///
    /// @param method the name of the method of the interface
    record Lambda(String type, String method, Method body) {}

    ProgramCalls(ProgramClasses program) {
        this.program = program;
        List<Method> all =
                program.all().stream()
                        .flatMap(owner -> ProgramClasses.methods(owner).stream())
                        .toList();
        for (Method method : all) {
            method.model()
                    .code()
                    .ifPresent(code ->
                            code.forEach(element -> {
                                if (element instanceof InvokeDynamicInstruction made) {
                                    lambda(program, made).ifPresent(lambdas::add);
                                }
                            }));
        }
        all.forEach(method -> calls.put(method, callsOf(method)));
        findRecursive(all);
        all.forEach(this::weigh);
    }

    /// What an instruction makes, if that is a lambda with a body of the program.
    static Optional<Lambda> lambda(ProgramClasses program, InvokeDynamicInstruction made) {
        return body(made)
                .flatMap(body ->
                        program.resolve(
                                internalName(body.owner().descriptorString()),
                                body.methodName(),
                                body.lookupDescriptor()))
                .map(body ->
                        new Lambda(
                                internalName(made.typeSymbol().returnType().descriptorString()),
                                made.name().stringValue(),
                                body));
    }

    /// What a lambda calls.
    static Optional<DirectMethodHandleDesc> body(InvokeDynamicInstruction made) {
        String factory = internalName(made.bootstrapMethod().owner().descriptorString());
        if (!factory.equals("java/lang/invoke/LambdaMetafactory")) {
            return Optional.empty();
        }
        return made.bootstrapArgs().stream()
                .filter(DirectMethodHandleDesc.class::isInstance)
                .map(DirectMethodHandleDesc.class::cast)
                .findFirst();
    }

    static String internalName(String descriptor) {
        return descriptor.startsWith("L")
                ? descriptor.substring(1, descriptor.length() - 1)
                : descriptor;
    }

    /// The lambdas that a call of that method of an interface may come to.
    List<Method> lambdas(String type, String name) {
        return lambdas.stream()
                .filter(lambda ->
                        lambda.method.equals(name)
                                && program.supertypes(lambda.type).contains(type))
                .map(Lambda::body)
                .toList();
    }

    /// What a call may come to.
    List<Method> targets(InvokeInstruction call) {
        String owner = call.owner().asInternalName();
        String name = call.name().stringValue();
        boolean virtual =
                switch (call.opcode()) {
                    case INVOKEVIRTUAL, INVOKEINTERFACE -> true;
                    default -> false;
                };
        List<Method> targets =
                new ArrayList<>(program.targets(owner, name, call.type().stringValue(), virtual));
        if (virtual) {
            targets.addAll(lambdas(owner, name));
        }
        return targets;
    }

    private List<Method> callsOf(Method method) {
        List<Method> called = new ArrayList<>();
        method.model()
                .code()
                .ifPresent(code -> {
                    for (CodeElement element : code) {
                        if (element instanceof InvokeInstruction call) {
                            called.addAll(targets(call));
                        }
                    }
                });
        return called;
    }

    private void findRecursive(List<Method> all) {
        for (Method method : all) {
            Set<Method> seen = new HashSet<>();
            List<Method> open = new ArrayList<>(calls.get(method));
            while (!open.isEmpty() && !recursive.contains(method)) {
                Method next = open.removeLast();
                if (next.equals(method)) {
                    recursive.add(method);
                } else if (seen.add(next)) {
                    open.addAll(calls.getOrDefault(next, List.of()));
                }
            }
        }
    }

    /// How many calls one of that method is, those included that it does, but for loops and for
    /// those that are counted themselves.
    private long weigh(Method method) {
        Long known = weights.get(method);
        if (known != null) {
            return known;
        }
        long weight = 1;
        if (!recursive.contains(method)) {
            for (Method called : calls.getOrDefault(method, List.of())) {
                long each = weigh(called);
                weight += each > MOST_UNCOUNTED ? 1 : each;
            }
        }
        weights.put(method, weight);
        return weight;
    }

    /// Whether a method may call itself, directly or through others.
    boolean isRecursive(Method method) {
        return recursive.contains(method);
    }

    /// Whether any method may.
    boolean hasRecursion() {
        return !recursive.isEmpty();
    }

    /// Whether calls of a method are to be counted, though it does not call itself: it stands for
    /// very many calls.
    boolean isCounted(Method method) {
        return weights.getOrDefault(method, 1L) > MOST_UNCOUNTED;
    }
}
