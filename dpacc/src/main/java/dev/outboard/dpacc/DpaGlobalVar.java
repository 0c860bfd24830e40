package dev.outboard.dpacc;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// DPA-JK-4: declares a global variable of a program: bytes of DPA memory that start as zero. The
/// field holds their address, aligned to 8; a process sets it when it loads the program
/// ([DpaApp#placeGlobals]), and kernels load and store there through their `DpaThread`, as all
/// memory.
///
/// The field is static, not final, not private, of the type [DpaAddr], and stands in a class with
/// [DpaProgram], which is the only one that reads it.
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.FIELD)
public @interface DpaGlobalVar {
    /// How many bytes it has, 1 or more.
    int bytes();
}
