/**
 * Campaign of a simulation: runs, measured clients, checks and summary. Entry point is {@code
 * Campaign}, which has a thread of its own; Gatling's threads call {@code ActiveRun} and {@code
 * ClientStream}. Does not import Gatling.
 */
package io.sluice.loadtest;
