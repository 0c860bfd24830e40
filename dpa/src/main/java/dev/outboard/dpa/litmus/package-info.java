/// Litmus programs as data, their text form, and the machinery that finds all their outcomes.
package dev.outboard.dpa.litmus;
