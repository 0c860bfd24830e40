package dev.outboard.testkit;

/// A helper with the name of a test.
final class NothingToTest {
    private NothingToTest() {}
}
