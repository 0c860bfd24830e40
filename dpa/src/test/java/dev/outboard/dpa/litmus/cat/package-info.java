/// A second opinion on the memory of the DPA: evaluates `dpa.cat` on small programs, apart from the
/// model that the explorer goes through (DPA-OPM-18).
@NullMarked
package dev.outboard.dpa.litmus.cat;

import org.jspecify.annotations.NullMarked;
