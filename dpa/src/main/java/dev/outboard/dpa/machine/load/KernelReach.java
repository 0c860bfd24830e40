package dev.outboard.dpa.machine.load;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.Kernel;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Outside;
import dev.outboard.dpa.machine.RefusedProgramException;
import dev.outboard.dpa.machine.load.ProgramClasses.Method;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Which code of a program kernels run, and which one NICs and hosts: what takes a thread, or one
/// of these, and all that it calls. Everything else is set-up code. A method may be several.
final class KernelReach {
    enum Role {
        SET_UP,
        OUTSIDE,
        KERNEL
    }

    private static final ClassDesc THREAD = ClassDesc.of(DpaThread.class.getName());
    private static final ClassDesc KERNEL = ClassDesc.of(Kernel.class.getName());
    private static final Set<ClassDesc> OUTSIDERS =
            Set.of(
                    ClassDesc.of(Outside.class.getName()),
                    ClassDesc.of(Nic.class.getName()),
                    ClassDesc.of(Host.class.getName()));

    private final ProgramClasses program;
    private final Map<Method, Set<Role>> roles = new LinkedHashMap<>();
    private final Set<Method> entries = new HashSet<>();
    private final Set<String> made = new HashSet<>();
    private final Deque<Visit> open = new ArrayDeque<>();

    private record Visit(Method method, Role role) {}

    KernelReach(ProgramClasses program) {
        this.program = program;
    }

    /// Adds all that the methods of a class come to.
    ///
    /// @return whether anything is new
    boolean add(ClassModel owner) {
        make(owner.thisClass().asInternalName());
        initialize(owner.thisClass().asInternalName());
        ProgramClasses.methods(owner).stream()
                .filter(method -> method.name().equals("<init>"))
                .forEach(method -> reach(method, Role.SET_UP));
        boolean isNew = !open.isEmpty();
        while (!open.isEmpty()) {
            visit(open.pop());
        }
        return isNew;
    }

    /// The methods of kernels.
    List<Method> kernels() {
        return roles.keySet().stream().filter(method -> is(method, Role.KERNEL)).toList();
    }

    /// The methods that NICs and hosts run.
    List<Method> outside() {
        return roles.keySet().stream().filter(method -> is(method, Role.OUTSIDE)).toList();
    }

    private boolean is(Method method, Role role) {
        return roles.getOrDefault(method, Set.of()).contains(role);
    }

    /// Whether others than kernels call a method of kernels, such as the machine itself.
    boolean isEntry(Method method) {
        return entries.contains(method);
    }

    private void reach(Method method, Role caller) {
        List<ClassDesc> parameters = method.model().methodTypeSymbol().parameterList();
        Role role = caller;
        if (takesThread(method)) {
            role = Role.KERNEL;
        } else if (caller != Role.KERNEL && parameters.stream().anyMatch(OUTSIDERS::contains)) {
            role = Role.OUTSIDE;
        }
        if (role == Role.KERNEL && caller != Role.KERNEL) {
            entries.add(method);
        }
        if (roles.computeIfAbsent(method, any -> EnumSet.noneOf(Role.class)).add(role)) {
            open.add(new Visit(method, role));
        }
    }

    private void visit(Visit visit) {
        visit.method
                .model()
                .code()
                .ifPresent(code -> {
                    for (CodeElement element : code) {
                        visit(visit.method, element, visit.role);
                    }
                });
    }

    private void visit(Method method, CodeElement element, Role role) {
        switch (element) {
            case InvokeInstruction call -> {
                program.calls().targets(call).forEach(target -> reach(target, role));
                initialize(call.owner().asInternalName());
            }
            case InvokeDynamicInstruction lambda ->
                    ProgramCalls.lambda(program, lambda)
                            .ifPresentOrElse(
                                    found -> reach(found.body(), role),
                                    () -> checkForeign(method, lambda));
            case NewObjectInstruction made -> {
                if (role != Role.KERNEL) {
                    make(made.className().asInternalName());
                }
                initialize(made.className().asInternalName());
            }
            case FieldInstruction field -> initialize(field.owner().asInternalName());
            default -> {
                // Leads nowhere else.
            }
        }
    }

    private static void checkForeign(Method method, InvokeDynamicInstruction lambda) {
        if (lambda.typeSymbol().returnType().equals(KERNEL)) {
            throw new RefusedProgramException(
                    "Class %s, method %s: a kernel is a method of another class, %s. Valid: kernels of the program; name the class to load, too"
                            .formatted(
                                    method.owner().thisClass().asInternalName().replace('/', '.'),
                                    method.name(),
                                    ProgramCalls.body(lambda)
                                            .map(body -> body.owner().displayName())
                                            .orElse("unknown")));
        }
    }

    /// Any method of an object that set-up code makes may be called by those who get it; of those
    /// that take a thread the machine calls that of [dev.outboard.dpa.machine.Kernel], and kernels
    /// the others.
    private void make(String name) {
        if (made.add(name)) {
            for (String type : program.supertypes(name)) {
                ClassModel model = program.get(type);
                if (model != null) {
                    ProgramClasses.methods(model).stream()
                            .filter(method ->
                                    !method.name().equals("<init>")
                                            && (!takesThread(method) || isRun(method)))
                            .forEach(method -> reach(method, Role.SET_UP));
                }
            }
        }
    }

    private static boolean takesThread(Method method) {
        return method.model().methodTypeSymbol().parameterList().contains(THREAD);
    }

    private static boolean isRun(Method method) {
        return method.name().equals("run")
                && method.model().methodTypeSymbol().parameterCount() == 1
                && !method.is(AccessFlag.STATIC);
    }

    private void initialize(String name) {
        program.declared(name, "<clinit>", "()V").ifPresent(method -> reach(method, Role.SET_UP));
    }
}
