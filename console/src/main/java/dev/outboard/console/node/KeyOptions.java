package dev.outboard.console.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;

/// Gives a command the options that are keys of a node file.
public class KeyOptions implements IModelTransformer {
    private final List<NodeKey<?>> keys;

    private KeyOptions(List<NodeKey<?>> keys) {
        this.keys = keys;
    }

    /// All of them.
    public static final class All extends KeyOptions {
        /// For picocli.
        public All() {
            super(NodeKeys.ALL);
        }
    }

    /// Those that say which routines there are.
    public static final class Routines extends KeyOptions {
        /// For picocli.
        public Routines() {
            super(
                    List.of(
                            NodeKeys.JARS,
                            NodeKeys.ISOLATED,
                            NodeKeys.ISOLATED_MEMORY,
                            NodeKeys.BUILTINS,
                            NodeKeys.SYSTEMVERILOG,
                            NodeKeys.CODE));
        }
    }

    @Override
    public CommandSpec transform(CommandSpec command) {
        keys.forEach(key -> command.addOption(option(key)));
        return command;
    }

    private static OptionSpec option(NodeKey<?> key) {
        OptionSpec.Builder option =
                OptionSpec.builder(key.option()).description(key.help().toArray(String[]::new));
        if (key.type().equals(ValueType.TRUTH)) {
            return option.negatable(true).type(boolean.class).arity("0").build();
        }
        if (key.isList() && key.isNamed() && !key.isName()) {
            String label = key.type().label();
            return option.type(List.class)
                    .auxiliaryTypes(Object.class)
                    .converters(text -> valuesOf(key, text))
                    .paramLabel("NAME=%s[,%s...]".formatted(label, label))
                    .build();
        }
        if (key.isList()) {
            return option.type(List.class)
                    .auxiliaryTypes(Object.class)
                    .converters(key.type().reader()::apply)
                    .splitRegex(",")
                    .paramLabel(key.type().label())
                    .build();
        }
        if (key.isNamed()) {
            return option.type(Map.class)
                    .auxiliaryTypes(String.class, Object.class)
                    .converters(name -> name, key.type().reader()::apply)
                    .paramLabel("NAME=" + key.type().label())
                    .build();
        }
        return option.type(Object.class)
                .converters(key.type().reader()::apply)
                .paramLabel(key.type().label())
                .build();
    }

    /// Some values of a key, by the name in it.
    private static Map<String, List<?>> valuesOf(NodeKey<?> key, String text) {
        String[] parts = text.split("=", 2);
        if (parts.length < 2) {
            throw new TypeConversionException(
                    "'%s' has no '='; valid: NAME=%s".formatted(text, key.type().label()));
        }
        List<Object> values = new ArrayList<>();
        for (String value : parts[1].split(",")) {
            values.add(key.type().reader().apply(value));
        }
        return Map.of(parts[0], values);
    }

    /// What the options say that were given.
    static Settings given(ParseResult words) {
        List<Setting<?>> given = new ArrayList<>();
        for (NodeKey<?> key : NodeKeys.ALL) {
            if (words.hasMatchedOption(key.option())) {
                add(key, "", words.matchedOptionValue(key.option(), null), given);
            }
        }
        return new Settings(given);
    }

    /// The key's own reader has made the values.
    @SuppressWarnings("unchecked")
    private static <T> void add(NodeKey<T> key, String name, Object value, List<Setting<?>> given) {
        switch (value) {
            case List<?> values -> values.forEach(one -> add(key, name, one, given));
            case Map<?, ?> values ->
                    values.forEach((word, one) -> add(key, word.toString(), one, given));
            default -> given.add(new Setting<>(key, name, (T) value, Optional.empty()));
        }
    }
}
