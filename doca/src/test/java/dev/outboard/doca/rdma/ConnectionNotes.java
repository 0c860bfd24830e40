package dev.outboard.doca.rdma;

import dev.outboard.doca.DocaError;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Notes what becomes of connections; answers requests as the test says, at first with nothing.
final class ConnectionNotes implements ConnectionHandler {
    /// The methods of a handler.
    enum Callback {
        REQUESTED,
        ESTABLISHED,
        FAILED,
        DISCONNECTED
    }

    Consumer<RdmaConnection> answer = _ -> {};

    /// Told of each callback, last in it.
    Consumer<Callback> then = _ -> {};

    final List<RdmaConnection> requested = new ArrayList<>();
    final List<RdmaConnection> established = new ArrayList<>();
    final List<RdmaConnection> failed = new ArrayList<>();
    final List<DocaError> errors = new ArrayList<>();
    final List<String> explanations = new ArrayList<>();
    final List<RdmaConnection> disconnected = new ArrayList<>();

    @Override
    public void requested(RdmaConnection connection) {
        requested.add(connection);
        answer.accept(connection);
        then.accept(Callback.REQUESTED);
    }

    @Override
    public void established(RdmaConnection connection) {
        established.add(connection);
        then.accept(Callback.ESTABLISHED);
    }

    @Override
    public void failed(RdmaConnection connection, DocaError error, String explanation) {
        failed.add(connection);
        errors.add(error);
        explanations.add(explanation);
        then.accept(Callback.FAILED);
    }

    @Override
    public void disconnected(RdmaConnection connection) {
        disconnected.add(connection);
        then.accept(Callback.DISCONNECTED);
    }
}
