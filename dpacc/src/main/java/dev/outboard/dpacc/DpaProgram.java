package dev.outboard.dpacc;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// DPA-JK-1, DPA-CC-11: marks a class as a program of the DPA: its methods marked with [DpaGlobal]
/// or [DpaRpc] are the entry points. DPACC has the option `--app-name` for that.
///
/// The class is a top-level class without type parameters.
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface DpaProgram {
    /// The name of the app, unique among all that a host uses: a letter or `_`, then letters,
    /// digits and `_`, all of ASCII.
    String value();
}
