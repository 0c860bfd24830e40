package dev.outboard.naa.protocol;

/// Why a server does not give a client its regions.
///
/// @param code what the client is told, see [MrspException][dev.outboard.naa.MrspException]
/// @param counter what counts it
/// @param text one line for people at the server
public record Refusal(int code, ServerCounter counter, String text) {}
