package dev.outboard.dpa.litmus;

/// What an `if` asks.
public record Condition(Expression left, Comparison comparison, Expression right) {}
