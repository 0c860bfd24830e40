package dev.outboard.doca.api;

import dev.outboard.doca.DocaError;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.DirectMethodHandleDesc;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/// The class files of the module: who calls whom, and which error codes come up on the way. Calls
/// are taken as they are written; what overrides a called method is not looked at.
final class ApiCode {
    private static final String MODULE = "dev/outboard/doca/";
    private static final String ERRORS = DocaError.class.getName().replace('.', '/');

    private static final String OF_THE_FABRIC = MODULE + "DocaException.of(";

    /// What it says about null holds for the whole API.
    private static final String FOR_NULL = MODULE + "DocaException.nonNull(";

    private final List<ClassModel> classes = new ArrayList<>();
    private final Map<String, String> superclasses = new HashMap<>();
    private final Map<String, Set<String>> calls = new HashMap<>();
    private final Map<String, Set<DocaError>> errors = new HashMap<>();

    private final Path root;

    private ApiCode(Path root) {
        this.root = root;
    }

    static ApiCode read() throws IOException, URISyntaxException {
        URL place = DocaError.class.getProtectionDomain().getCodeSource().getLocation();
        ApiCode code = new ApiCode(Path.of(place.toURI()));
        try (Stream<Path> files = Files.walk(code.root)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
                code.add(ClassFile.of().parse(file));
            }
        }
        return code;
    }

    /// The directory of the class files.
    Path root() {
        return root;
    }

    List<ClassModel> classes() {
        return classes;
    }

    private void add(ClassModel type) {
        classes.add(type);
        String name = type.thisClass().asInternalName();
        type.superclass().map(ClassEntry::asInternalName).ifPresent(s -> superclasses.put(name, s));
        for (MethodModel method : type.methods()) {
            String key = name + "." + method.methodName() + method.methodType();
            calls.put(key, new HashSet<>());
            errors.put(key, EnumSet.noneOf(DocaError.class));
            method.code().ifPresent(body -> body.forEach(element -> note(key, element)));
        }
    }

    private void note(String method, CodeElement element) {
        switch (element) {
            case InvokeInstruction call ->
                    calls.get(method)
                            .add(call.owner().asInternalName() + "." + call.name() + call.type());
            case InvokeDynamicInstruction call ->
                    call.bootstrapArgs().stream()
                            .filter(DirectMethodHandleDesc.class::isInstance)
                            .map(arg -> key((DirectMethodHandleDesc) arg))
                            .forEach(calls.get(method)::add);
            case FieldInstruction field when field.owner().asInternalName().equals(ERRORS) ->
                    Stream.of(DocaError.values())
                            .filter(error -> field.name().equalsString(error.name()))
                            .forEach(errors.get(method)::add);
            default -> {}
        }
    }

    /// What a lambda expression or a method reference stands for.
    private static String key(DirectMethodHandleDesc handle) {
        String owner = handle.owner().descriptorString();
        return owner.substring(1, owner.length() - 1)
                + "."
                + handle.methodName()
                + handle.lookupDescriptor();
    }

    /// The error codes that come up in `method` or in what it calls; what the fabric's errors are
    /// called in DOCA is left out, because it depends on the device which of them come up.
    Set<DocaError> errors(String method) {
        Set<DocaError> found = EnumSet.noneOf(DocaError.class);
        Set<String> seen = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(List.of(method));
        while (!open.isEmpty()) {
            String at = declared(open.pop());
            boolean isTold = at.startsWith(OF_THE_FABRIC) || at.startsWith(FOR_NULL);
            if (seen.add(at) && calls.containsKey(at) && !isTold) {
                found.addAll(errors.get(at));
                open.addAll(calls.get(at));
            }
        }
        return found;
    }

    boolean has(String method) {
        return calls.containsKey(declared(method));
    }

    /// Where a method that a class inherits is written.
    private String declared(String method) {
        int dot = method.indexOf('.');
        String owner = method.substring(0, dot);
        while (owner != null
                && owner.startsWith(MODULE)
                && !calls.containsKey(owner + method.substring(dot))) {
            owner = superclasses.get(owner);
        }
        return owner + method.substring(dot);
    }
}
