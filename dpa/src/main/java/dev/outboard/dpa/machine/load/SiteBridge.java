package dev.outboard.dpa.machine.load;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.MemoryAccess;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Outside;
import dev.outboard.dpa.machine.run.SitedActor;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessFlag;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;

/// Makes the class through which rewritten programs call the machine: for each method of the
/// interfaces that programs see, a static one that takes the number of a site as its last argument,
/// tells that to the actor, and calls the method.
final class SiteBridge {
    /// Its name; a part of the machine's own.
    static final ClassDesc NAME =
            ClassDesc.of(SiteBridge.class.getPackageName(), "SiteBridgeOfProcess");

    private static final List<Class<?>> INTERFACES =
            List.of(MemoryAccess.class, DpaThread.class, Outside.class, Nic.class, Host.class);
    private static final ClassDesc SITED = ClassDesc.of(SitedActor.class.getName());

    private SiteBridge() {}

    /// Whether calls of methods of that type go through the bridge.
    static boolean covers(ClassDesc owner) {
        return INTERFACES.stream().anyMatch(type -> ClassDesc.of(type.getName()).equals(owner));
    }

    /// The type of the static method that stands for one of the interface.
    static MethodTypeDesc type(ClassDesc owner, MethodTypeDesc type) {
        return type.insertParameterTypes(0, owner)
                .insertParameterTypes(type.parameterCount() + 1, CD_int);
    }

    /// The class.
    static byte[] bytes() {
        return ClassFile.of()
                .build(
                        NAME,
                        builder -> {
                            builder.withFlags(AccessFlag.PUBLIC, AccessFlag.FINAL);
                            for (Class<?> type : INTERFACES) {
                                for (Method method : type.getMethods()) {
                                    if (!Modifier.isStatic(method.getModifiers())) {
                                        add(builder, type, method);
                                    }
                                }
                            }
                        });
    }

    private static void add(ClassBuilder builder, Class<?> type, Method method) {
        ClassDesc owner = ClassDesc.of(type.getName());
        MethodTypeDesc called =
                MethodTypeDesc.ofDescriptor(
                        MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                                .toMethodDescriptorString());
        builder.withMethodBody(
                method.getName(),
                type(owner, called),
                ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                code -> call(code, owner, method.getName(), called));
    }

    private static void call(
            CodeBuilder code, ClassDesc owner, String name, MethodTypeDesc called) {
        int site = code.parameterSlot(called.parameterCount() + 1);
        code.aload(0)
                .checkcast(SITED)
                .iload(site)
                .invokeinterface(SITED, "site", MethodTypeDesc.of(CD_void, CD_int))
                .aload(0);
        for (int i = 0; i < called.parameterCount(); i++) {
            code.loadLocal(TypeKind.from(called.parameterType(i)), code.parameterSlot(i + 1));
        }
        code.invokeinterface(owner, name, called).return_(TypeKind.from(called.returnType()));
    }
}
