package dev.outboard.dpacc;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// DPA-JK-2, DPA-CC-2, DPA-CC-5: marks a function that the host calls and waits for, as
/// `__dpa_rpc__` does in C. It returns a `long`; otherwise it is like one with [DpaGlobal].
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface DpaRpc {}
