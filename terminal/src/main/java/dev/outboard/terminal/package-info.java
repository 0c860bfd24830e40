/// What commands print with: tables, sizes, times and rates as people read and write them, results
/// as text or JSON, progress; and how they end early, by a failure that explains itself or because
/// the process is told to.
package dev.outboard.terminal;
