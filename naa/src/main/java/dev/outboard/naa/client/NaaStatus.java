package dev.outboard.naa.client;

import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.ReturnCode;
import java.util.Optional;

/// How far the RPC of a [NaaSession] is (the reference's `naa_status`).
///
/// NAA-MW-9: state, code and bytes.
///
/// @param state where the session stands
/// @param returnCode of the finished RPC, see [ReturnCode]; 0 until then
/// @param bytesReceived the length of the last WRITE of the finished RPC; 0 until then
/// @param failure why the session can only be closed, if it has failed
public record NaaStatus(
        NaaState state, int returnCode, long bytesReceived, Optional<NaaException> failure) {

    /// Whether the RPC has finished, with whatever code, or failed.
    public boolean isComplete() {
        return state == NaaState.FINISHED || state.isTerminal();
    }

    /// Whether the routine ended without error: the outputs are there.
    public boolean isSuccess() {
        return state == NaaState.FINISHED && returnCode == ReturnCode.SUCCESS;
    }
}
