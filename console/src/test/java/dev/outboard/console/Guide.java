package dev.outboard.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A page of documentation as its reader follows it.
///
/// @param steps the commands in indented and `sh` blocks, with what the page says they print
/// @param sources the files that it shows whole, in Java, C, SystemVerilog, JSON, YAML or as litmus
///   tests: the block after a paragraph that begins with the name of the file
record Guide(List<Step> steps, Map<String, String> sources) {
    private static final Pattern COMMAND =
            Pattern.compile(
                    "(\\./outboard|\\./mvnw|tshark|srun|sbatch|java|javac|jar|export|mkdir|sed|printf|echo|head) .*");
    private static final Pattern FILE = Pattern.compile("`(\\w+\\.(?:java|c|sv|json|dpa|yaml))`.*");
    private static final Map<String, String> LANGUAGES =
            Map.of(
                    "java", "```java",
                    "c", "```c",
                    "sv", "```systemverilog",
                    "json", "```json",
                    "dpa", "```dpa",
                    "yaml", "```yaml");
    private static final String INDENT = "    ";

    /// A command, and the lines that follow it in its block or in the next.
    record Step(String command, List<String> output) {
        String program() {
            return command.split(" ", 2)[0];
        }
    }

    static Guide read(Path page) throws IOException {
        Guide guide = new Guide(new ArrayList<>(), new LinkedHashMap<>());
        String fence = "";
        String file = "";
        List<String> block = new ArrayList<>();
        for (String line : Files.readAllLines(page)) {
            if (line.startsWith("```")) {
                guide.take(fence, file, block);
                fence = line.length() == 3 ? "" : line;
            } else if (!fence.isEmpty()) {
                block.add(line);
            } else if (line.startsWith(INDENT)) {
                String text = line.substring(INDENT.length());
                guide.take(text, COMMAND.matcher(text).matches());
            } else {
                Matcher name = FILE.matcher(line);
                file = name.matches() ? name.group(1) : line.startsWith("#") ? "" : file;
            }
        }
        return guide;
    }

    /// A fenced block ends, or one begins.
    private void take(String fence, String file, List<String> block) {
        if (fence.equals("```sh")) {
            block.forEach(line -> take(line, true));
        } else if (!file.isEmpty() && fence.equals(LANGUAGES.get(extension(file)))) {
            sources.putIfAbsent(file, String.join("\n", block) + "\n");
        }
        block.clear();
    }

    private static String extension(String file) {
        return file.substring(file.indexOf('.') + 1);
    }

    private void take(String line, boolean isCommand) {
        Step last = steps.isEmpty() ? new Step("", List.of()) : steps.getLast();
        if (last.command().endsWith("\\")) {
            String begun = last.command().substring(0, last.command().length() - 1);
            steps.set(steps.size() - 1, new Step(begun + line.strip(), last.output()));
        } else if (isCommand) {
            steps.add(new Step(line.strip(), new ArrayList<>()));
        } else if (steps.isEmpty()) {
            throw new IllegalStateException("neither a command nor what one prints: " + line);
        } else {
            last.output().add(line);
        }
    }
}
