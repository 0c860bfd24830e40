package dev.outboard.doca.rdma;

import dev.outboard.doca.DocaError;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Notes what becomes of connections; answers requests as the test says, at first with nothing.
final class ConnectionNotes implements ConnectionHandler {
    Consumer<RdmaConnection> answer = _ -> {};
    final List<RdmaConnection> requested = new ArrayList<>();
    final List<RdmaConnection> established = new ArrayList<>();
    final List<RdmaConnection> failed = new ArrayList<>();
    final List<DocaError> errors = new ArrayList<>();
    final List<RdmaConnection> disconnected = new ArrayList<>();

    @Override
    public void requested(RdmaConnection connection) {
        requested.add(connection);
        answer.accept(connection);
    }

    @Override
    public void established(RdmaConnection connection) {
        established.add(connection);
    }

    @Override
    public void failed(RdmaConnection connection, DocaError error, String explanation) {
        failed.add(connection);
        errors.add(error);
    }

    @Override
    public void disconnected(RdmaConnection connection) {
        disconnected.add(connection);
    }
}
