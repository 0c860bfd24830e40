package dev.outboard.dpa.doca;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.FlexioProcess;
import java.util.function.Supplier;

/// What refusals of FlexIO are called in DOCA.
final class DocaErrors {
    private DocaErrors() {}

    /// What the call gives.
    ///
    /// @throws DocaException if FlexIO refuses
    static <T> T of(Supplier<T> call) {
        try {
            return call.get();
        } catch (FlexioException e) {
            throw new DocaException(error(e), String.valueOf(e.getMessage()), e);
        }
    }

    /// The same without a result.
    static void of(Runnable call) {
        of(() -> {
            call.run();
            return true;
        });
    }

    /// Gives something back, unless it has gone with its process.
    static void giveBack(Runnable call) {
        try {
            call.run();
        } catch (FlexioException e) {
            if (error(e) != DocaError.BAD_STATE) {
                throw new DocaException(error(e), String.valueOf(e.getMessage()), e);
            }
        }
    }

    /// Gives something back. After a fault, which may come meanwhile, it has gone with the process.
    static void giveBack(FlexioProcess process, Runnable call) {
        try {
            if (process.errorState().isRunning()) {
                call.run();
            }
        } catch (FlexioException e) {
            if (process.errorState().isRunning()) {
                throw new DocaException(error(e), String.valueOf(e.getMessage()), e);
            }
        }
    }

    /// DPA-DC-3: after a fault everything is refused with BAD_STATE.
    private static DocaError error(FlexioException refusal) {
        return switch (refusal.reason()) {
            case PROCESS_ENDED, DESTROYED, WRONG_TIME, HOST_PROCESS_GONE -> DocaError.BAD_STATE;
            case NO_MEMORY -> DocaError.NO_MEMORY;
            case NO_ANSWER -> DocaError.TIME_OUT;
            case IN_USE -> DocaError.IN_USE;
            case NOT_PERMITTED -> DocaError.NOT_PERMITTED;
            case NOT_SUPPORTED -> DocaError.NOT_SUPPORTED;
            case BAD_ARGUMENT, NOT_IN_APP, NOT_A_BLOCK, OUTSIDE_BLOCK, FOREIGN ->
                    DocaError.INVALID_VALUE;
        };
    }
}
