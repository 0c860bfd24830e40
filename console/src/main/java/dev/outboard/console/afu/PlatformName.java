package dev.outboard.console.afu;

import dev.outboard.ccip.platform.Profile;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// A platform in the command line: `pac_a10`.
final class PlatformName implements ITypeConverter<Profile>, Iterable<String> {
    private static final List<Profile> ALL =
            List.of(Profile.PAC_A10, Profile.PAC_N3000, Profile.PAC_D5005, Profile.INTEGRATED);

    @Override
    public Profile convert(String word) {
        String name = word.replace('-', '_').toUpperCase(Locale.ROOT);
        return ALL.stream()
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
        return ALL.stream().map(profile -> profile.name().toLowerCase(Locale.ROOT)).iterator();
    }
}
