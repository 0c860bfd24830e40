package dev.outboard.doca.rdma;

import dev.outboard.doca.DocaError;

/// Told about the connections of a context in mode OPEN; set with [Rdma#onConnection]
/// (`doca_rdma_set_connection_state_callbacks`). Everything runs in
/// [dev.outboard.doca.ProgressEngine#progress].
///
/// Each [Rdma#connectTo] and each [RdmaConnection#accept] ends in one call of [#established] or
/// [#failed]; each connection that was established ends in one call of [#disconnected], whichever
/// side ended it. Of a connection by details only this side's end is known by itself: that the peer
/// has ended its side is found out by a task that fails, or by [Rdma#keepAlive]. When [#failed] and
/// [#disconnected] run, the connection has left its context.
public interface ConnectionHandler {
    /// A peer asks for a connection at a port that is [listened to][Rdma#listen]. Answer it with
    /// [RdmaConnection#accept] or [RdmaConnection#reject], here or later. Rejects it by default.
    default void requested(RdmaConnection connection) {
        connection.reject();
    }

    /// The connection is there: tasks can be submitted to it from now on. Not called for those made
    /// by [Rdma#export], whose `connect` says the same.
    default void established(RdmaConnection connection) {}

    /// The connection did not come about.
    ///
    /// @param error TIME_OUT if the peer does not answer, BAD_STATE if the context stopped, else
    ///   CONNECTION_ABORTED
    /// @param explanation one line for people
    default void failed(RdmaConnection connection, DocaError error, String explanation) {}

    /// The connection has ended, with or without a failure; its tasks were called back before.
    default void disconnected(RdmaConnection connection) {}
}
