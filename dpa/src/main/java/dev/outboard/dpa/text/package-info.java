/// Words of reports.
package dev.outboard.dpa.text;
