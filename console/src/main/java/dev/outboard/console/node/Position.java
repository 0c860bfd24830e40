package dev.outboard.console.node;

/// A place in a file; both count from 1.
record Position(int line, int column) {}
