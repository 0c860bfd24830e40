package dev.outboard.console.node;

import java.util.List;

/// The reference page of the keys of a node file.
final class NodePage {
    private static final String BEGIN =
            """
            # node.yaml

            All keys of the file that describes an accelerator node, derived from the program. `outboard naa serve --config node.yaml` runs the
            node, `outboard node check node.yaml` tells what is wrong with the file, [Describe a node](guide/node.md) shows how to use it. Every
            key is an option of `outboard naa serve`, too, and what the option says counts. Relative paths count from the file. A file has up to
            1 MiB and no YAML aliases.
            """;

    private NodePage() {}

    /// In Markdown.
    static String text() {
        StringBuilder page = new StringBuilder(BEGIN);
        section(
                page,
                "The node",
                NodeKeys.ofStart().stream().filter(key -> key.section().isEmpty()).toList(),
                "They count when the node is started.");
        section(
                page,
                "Routines and targets",
                NodeKeys.OF_ROUTINES,
                "`*` is the name of a routine, or of a target. A routine that is named is offered, also with"
                        + " nothing behind\nits name; without any name all are. They count anew from a"
                        + " SIGHUP on.");
        section(
                page,
                "Limits",
                NodeKeys.OF_LIMITS,
                "They count when the node is started. [Limits and tuning](guide/limits-and-tuning.md)"
                        + " tells what happens at each.");
        return page.toString();
    }

    private static void section(
            StringBuilder page, String title, List<NodeKey<?>> keys, String explanation) {
        page.append("\n## ").append(title).append("\n\n").append(explanation).append("\n\n");
        page.append("| key | valid | default | option | meaning |\n");
        page.append("| --- | --- | --- | --- | --- |\n");
        for (NodeKey<?> key : keys) {
            page.append(
                    "| `%s` | %s%s | %s | `%s` | %s |\n"
                            .formatted(
                                    key.path(),
                                    key.isList() && !key.isName() ? "a list; each " : "",
                                    key.type().valid(),
                                    key.standard(),
                                    key.option(),
                                    key.meaning()));
        }
    }
}
