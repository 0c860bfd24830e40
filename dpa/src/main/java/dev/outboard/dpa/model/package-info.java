/// The operational model of the DPA's memory (section 9 of the catalog): a state, and the steps
/// that may be taken in it. The reachable final states are exactly the behaviours that sections 7
/// and 8 allow. The model is pure; whoever explores it or runs it with a seed chooses the steps.
package dev.outboard.dpa.model;
