package dev.outboard.doca.rdma;

import dev.outboard.doca.CtxRun;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.spi.CompletionContext;
import dev.outboard.doca.spi.ExecutionEnvironment;
import dev.outboard.doca.spi.RdmaQueues;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Whether programs of an execution environment post the operations of an [Rdma] context, and
/// which.
final class RdmaPrograms {
    private final Rdma rdma;
    private @Nullable ExecutionEnvironment environment;
    private @Nullable CompletionContext completions;

    /// What they post to, since the last start.
    private @Nullable RdmaQueues queues;

    RdmaPrograms(Rdma rdma) {
        this.rdma = rdma;
    }

    /// DRDMA-DPA-3: those of a DPA, and of nothing else.
    void of(ExecutionEnvironment dpa) {
        if (dpa.kind() != ExecutionEnvironment.Kind.DPA) {
            throw new DocaException(DocaError.NOT_SUPPORTED, dpa + " is no DPA");
        }
        environment = dpa;
    }

    void completions(CompletionContext context) {
        if (!context.environment().equals(environment)) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "%s is of %s, and the data path of %s on %s"
                            .formatted(context, context.environment(), rdma, environment));
        }
        completions = context;
    }

    /// Whether it is they who post.
    boolean post() {
        return environment != null;
    }

    /// @throws DocaException with NOT_PERMITTED if it is they who post
    void requireNone(String otherwise) {
        if (post()) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "%s, whose data path is on %s, %s".formatted(rdma, environment, otherwise));
        }
    }

    CtxRun open(CtxRun.Owner owner, RdmaConfiguration configuration, RdmaControlPath control) {
        ExecutionEnvironment dpa = environment;
        if (dpa == null) {
            throw new IllegalStateException(rdma + " has its data path on the CPU");
        }
        Optional<DynamicConnections> dynamic =
                configuration.transportType() == TransportType.DC
                        ? Optional.of(new DynamicConnections(control))
                        : Optional.empty();
        RdmaQueues made =
                dpa.rdma(
                        configuration.queues(
                                Optional.ofNullable(completions),
                                dynamic.map(DynamicConnections::onDemand)));
        queues = made;
        return new RdmaProgramRun(owner, control, control.open(made, dynamic));
    }

    /// DRDMA-DPA-2: once it is started.
    long handle() {
        RdmaQueues made = queues;
        if (made == null) {
            throw new DocaException(DocaError.BAD_STATE, rdma + " has no data path on a DPA");
        }
        return made.handle();
    }
}
