package dev.outboard.dpacc;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a class of device code that programs of the DPA share: a [DpaProgram] that names it has it
/// loaded with it, as if it were a part of the program. The same rules hold for its code. DPACC
/// links programs with device libraries in this way.
///
/// The class is a top-level class, from where the program comes from.
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface DpaLibrary {}
