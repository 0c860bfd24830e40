package dev.outboard.dpacc;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// DPA-JK-1: a program, as its stub describes it in the constant `APP`.
///
/// @param <T> the thread of a kernel: `dev.outboard.dpa.machine.DpaThread`
/// @param name unique among the apps of a host
/// @param classes what a process loads anew: the stub first, then the program
/// @param functions the entry points, in the order of the source
/// @param globalBytes how many bytes of globals a process needs, a multiple of 8; they start as
///   zero
/// @param globals sets the fields of the globals from the address of the first
/// @param image of a program in C, whose functions run its code; it has no classes
public record DpaApp<T>(
        String name,
        List<Class<?>> classes,
        List<DpaFunction<T>> functions,
        int globalBytes,
        Consumer<DpaAddr> globals,
        Optional<DpaImage> image) {
    /// A program in Java.
    public DpaApp(
            String name,
            List<Class<?>> classes,
            List<DpaFunction<T>> functions,
            int globalBytes,
            Consumer<DpaAddr> globals) {
        this(name, classes, functions, globalBytes, globals, Optional.empty());
    }

    /// Copies the lists.
    public DpaApp {
        classes = List.copyOf(classes);
        functions = List.copyOf(functions);
    }

    /// The function of that name.
    ///
    /// @throws IllegalArgumentException if the app has none
    public DpaFunction<T> function(String function) {
        return functions.stream()
                .filter(each -> each.name().equals(function))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "App %s has no function %s, only %s"
                                        .formatted(
                                                name,
                                                function,
                                                functions.stream()
                                                        .map(DpaFunction::name)
                                                        .collect(Collectors.joining(", ")))));
    }

    /// Tells the program where its globals are, before any function runs.
    ///
    /// @param first address of the first of them, a multiple of 8
    public void placeGlobals(DpaAddr first) {
        globals.accept(first);
    }
}
