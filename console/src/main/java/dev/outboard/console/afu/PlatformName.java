package dev.outboard.console.afu;

import dev.outboard.ccip.platform.Profile;
import java.util.Iterator;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// A platform in the command line: `pac_a10`, however it is spelt in capitals and dashes.
final class PlatformName implements ITypeConverter<Profile>, Iterable<String> {
    @Override
    public Profile convert(String word) {
        String name = word.replace('-', '_').toUpperCase(Locale.ROOT);
        return Profile.ALL.stream()
                .filter(profile -> profile.name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new TypeConversionException(
                                "no platform '"
                                        + word
                                        + "'; there are "
                                        + String.join(", ", this)));
    }

    /// The names, for help texts.
    @Override
    public Iterator<String> iterator() {
        return Profile.ALL.stream().map(PlatformName::of).iterator();
    }

    /// How a platform is written.
    static String of(Profile platform) {
        return platform.name().toLowerCase(Locale.ROOT);
    }
}
