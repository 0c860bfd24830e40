package dev.outboard.console.dpa;

import dev.outboard.dpa.machine.UnitGrid;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Execution units in the command line: `CxN`, the cores and the units of each.
final class Units implements ITypeConverter<UnitGrid> {
    private static final Pattern GRID = Pattern.compile("(\\d{1,3})x(\\d{1,3})");

    @Override
    public UnitGrid convert(String word) {
        Matcher matcher = GRID.matcher(word);
        if (matcher.matches()) {
            int cores = Integer.parseInt(matcher.group(1));
            int unitsPerCore = Integer.parseInt(matcher.group(2));
            if (cores > 0 && unitsPerCore > 0) {
                int reserved = Math.min(UnitGrid.DEFAULT.reserved(), cores * unitsPerCore - 1);
                return new UnitGrid(cores, unitsPerCore, reserved);
            }
        }
        throw new TypeConversionException(
                "'%s' are no execution units; valid are cores and units of each, from 1x1 to 999x999"
                        .formatted(word));
    }
}
