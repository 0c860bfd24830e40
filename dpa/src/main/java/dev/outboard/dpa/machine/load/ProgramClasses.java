package dev.outboard.dpa.machine.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.reflect.AccessFlag;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The classes of a program as they were compiled: those that it names, and those that these name.
/// Names are the internal ones, with slashes.
final class ProgramClasses {
    private final ClassLoader loader;
    private final ClassFile classFile;
    private final Predicate<String> isOwn;
    private final Map<String, ClassModel> classes = new LinkedHashMap<>();
    private final Map<String, Method> methods = new HashMap<>();
    private final Map<String, List<String>> supertypes = new HashMap<>();
    private @Nullable ProgramCalls calls;

    /// None yet.
    ///
    /// @param isOwn whether a class of that name, with dots, belongs to the program
    ProgramClasses(ClassLoader loader, ClassFile classFile, Predicate<String> isOwn) {
        this.loader = loader;
        this.classFile = classFile;
        this.isOwn = isOwn;
    }

    /// A method of a class of the program.
    ///
    /// @param key tells it apart from any other
    record Method(ClassModel owner, MethodModel model, String key) {
        Method(ClassModel owner, MethodModel model) {
            this(
                    owner,
                    model,
                    key(
                            owner.thisClass().asInternalName(),
                            model.methodName().stringValue(),
                            model.methodType().stringValue()));
        }

        private static String key(String owner, String name, String descriptor) {
            return owner + "." + name + descriptor;
        }

        String name() {
            return model.methodName().stringValue();
        }

        String descriptor() {
            return model.methodType().stringValue();
        }

        boolean is(AccessFlag flag) {
            return model.flags().has(flag);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Method method && method.key.equals(key);
        }

        @Override
        public int hashCode() {
            return key.hashCode();
        }
    }

    /// Adds a class, and all that it names, if it belongs to the program.
    void add(String name) {
        Deque<String> open = new ArrayDeque<>(List.of(name));
        while (!open.isEmpty()) {
            String next = open.pop();
            if (classes.containsKey(next) || !isOwn.test(next.replace('/', '.'))) {
                continue;
            }
            byte[] bytes = bytes(next);
            if (bytes == null) {
                continue;
            }
            ClassModel model = classFile.parse(bytes);
            classes.put(next, model);
            methods(model).forEach(method -> methods.put(method.key, method));
            supertypes.clear();
            calls = null;
            model.constantPool()
                    .forEach(entry -> {
                        if (entry instanceof ClassEntry named
                                && !named.asInternalName().startsWith("[")) {
                            open.add(named.asInternalName());
                        }
                    });
        }
    }

    private byte @Nullable [] bytes(String name) {
        try (InputStream in = loader.getResourceAsStream(name + ".class")) {
            return in == null ? null : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Which methods call which.
    ProgramCalls calls() {
        ProgramCalls known = calls;
        if (known == null) {
            known = new ProgramCalls(this);
            calls = known;
        }
        return known;
    }

    Collection<ClassModel> all() {
        return classes.values();
    }

    @Nullable ClassModel get(String name) {
        return classes.get(name);
    }

    static List<Method> methods(ClassModel owner) {
        return owner.methods().stream().map(model -> new Method(owner, model)).toList();
    }

    /// The method that a class of the program itself declares.
    Optional<Method> declared(String owner, String name, String descriptor) {
        return Optional.ofNullable(methods.get(Method.key(owner, name, descriptor)));
    }

    /// The method that a call of that owner means, in the owner or what it inherits from.
    Optional<Method> resolve(String owner, String name, String descriptor) {
        return supertypes(owner).stream()
                .flatMap(type -> declared(type, name, descriptor).stream())
                .findFirst();
    }

    /// All methods that a call may come to: the one that it means, and those that override it.
    List<Method> targets(String owner, String name, String descriptor, boolean virtual) {
        List<Method> targets = new ArrayList<>();
        resolve(owner, name, descriptor).ifPresent(targets::add);
        if (virtual) {
            for (ClassModel type : classes.values()) {
                if (supertypes(type.thisClass().asInternalName()).contains(owner)) {
                    resolve(type.thisClass().asInternalName(), name, descriptor)
                            .filter(method -> !targets.contains(method))
                            .ifPresent(targets::add);
                }
            }
        }
        targets.removeIf(method -> method.is(AccessFlag.ABSTRACT));
        return targets;
    }

    /// The type itself, its superclasses, then its interfaces. Those of foreign classes are not
    /// among them.
    List<String> supertypes(String name) {
        List<String> known = supertypes.get(name);
        if (known == null) {
            known = findSupertypes(name);
            supertypes.put(name, known);
        }
        return known;
    }

    private List<String> findSupertypes(String name) {
        List<String> found = new ArrayList<>();
        List<String> interfaces = new ArrayList<>();
        for (String at = name; at != null; ) {
            found.add(at);
            ClassModel model = classes.get(at);
            if (model == null) {
                break;
            }
            model.interfaces().forEach(entry -> interfaces.add(entry.asInternalName()));
            at = model.superclass().map(ClassEntry::asInternalName).orElse(null);
        }
        for (int i = 0; i < interfaces.size(); i++) {
            String one = interfaces.get(i);
            if (!found.contains(one)) {
                found.add(one);
                ClassModel model = classes.get(one);
                if (model != null) {
                    model.interfaces().forEach(entry -> interfaces.add(entry.asInternalName()));
                }
            }
        }
        return found;
    }

    /// The first superclass that does not belong to the program; the class itself if it does not.
    String foreignSuperclass(String name) {
        String at = name;
        for (ClassModel model = classes.get(at); model != null; model = classes.get(at)) {
            at = model.superclass().map(ClassEntry::asInternalName).orElse("java/lang/Object");
        }
        return at;
    }

    /// Whether a class is an exception that is no error.
    boolean isException(String name) {
        try {
            return Exception.class.isAssignableFrom(
                    Class.forName(foreignSuperclass(name).replace('/', '.'), false, loader));
        } catch (ClassNotFoundException | LinkageError unknown) {
            return false;
        }
    }
}
