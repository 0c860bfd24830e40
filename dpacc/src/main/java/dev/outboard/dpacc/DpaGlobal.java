package dev.outboard.dpacc;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// DPA-JK-2, DPA-CC-1, DPA-CC-4: marks an event handler or a kernel, as `__dpa_global__` does in C.
///
/// The method is static, not private, and alone with its name in its class. Its first parameter is
/// the `DpaThread`, the others have the types of [DpaScalar] or are records with [DpaType]. It
/// returns nothing and throws no checked exception.
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface DpaGlobal {}
