package dev.outboard.console.node;

import java.util.Collection;
import java.util.Comparator;

/// What somebody meant who wrote something else.
final class Words {
    private Words() {}

    /// A question after the word that nothing has, if one of `valid` is much like it; else nothing.
    static String didYouMean(String word, Collection<String> valid) {
        return valid.stream()
                .min(Comparator.comparingInt(one -> distance(word, one)))
                .filter(one -> distance(word, one) <= Math.min(3, one.length() / 2))
                .map(one -> ", did you mean '" + one + "'?")
                .orElse("");
    }

    /// How many letters have to be changed, added or removed.
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int changed = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
