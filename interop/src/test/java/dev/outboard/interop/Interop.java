package dev.outboard.interop;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Marks a class of tests against a real peer: it gets the [TestBeds] of the run.
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("interop")
@ExtendWith(TestBeds.Resolver.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@interface Interop {}
