package io.sluice.loadtest.model;

import io.sluice.loadtest.statistics.Interval;

/**
 * Figure of a plan with its 95 % prediction interval, whose ends are equal without one. Immutable,
 * for any thread.
 */
record PlanFigure(String name, String unit, Interval value) {
  static PlanFigure of(String name, String unit, double value) {
    return new PlanFigure(name, unit, new Interval(value, value, value, 0));
  }

  String valueText() {
    return (PlanInputs.number(value.estimate()) + " " + unit).strip();
  }

  String rangeText() {
    return value.low() == value.high()
        ? "–"
        : PlanInputs.number(value.low()) + " to " + PlanInputs.number(value.high());
  }
}
