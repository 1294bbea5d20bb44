package io.sluice.loadtest.report;

import java.util.List;

/** Where values stand along an axis. */
interface Scale {
  /** A value that the axis names. */
  record Tick(double value, String label) {}

  /** How far along, from 0 to 1; values beyond the ends stand at them. */
  double share(double value);

  List<Tick> ticks();
}
