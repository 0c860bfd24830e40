package dev.outboard.console.demo;

import dev.outboard.node.offload.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The nodes of a demo: one for each target that finds edges.
final class DemoNodes implements AutoCloseable {
    private final List<Member> members = new ArrayList<>();
    private final List<Path> traces = new ArrayList<>();

    private DemoNodes() {}

    /// A node, and where it finds edges.
    record Member(Target target, NodeProcess node) {}

    /// Starts them.
    ///
    /// @param options further words for `outboard naa serve`
    /// @param isTraced whether each writes a trace
    static DemoNodes start(List<Target> targets, List<String> options, boolean isTraced)
            throws IOException {
        DemoNodes nodes = new DemoNodes();
        try {
            for (Target target : targets) {
                List<String> words = new ArrayList<>(options);
                words.addAll(List.of("--target", "edges=" + target.word()));
                if (isTraced) {
                    Path trace = Files.createTempFile("outboard-node-", ".pftrace");
                    nodes.traces.add(trace);
                    words.addAll(List.of("--trace", trace.toString()));
                }
                nodes.members.add(new Member(target, NodeProcess.start(words)));
            }
            return nodes;
        } catch (IOException | RuntimeException e) {
            nodes.close();
            throw e;
        }
    }

    List<Member> members() {
        return members;
    }

    /// Ends them.
    ///
    /// @return what each of them printed
    List<List<String>> end() {
        return members.stream().map(member -> member.node.end()).toList();
    }

    /// Where the traces are of those that have ended.
    List<Path> traces() {
        return traces;
    }

    @Override
    public void close() {
        members.forEach(member -> member.node.close());
        for (Path trace : traces) {
            try {
                Files.deleteIfExists(trace);
            } catch (IOException leftForTheSystem) {
                // It is a temporary file.
            }
        }
    }
}
