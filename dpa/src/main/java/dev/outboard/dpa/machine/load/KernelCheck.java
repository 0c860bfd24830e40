package dev.outboard.dpa.machine.load;

import static java.lang.constant.ConstantDescs.CD_String;

import dev.outboard.dpa.machine.RefusedProgramException;
import dev.outboard.dpa.machine.load.ProgramClasses.Method;
import dev.outboard.dpacc.DpaGlobalVar;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.FieldModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.DiscontinuedInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// DPA-JK-8: checks the code of kernels before it is defined: what they share goes through the
/// machine, and the machine can end them. Set-up code, and that of NICs and hosts, may be any.
///
/// A kernel may keep objects and arrays of its own, read what set-up code has prepared, and change
/// only what it has made itself ([KernelValues]).
final class KernelCheck {
    private static final ClassDesc GLOBAL = ClassDesc.of(DpaGlobalVar.class.getName());

    private final ProgramClasses program;
    private final KernelReach reach;

    /// Fields that NICs and hosts write while kernels run.
    private final Set<String> writtenOutside = new HashSet<>();

    KernelCheck(ProgramClasses program) {
        this.program = program;
        reach = new KernelReach(program);
    }

    /// Checks all that the methods of a class come to.
    ///
    /// @throws RefusedProgramException if kernels do what they must not do
    void add(ClassModel owner) {
        if (!reach.add(owner)) {
            return;
        }
        reach.outside().forEach(this::noteWrites);
        KernelValues values = new KernelValues(program, reach);
        for (Method method : reach.kernels()) {
            checkFlags(method);
            method.model().code().ifPresent(code -> check(method, new MethodFlow(code), values));
        }
    }

    private void noteWrites(Method method) {
        method.model()
                .code()
                .ifPresent(code -> {
                    for (CodeElement element : code) {
                        if (element instanceof FieldInstruction field
                                && field.opcode() == Opcode.PUTFIELD) {
                            writtenOutside.add(name(field));
                        }
                    }
                });
    }

    private static String name(FieldInstruction field) {
        return field.owner().asInternalName().replace('/', '.') + "." + field.name().stringValue();
    }

    private void checkFlags(Method method) {
        if (method.is(AccessFlag.NATIVE)) {
            throw refused(method, 0, "it is native", "a method in Java");
        }
        if (method.is(AccessFlag.SYNCHRONIZED)) {
            throw refused(
                    method,
                    0,
                    "it is synchronized",
                    "spin locks of DpaThread, or atomic operations");
        }
    }

    private void check(Method method, MethodFlow flow, KernelValues values) {
        int line = 0;
        for (ExceptionCatch handler : flow.catches()) {
            checkCatch(method, flow, handler);
        }
        for (int i = 0; i < flow.elements().size(); i++) {
            CodeElement element = flow.elements().get(i);
            if (element instanceof LineNumber number) {
                line = number.line();
            }
            check(new Spot(method, i, line), element, values);
        }
    }

    /// An instruction.
    private record Spot(Method method, int index, int line) {}

    private void check(Spot spot, CodeElement element, KernelValues values) {
        boolean own = values.isOwn(spot.method, spot.index);
        switch (element) {
            case InvokeInstruction call -> checkCall(spot, call, own);
            case InvokeDynamicInstruction call -> checkDynamic(spot, call);
            case FieldInstruction field -> checkField(spot, field, own);
            case ArrayStoreInstruction store -> {
                if (!own) {
                    throw refused(
                            spot,
                            "writes an element of an array that the kernel has not made",
                            "arrays that the kernel makes and keeps in local variables, and memory"
                                    + " of the machine");
                }
            }
            case NewObjectInstruction made -> {
                String name = made.className().asInternalName();
                if (program.get(name) == null && !AllowedCode.mayMake(name)) {
                    throw refused(
                            spot,
                            "makes an object of class " + name.replace('/', '.'),
                            "objects of classes of the program, and exceptions of java.lang");
                }
            }
            case MonitorInstruction monitor ->
                    throw refused(
                            spot, "a monitor", "spin locks of DpaThread, or atomic operations");
            case DiscontinuedInstruction old ->
                    throw refused(spot, "instruction " + old.opcode(), "code for Java 7 and later");
            default -> {
                // Computes only.
            }
        }
    }

    private void checkCall(Spot spot, InvokeInstruction call, boolean own) {
        String owner = call.owner().asInternalName();
        String name = call.name().stringValue();
        if (program.resolve(owner, name, call.type().stringValue()).isPresent()) {
            return;
        }
        String foreign = foreignOwner(owner, name);
        if (!AllowedCode.mayCall(foreign, name)) {
            throw refused(
                    spot,
                    "calls %s.%s".formatted(foreign.replace('/', '.'), name),
                    AllowedCode.VALID);
        }
        if (AllowedCode.isFunction(foreign, name) && !own) {
            throw refused(
                    spot,
                    "calls %s.%s of an object that the kernel has not made"
                            .formatted(foreign.replace('/', '.'), name),
                    "lambdas that the kernel makes, and interfaces of the program");
        }
    }

    /// Where a method comes from that no class of the program declares.
    private String foreignOwner(String owner, String name) {
        return program.supertypes(owner).stream()
                .filter(type -> program.get(type) == null && AllowedCode.mayCall(type, name))
                .findFirst()
                .orElse(program.foreignSuperclass(owner));
    }

