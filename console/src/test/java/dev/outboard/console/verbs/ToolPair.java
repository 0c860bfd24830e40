package dev.outboard.console.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import java.util.ArrayList;
import java.util.List;

/// What the two sides of one tool said: the server is a process of its own, the client runs here.
///
/// @param server a run that ended well
/// @param client a run that ended well
record ToolPair(Execution server, Execution client) {
    /// Runs both sides of `tool` with `options`; the client names its server with `serverOption`,
    /// or with a bare word if that is empty.
    static ToolPair run(String tool, String serverOption, String... options) {
        return run(List.of(tool), List.of(tool), serverOption, options);
    }

    /// Runs two tools, or one tool with different words for its roles.
    static ToolPair run(
            List<String> serverWords,
            List<String> clientWords,
            String serverOption,
            String... options) {
        try (OutboardProcess server = OutboardProcess.start(serverWords(serverWords, options))) {
            String address = server.address();
            int colon = address.lastIndexOf(':');
            List<String> words = new ArrayList<>(List.of("verbs"));
            words.addAll(clientWords);
            words.addAll(List.of(options));
            words.addAll(List.of("-p", address.substring(colon + 1)));
            if (!serverOption.isEmpty()) {
                words.add(serverOption);
            }
            words.add(address.substring(0, colon));
            Execution client = Execution.ofOutboard(words.toArray(String[]::new));
            assertThat(client.exitCode()).as(client + "\nserver: " + server).isZero();
            Execution served = server.awaitEnd();
            assertThat(served.exitCode()).as(served.toString()).isZero();
            return new ToolPair(served, client);
        }
    }

    /// A server of `tool` on a free address and port, with `options`.
    static String[] serverWords(List<String> tool, String... options) {
        List<String> words = new ArrayList<>(List.of("verbs"));
        words.addAll(tool);
        words.addAll(List.of(options));
        words.addAll(List.of("--bind", "auto", "-p", "0"));
        return words.toArray(String[]::new);
    }
}
