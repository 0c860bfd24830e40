/// `outboard spec`: which rows of the requirement catalogs have a passing test.
package dev.outboard.console.spec;
