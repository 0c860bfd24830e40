package dev.outboard.console;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// A test class that takes minutes and runs while others of the module do: whatever it changes is
/// its own (its directories, the processes it starts, the addresses they take), and it looks at
/// nothing that others change, such as the output of this process.
///
/// The module stands on all others, so nothing else is left to test meanwhile.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Execution(ExecutionMode.CONCURRENT)
public @interface BesideOthers {}
