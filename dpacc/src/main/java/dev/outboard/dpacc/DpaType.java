package dev.outboard.dpacc;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// DPA-JK-2, DPA-CC-3: marks a record that the host passes to the device by value, as
/// `__dpa_global__` on a struct does in C. It is laid out as [DpaLayout] says.
///
/// Its components have the types of [DpaScalar] or are other such records. It has no type
/// parameters, and the package of the program sees it. There are no arrays: a component of a record
/// is one value, or a record of its own.
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface DpaType {}
