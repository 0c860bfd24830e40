package dev.outboard.doca.jobs;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import org.jspecify.annotations.Nullable;

/// Where [WorkQueue#retrieve] tells which job has ended, and how (`doca_event`). Belongs to the
/// caller, who may use the same one again and again; one thread at a time.
public final class JobEvent {
    private @Nullable JobType type;
    private @Nullable Object userData;
    private @Nullable RdmaResult result;

    /// An event that tells nothing yet.
    public JobEvent() {}

    void set(JobType newType, @Nullable Object newUserData, RdmaResult newResult) {
        type = newType;
        userData = newUserData;
        result = newResult;
    }

    /// The type of the job.
    ///
    /// @throws DocaException with BAD_STATE if nothing was retrieved into it
    public JobType type() {
        return filled(type);
    }

    /// What the job's submitter attached.
    public @Nullable Object userData() {
        return userData;
    }

    /// How the job ended.
    ///
    /// @throws DocaException with BAD_STATE if nothing was retrieved into it
    public RdmaResult result() {
        return filled(result);
    }

    private static <T> T filled(@Nullable T value) {
        if (value == null) {
            throw new DocaException(DocaError.BAD_STATE, "no event was retrieved yet");
        }
        return value;
    }
}
