/// What the tests of every module share. It has no module descriptor: tests run on the class path.
@NullMarked
package dev.outboard.testkit;

import org.jspecify.annotations.NullMarked;
