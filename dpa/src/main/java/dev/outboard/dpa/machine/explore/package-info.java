/// EXPLORE for programs in Java: all that the operational model lets happen. A kernel cannot be
/// copied in the middle; but it always does the same after it has been given the same values, so
/// what it does next is found by running it again from its beginning.
package dev.outboard.dpa.machine.explore;
