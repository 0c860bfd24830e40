/// What a software NAA computes: one class per routine, the catalog that gives them function codes,
/// and the return codes by which they refuse wrong arguments.
///
/// Every number in a region is little-endian, whatever the machine.
package dev.outboard.node.routine;
