package dev.outboard.naa.server;

import java.io.IOException;
import java.lang.module.FindException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ResolutionException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/// The routines of a server, one per function code: given one by one, found among what is
/// installed, or added from JARs.
///
/// ```java
/// RoutineSet routines = RoutineSet.installed().withJar(Path.of("my.jar"));
/// ```
///
/// Immutable; may be used from any thread and by any number of servers. The classes of a JAR stay
/// loaded as long as somebody uses them, so the file must not change meanwhile.
public final class RoutineSet {
    /// A routine and where it comes from, for messages.
    private record Member(RoutineSpec spec, String origin) {
        @Override
        public String toString() {
            return "'" + spec.name() + "' of " + origin;
        }
    }

    private final SortedMap<Integer, Member> members;

    private RoutineSet(SortedMap<Integer, Member> members) {
        this.members = members;
    }

    /// These routines.
    ///
    /// @throws IllegalArgumentException if two have the same function code
    public static RoutineSet of(RoutineSpec... routines) {
        return new RoutineSet(new TreeMap<>()).with(List.of(routines), "this program");
    }

    /// The routines of all providers on the module path and the class path.
    ///
    /// @throws IllegalArgumentException if a provider cannot be used, or two routines have the same
    ///   function code
    public static RoutineSet installed() {
        RoutineSet none = new RoutineSet(new TreeMap<>());
        return none.with(ServiceLoader.load(RoutineProvider.class).stream(), "");
    }

    /// These and the routines of the providers in a JAR. It may be a module, which then sees the
    /// modules it requires, or not, and then sees everything that is installed.
    ///
    /// @throws IllegalArgumentException if there is no such file, it is no JAR, has no provider or
    ///   one that cannot be used, or two routines have the same function code
    public RoutineSet withJar(Path jar) {
        requireJar(jar);
        RoutineSet all = with(providersIn(jar), " in " + jar);
        if (all.members.size() == members.size()) {
            throw new IllegalArgumentException(
                    "%s offers no routine: it must provide %s, in its module-info or in META-INF/services"
                            .formatted(jar, RoutineProvider.class.getName()));
        }
        return all;
    }

    /// These and those of `others`.
    ///
    /// @throws IllegalArgumentException if two routines have the same function code
    public RoutineSet with(RoutineSet others) {
        RoutineSet all = this;
        for (Member member : others.members.values()) {
            all = all.with(List.of(member.spec()), member.origin());
        }
        return all;
    }

    /// These, with another routine for the function code of one of them.
    ///
    /// @throws IllegalArgumentException if there is none
    public RoutineSet replacing(RoutineSpec spec) {
        SortedMap<Integer, Member> all = new TreeMap<>(members);
        Member replaced =
                all.computeIfPresent(
                        spec.functionCode(), (_, old) -> new Member(spec, old.origin()));
        if (replaced == null) {
            throw new IllegalArgumentException(
                    "function code %d; valid: %s".formatted(spec.functionCode(), all.keySet()));
        }
        return new RoutineSet(all);
    }

