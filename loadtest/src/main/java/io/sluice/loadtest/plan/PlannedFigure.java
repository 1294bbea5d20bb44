package io.sluice.loadtest.plan;

import io.sluice.loadtest.statistics.Interval;

/**
 * Figure of a plan with its range and basis. Immutable, for any thread.
 *
 * @param name of the figure
 * @param unit unit of the value; may be empty
 * @param value the value, or NaN if unknown
 * @param low lower end of the range, or NaN
 * @param high upper end of the range, or NaN
 * @param basis data that it is derived from, or the reason why it is unknown
 */
public record PlannedFigure(
    String name, String unit, double value, double low, double high, String basis) {

  static PlannedFigure exact(String name, String unit, double value, String basis) {
    return new PlannedFigure(name, unit, value, value, value, basis);
  }

  static PlannedFigure of(String name, String unit, Interval interval, String basis) {
    return new PlannedFigure(
        name, unit, interval.estimate(), Math.max(0, interval.low()), interval.high(), basis);
  }

  static PlannedFigure unknown(String name, String reason) {
    return new PlannedFigure(name, "", Double.NaN, Double.NaN, Double.NaN, reason);
  }

  /** Returns the figure multiplied by a factor, in another unit. */
  PlannedFigure times(double factor, String newName, String newUnit, String newBasis) {
    return new PlannedFigure(
        newName, newUnit, value * factor, low * factor, high * factor, newBasis);
  }

  String valueText() {
    return Double.isNaN(value) ? "unknown" : (Text.number(value) + " " + unit).strip();
  }

  String rangeText() {
    if (Double.isNaN(value) || low == high) {
      return "–";
    }
    if (Double.isNaN(low)) {
      return "at most " + Text.number(high);
    }
    if (Double.isNaN(high)) {
      return "at least " + Text.number(low);
    }
    return Text.number(low) + " to " + Text.number(high);
  }
}
