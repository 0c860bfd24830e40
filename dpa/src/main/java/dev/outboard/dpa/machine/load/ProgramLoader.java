package dev.outboard.dpa.machine.load;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Kernel;
import dev.outboard.dpa.machine.RefusedProgramException;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.fast.FastAccess;
import dev.outboard.dpa.machine.memory.Words;
import dev.outboard.dpa.machine.run.CodeSites;
import dev.outboard.dpa.machine.run.Fuel;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaLibrary;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.constant.ClassDesc;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.net.URLClassLoader;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/// The class loader of a process. It defines the classes of a program anew, rewritten for the mode
/// of the run: the outermost class of the program, all that are nested in it with their lambdas,
/// libraries of device code that it names, and others that it is given. Every other class comes
/// from where the program came from.
///
/// It supplies the process to the classes that it defines.
public final class ProgramLoader extends ClassLoader implements Supplier<ProcessState> {
    private static final ClassDesc LIBRARY = ClassDesc.of(DpaLibrary.class.getName());

    private final ProcessState process;
    private final RunMode mode;
    private final CodeSites sites;

    private final ClassFile classFile;
    private final ProgramClasses classes;
    private final KernelCheck check;

    /// Names of outermost classes, and whether they are libraries.
    private final Map<String, Boolean> libraries = new ConcurrentHashMap<>();

    /// Names of outermost classes of the program.
    private final Set<String> outermost = new LinkedHashSet<>();

    /// A loader of a program.
    ///
    /// @param others classes that belong to the program, beside its own
    public ProgramLoader(
            ProcessState process,
            RunMode mode,
            CodeSites sites,
            Class<?> program,
            Class<?>... others) {
        super(program.getClassLoader());
        this.process = process;
        this.mode = mode;
        this.sites = sites;
        outermost.add(program.getNestHost().getName());
        for (Class<?> other : others) {
            outermost.add(other.getNestHost().getName());
        }
        classFile =
                ClassFile.of(
                        ClassFile.ClassHierarchyResolverOption.of(
                                ClassHierarchyResolver.ofResourceParsing(getParent())
                                        .orElse(ClassHierarchyResolver.defaultResolver())));
        classes = new ProgramClasses(getParent(), classFile, this::isOfProgram);
        check = new KernelCheck(classes);
        setDefaultAssertionStatus(program.desiredAssertionStatus());
        // What is defined here calls parts of the machine that nobody else sees.
        Module machine = ProgramLoader.class.getModule();
        if (machine.isNamed()) {
            for (Class<?> used : Set.of(FastAccess.class, Fuel.class, Words.class)) {
                machine.addExports(used.getPackageName(), getUnnamedModule());
            }
        }
    }

    @Override
    public ProcessState get() {
        return process;
    }

    /// DPA-JK-8: checks the kernels of a program, before any of its classes is defined.
    ///
    /// @throws dev.outboard.dpa.machine.RefusedProgramException if they do what they must not do
    public void check(Class<?> program) {
        String name = MethodLoops.internalName(program);
        classes.add(name);
        ClassModel model = classes.get(name);
        if (model != null) {
            check.add(model);
        }
    }

    /// The same of a kernel that set-up code has made, in whatever way.
    public void check(String thread, Kernel kernel) {
        Class<?> type = kernel.getClass();
        if (type.getClassLoader() != this) {
            throw new RefusedProgramException(
                    "Thread '%s': class %s of its kernel does not belong to the program. Valid: kernels of the program; name the class to load, too"
                            .formatted(thread, type.getName()));
        }
        if (!type.isHidden()) {
            check(type);
        }
    }

    /// An instance of the program.
    ///
    /// @throws IllegalArgumentException if it has no constructor without parameters, or that fails
    public Object create(Class<?> program) {
        try {
            var constructor = loadClass(program.getName()).getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor.newInstance();
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException(
                    "The constructor of program %s failed".formatted(program.getName()),
                    e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(
                    "Program %s cannot be created: it needs a constructor without parameters, and to be static if it is nested"
                            .formatted(program.getName()),
                    e);
        }
    }

    /// The app of a stub, with the classes of this loader.
    ///
    /// @throws IllegalArgumentException if the class is no stub
    @SuppressWarnings("unchecked") // A stub is written for this type.
    public DpaApp<DpaThread> app(Class<?> stub) {
        try {
            Field app = loadClass(stub.getName()).getDeclaredField("APP");
            app.setAccessible(true);
            return (DpaApp<DpaThread>) app.get(null);
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new IllegalArgumentException(
                    "Class %s is no stub of a DPA program: it needs a constant APP of type %s"
                            .formatted(stub.getName(), DpaApp.class.getSimpleName()),
                    e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                loaded = isOwn(name) ? define(name) : getParent().loadClass(name);
            }
            return loaded;
        }
    }

    private boolean isOwn(String name) {
        return classes.get(name.replace('.', '/')) != null
                || isOfProgram(name)
                || name.equals(bridgeName())
                || name.equals(FastAccess.class.getName());
    }

    private boolean isOfProgram(String name) {
        int nested = name.indexOf('$');
        String outer = nested < 0 ? name : name.substring(0, nested);
        return outermost.contains(outer)
                || isInFilesOfProgram(name)
                || libraries.computeIfAbsent(outer, this::isLibrary);
    }

    /// Whether a class is marked as a library of device code.
    private boolean isLibrary(String name) {
        String resource = name.replace('.', '/') + ".class";
        if (name.startsWith("java.")) {
            return false;
        }
        try (InputStream in = getParent().getResourceAsStream(resource)) {
            return in != null
                    && classFile
                            .parse(in.readAllBytes())
                            .findAttribute(Attributes.runtimeInvisibleAnnotations())
                            .map(marks ->
                                    marks.annotations().stream()
                                            .anyMatch(mark -> mark.classSymbol().equals(LIBRARY)))
                            .orElse(false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Whether a class lies in the JARs or directories that the program was loaded from, if it has
    /// a class loader of its own.
    private boolean isInFilesOfProgram(String name) {
        String resource = name.replace('.', '/') + ".class";
        return getParent() instanceof URLClassLoader files
                && files.findResource(resource) != null
                && files.getParent().getResource(resource) == null;
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        byte[] bytes;
        if (name.equals(bridgeName())) {
            bytes = SiteBridge.bytes();
        } else if (name.equals(FastAccess.class.getName())) {
            bytes = original(name, FastAccess.class.getClassLoader());
        } else {
            bytes = rewrite(name);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    private static String bridgeName() {
        return SiteBridge.NAME.packageName() + "." + SiteBridge.NAME.displayName();
    }

    private byte[] rewrite(String name) throws ClassNotFoundException {
        String internal = name.replace('.', '/');
        classes.add(internal);
        ClassModel model = classes.get(internal);
        if (model == null) {
            throw new ClassNotFoundException(name);
        }
        if (mode instanceof RunMode.Turns) {
            // The places first: they look for loops as they were written.
            model =
                    classFile.parse(
                            classFile.transformClass(
                                    model, new SiteRewriter(sites).transform(model)));
        }
        return classFile.transformClass(
                model, new FuelRewriter(mode, classes.calls()).transform(model));
    }

    private static byte[] original(String name, ClassLoader from) throws ClassNotFoundException {
        String resource = name.replace('.', '/') + ".class";
        try (InputStream in = from.getResourceAsStream(resource)) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
