package dev.outboard.console.demo;

import dev.outboard.node.offload.Target;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// The nodes of a demo: one for each target that finds edges.
final class DemoNodes implements AutoCloseable {
    private final List<Member> members = new ArrayList<>();

    private DemoNodes() {}

    /// A node, and where it finds edges.
    record Member(Target target, NodeProcess node) {}

    /// Starts them.
    ///
    /// @param options further words for `outboard naa serve`
    static DemoNodes start(List<Target> targets, List<String> options) throws IOException {
        DemoNodes nodes = new DemoNodes();
        try {
            for (Target target : targets) {
                List<String> words = new ArrayList<>(options);
                words.addAll(List.of("--target", "edges=" + target.word()));
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
    /// @return what they printed
    List<String> end() {
        return members.stream().flatMap(member -> member.node.end().stream()).toList();
    }

    @Override
    public void close() {
        members.forEach(member -> member.node.close());
    }
}