    private void checkDynamic(Spot spot, InvokeDynamicInstruction call) {
        String factory =
                ProgramCalls.internalName(call.bootstrapMethod().owner().descriptorString());
        if (factory.equals("java/lang/runtime/SwitchBootstraps") || isText(factory, call)) {
            return;
        }
        var body = ProgramCalls.body(call);
        if (body.isEmpty()) {
            throw refused(
                    spot,
                    isConcatenation(factory)
                            ? "a string that is put together of objects"
                            : "a call that is linked by " + factory.replace('/', '.'),
                    "strings of numbers and strings, and lambdas");
        }
        String owner = ProgramCalls.internalName(body.get().owner().descriptorString());
        if (ProgramCalls.lambda(program, call).isEmpty()
                && !AllowedCode.mayCall(owner, body.get().methodName())) {
            throw refused(
                    spot,
                    "refers to %s.%s".formatted(owner.replace('/', '.'), body.get().methodName()),
                    AllowedCode.VALID);
        }
    }

    /// Whether a string is put together of what is no object of anybody, for a message.
    private static boolean isText(String factory, InvokeDynamicInstruction call) {
        return isConcatenation(factory)
                && call.typeSymbol().parameterList().stream()
                        .allMatch(part -> part.isPrimitive() || part.equals(CD_String));
    }

    private static boolean isConcatenation(String factory) {
        return factory.equals("java/lang/invoke/StringConcatFactory");
    }

    private void checkField(Spot spot, FieldInstruction access, boolean own) {
        Optional<FieldModel> field = field(access);
        boolean isFinal = field.isPresent() && field.get().flags().has(AccessFlag.FINAL);
        switch (access.opcode()) {
            case GETSTATIC -> {
                boolean allowed = AllowedCode.mayRead(access.owner().asInternalName());
                if (field.isEmpty() ? !allowed : !isFinal && !isGlobal(field.get())) {
                    throw refused(
                            spot,
                            "reads the static field " + name(access),
                            "constants (static final) and globals (@DpaGlobalVar) of the program,"
                                    + " and memory of the machine");
                }
            }
            case GETFIELD -> {
                if (!isFinal && !own && writtenOutside.contains(name(access))) {
                    throw refused(
                            spot,
                            "reads the field %s, which a NIC or a host writes"
                                    .formatted(name(access)),
                            "fields that set-up code writes, and memory of the machine");
                }
            }
            case PUTFIELD -> {
                if (!own) {
                    throw refused(
                            spot,
                            "writes the field %s of an object that the kernel has not made"
                                    .formatted(name(access)),
                            "local variables, fields of objects that the kernel makes, and memory"
                                    + " of the machine");
                }
            }
            default ->
                    throw refused(
                            spot,
                            "writes the static field " + name(access),
                            "local variables, and memory of the machine");
        }
    }

    /// DPA-JK-4: whether a field holds the address of a global, which is set once.
    private static boolean isGlobal(FieldModel field) {
        return field.findAttribute(Attributes.runtimeInvisibleAnnotations()).stream()
                .flatMap(attribute -> attribute.annotations().stream())
                .anyMatch(annotation -> annotation.classSymbol().equals(GLOBAL));
    }

    private Optional<FieldModel> field(FieldInstruction access) {
        return program.supertypes(access.owner().asInternalName()).stream()
                .flatMap(type -> Optional.ofNullable(program.get(type)).stream())
                .flatMap(type -> type.fields().stream())
                .filter(field ->
                        field.fieldName().equalsString(access.name().stringValue())
                                && field.fieldType().equalsString(access.type().stringValue()))
                .findFirst();
    }

    /// The machine ends kernels by errors, which nobody else may catch.
    private void checkCatch(Method method, MethodFlow flow, ExceptionCatch handler) {
        String caught =
                handler.catchType()
                        .map(type -> type.asInternalName())
                        .orElse("java/lang/Throwable");
        if (!program.isException(caught)) {
            throw refused(
                    method,
                    line(flow.elements(), handler),
                    handler.catchType().isPresent()
                            ? "catches " + caught.replace('/', '.')
                            : "catches everything, as finally does",
                    "catch of an Exception, since the machine ends a kernel by an Error");
        }
    }

    private static int line(List<CodeElement> elements, ExceptionCatch handler) {
        boolean found = false;
        for (CodeElement element : elements) {
            found |=
                    element instanceof LabelTarget target
                            && target.label().equals(handler.handler());
            if (found && element instanceof LineNumber number) {
                return number.line();
            }
        }
        return 0;
    }

    private static RefusedProgramException refused(Spot spot, String found, String valid) {
        return refused(spot.method, spot.line, found, valid);
    }

    private static RefusedProgramException refused(
            Method method, int line, String found, String valid) {
        String file =
                method.owner()
                        .findAttribute(Attributes.sourceFile())
                        .map(source -> source.sourceFile().stringValue())
                        .orElse("unknown source");
        return RefusedProgramException.at(
                "class %s, method %s (%s:%d)"
                        .formatted(
                                method.owner().thisClass().asInternalName().replace('/', '.'),
                                method.name(),
                                file,
                                line),
                found,
                valid);
    }
}