    /// Those of these that have one of these names.
    ///
    /// @throws IllegalArgumentException if there is none of that name
    public RoutineSet only(Collection<String> names) {
        SortedMap<Integer, Member> some = new TreeMap<>(members);
        some.values().removeIf(member -> !names.contains(member.spec().name()));
        List<String> known = routines().stream().map(RoutineSpec::name).toList();
        for (String name : names) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException(
                        "routine '%s'; valid: %s".formatted(name, String.join(", ", known)));
            }
        }
        return new RoutineSet(some);
    }

    /// All routines by ascending function code.
    public List<RoutineSpec> routines() {
        return members.values().stream().map(Member::spec).toList();
    }

    /// The routine with this function code.
    public Optional<RoutineSpec> find(int functionCode) {
        return Optional.ofNullable(members.get(functionCode)).map(Member::spec);
    }

    private RoutineSet with(
            Stream<ServiceLoader.Provider<RoutineProvider>> providers, String where) {
        RoutineSet all = this;
        try {
            for (ServiceLoader.Provider<RoutineProvider> provider :
                    (Iterable<ServiceLoader.Provider<RoutineProvider>>) providers::iterator) {
                String origin = provider.type().getName() + where;
                all = all.with(routinesOf(provider, origin), origin);
            }
            return all;
        } catch (ServiceConfigurationError e) {
            throw new IllegalArgumentException(
                    "a provider of routines%s cannot be used: %s".formatted(where, e.getMessage()),
                    e);
        }
    }

    private static List<RoutineSpec> routinesOf(
            ServiceLoader.Provider<RoutineProvider> provider, String origin) {
        try {
            return List.copyOf(provider.get().routines());
        } catch (RuntimeException | LinkageError e) {
            throw new IllegalArgumentException("%s fails: %s".formatted(origin, e), e);
        }
    }

    /// These and others.
    ///
    /// @param origin where the others come from, for messages
    /// @throws IllegalArgumentException if two routines have the same function code
    public RoutineSet with(Collection<RoutineSpec> routines, String origin) {
        SortedMap<Integer, Member> all = new TreeMap<>(members);
        for (RoutineSpec spec : routines) {
            Member member = new Member(spec, origin);
            Member first = all.putIfAbsent(spec.functionCode(), member);
            if (first != null) {
                throw new IllegalArgumentException(
                        "function code %d belongs to two routines: %s and %s"
                                .formatted(spec.functionCode(), first, member));
            }
        }
        return new RoutineSet(all);
    }

    // ---- JARs -----------------------------------------------------------------------------------

    private static void requireJar(Path jar) {
        if (!Files.isRegularFile(jar)) {
            throw new IllegalArgumentException("there is no file " + jar);
        }
        try (JarFile _ = new JarFile(jar.toFile())) {
            // It can be opened, so it is one.
        } catch (IOException e) {
            throw new IllegalArgumentException(jar + " is not a JAR: " + e.getMessage(), e);
        }
    }

    /// The providers in a JAR, without those that its class loader finds elsewhere. Either
    /// everything runs in modules, or everything on the class path; there a JAR that is a module
    /// could not require ours.
    private static Stream<ServiceLoader.Provider<RoutineProvider>> providersIn(Path jar) {
        Optional<ModuleDescriptor> module = moduleIn(jar);
        if (RoutineSet.class.getModule().isNamed() && module.isPresent()) {
            ModuleLayer layer = layerOf(jar, module.get());
            ClassLoader loader = layer.findLoader(module.get().name());
            return own(ServiceLoader.load(layer, RoutineProvider.class), loader);
        }
        ClassLoader loader = loaderOf(jar);
        return own(ServiceLoader.load(RoutineProvider.class, loader), loader);
    }

    private static Stream<ServiceLoader.Provider<RoutineProvider>> own(
            ServiceLoader<RoutineProvider> found, ClassLoader loader) {
        return found.stream().filter(provider -> loader.equals(provider.type().getClassLoader()));
    }

    private static Optional<ModuleDescriptor> moduleIn(Path jar) {
        try {
            return ModuleFinder.of(jar).findAll().stream()
                    .map(reference -> reference.descriptor())
                    .filter(descriptor -> !descriptor.isAutomatic())
                    .findAny();
        } catch (FindException _) {
            // No module can have the name of this file.
            return Optional.empty();
        }
    }

    private static ModuleLayer layerOf(Path jar, ModuleDescriptor module) {
        ModuleLayer boot = ModuleLayer.boot();
        try {
            var configuration =
                    boot.configuration()
                            .resolve(
                                    ModuleFinder.of(jar), ModuleFinder.of(), Set.of(module.name()));
            return boot.defineModulesWithOneLoader(
                    configuration, RoutineSet.class.getClassLoader());
        } catch (FindException | ResolutionException | LayerInstantiationException e) {
            throw new IllegalArgumentException(
                    "module %s in %s cannot be used: %s"
                            .formatted(module.name(), jar, e.getMessage()),
                    e);
        }
    }

    private static ClassLoader loaderOf(Path jar) {
        try {
            URL url = jar.toUri().toURL();
            return new URLClassLoader(
                    jar.toString(), new URL[] {url}, RoutineSet.class.getClassLoader());
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException("no URL can name " + jar, e);
        }
    }
}
