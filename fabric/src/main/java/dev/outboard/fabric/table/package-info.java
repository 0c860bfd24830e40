/// Finding objects by number, on the data path.
package dev.outboard.fabric.table;
