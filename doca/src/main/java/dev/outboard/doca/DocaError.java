package dev.outboard.doca;

/// How a call or a task ended: the codes of `doca_error_t` with their numbers.
public enum DocaError {
    SUCCESS
}
