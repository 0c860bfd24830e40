package dev.outboard.ccip.fiu;

import dev.outboard.ccip.platform.AfterError;
import dev.outboard.ccip.platform.MemoryModel;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.platform.ResponseFormat;

/// What the behaviour of an FIU depends on, beside what AFU and host do.
///
/// @param profile the platform
/// @param mode which of the allowed orders
/// @param model how much order there is
/// @param seed where all chance comes from
/// @param format how writes are answered
/// @param afterError what becomes of outstanding requests after a protocol error
/// @param answersFaults whether a request that leads to no memory is answered all the same, a read
///   with garbage
public record Parameters(
        Profile profile,
        Mode mode,
        MemoryModel model,
        long seed,
        ResponseFormat format,
        AfterError afterError,
        boolean answersFaults) {
    /// Whether a response is one step with what it answers.
    boolean isMeasured() {
        return model == MemoryModel.MEASURED;
    }
}
