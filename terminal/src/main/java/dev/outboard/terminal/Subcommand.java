package dev.outboard.terminal;

/// A command of `outboard`, as picocli annotates it, in a module that the console does not know:
/// what measures the product, or shows how it is used. The console finds it with
/// [java.util.ServiceLoader].
public interface Subcommand extends Runnable {}
