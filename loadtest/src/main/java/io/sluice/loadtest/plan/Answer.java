package io.sluice.loadtest.plan;

import io.sluice.loadtest.statistics.Interval;

/**
 * One figure of a plan. Immutable.
 *
 * @param what it is of
 * @param unit may be empty
 * @param value NaN if it can't be told
 * @param low lower end of the range in which it may lie; NaN if there is none
 * @param high upper end; NaN if there is none
 * @param basis what it rests on, or why it can't be told
 */
public record Answer(
    String what, String unit, double value, double low, double high, String basis) {

  static Answer exact(String what, String unit, double value, String basis) {
    return new Answer(what, unit, value, value, value, basis);
  }

  static Answer of(String what, String unit, Interval interval, String basis) {
    return new Answer(
        what, unit, interval.estimate(), Math.max(0, interval.low()), interval.high(), basis);
  }

  static Answer unknown(String what, String reason) {
    return new Answer(what, "", Double.NaN, Double.NaN, Double.NaN, reason);
  }

  /** The same times a factor, in another unit. */
  Answer times(double factor, String newWhat, String newUnit, String newBasis) {
    return new Answer(newWhat, newUnit, value * factor, low * factor, high * factor, newBasis);
  }

  String valueText() {
    return Double.isNaN(value) ? "not told" : (Text.number(value) + " " + unit).strip();
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
