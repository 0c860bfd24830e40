package dev.outboard.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Names the catalog rows that a test proves. The IDs are those of the tables in `spec/*.md`; the
/// test must fail when the behaviour that a row asks for is wrong. On a class it counts for every
/// test method of that class.
///
/// [RequirementListener] records the outcome, `outboard spec` reports it.
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Requirement {
    /// One or more requirement IDs, for example `"ROCE-RC-12"`; of a row with lettered clauses the
    /// ID and a letter.
    String[] value();

    /// Whether the test is a table that it goes through by requirement ID, so that a failure names
    /// the ID. Any other method names at most five requirements.
    boolean table() default false;
}
