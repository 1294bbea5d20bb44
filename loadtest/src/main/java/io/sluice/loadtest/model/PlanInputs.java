package io.sluice.loadtest.model;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Values of the inputs of a plan, each with its source. For one thread.
 *
 * <p>A value is given on the command line, measured in the recorded runs, derived from others, or a
 * default.
 */
final class PlanInputs {
  private record Value(double value, String source) {}

  private final Map<PlanInput, Value> values = new EnumMap<>(PlanInput.class);

  /**
   * Creates inputs from given values and defaults.
   *
   * @throws IllegalArgumentException with a message that names the invalid option and the allowed
   *     values
   */
  PlanInputs(Map<PlanInput, Double> given) {
    for (PlanInput input : PlanInput.values()) {
      Double value = given.get(input);
      if (value != null) {
        check(input, value);
        values.put(input, new Value(value, "given"));
      } else if (!Double.isNaN(input.defaultValue())) {
        values.put(input, new Value(input.defaultValue(), "default"));
      }
    }
  }

  private static void check(PlanInput input, double value) {
    double min =
        switch (input) {
          case SPARE,
              HEADROOM,
              SLOW,
              HISTORY_MIB,
              SOCKET_KIB,
              PACKET_BYTES,
              BACKOFF,
              DETECTION,
              PENDING_KIB,
              CLIENT_KIB,
              BASE_MIB,
              PRICE,
              BROKER_RATE,
              BROKER_BYTES ->
              0;
          case SITES -> 1;
          default -> Double.MIN_VALUE;
        };
    double max =
        switch (input) {
          case HEADROOM -> 95;
          case SLOW, COMPRESSED -> 100;
          case SITES -> 100;
          default -> 1e12;
        };
    if (!(value >= min && value <= max)) {
      throw new IllegalArgumentException(
          "%s %s: must be %s %s and at most %s"
              .formatted(
                  input.option(),
                  number(value),
                  min == Double.MIN_VALUE ? "above" : "at least",
                  min == Double.MIN_VALUE ? "0" : number(min),
                  number(max)));
    }
    if ((input == PlanInput.SPARE || input == PlanInput.SITES) && value != Math.rint(value)) {
      throw new IllegalArgumentException(
          "%s %s: must be a whole number".formatted(input.option(), number(value)));
    }
  }

  /** Sets a value, unless it is given. */
  void supply(PlanInput input, double value, String source) {
    values.putIfAbsent(input, new Value(value, source));
  }

  boolean has(PlanInput input) {
    return values.containsKey(input);
  }

  /** Returns a value; it must be present. */
  double get(PlanInput input) {
    return values.get(input).value();
  }

  /** Returns a percentage as a fraction. */
  double fraction(PlanInput input) {
    return get(input) / 100;
  }

  /** Returns the part of a resource that is not reserved. */
  double usable(PlanInput resource) {
    return get(resource) * (1 - fraction(PlanInput.HEADROOM));
  }

  /** Returns one row per value: title, value, source, option. */
  List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    values.forEach(
        (input, value) -> {
          String text = number(value.value()) + (input.unit().isEmpty() ? "" : " " + input.unit());
          rows.add(List.of(input.title(), text, value.source(), "`" + input.option() + "`"));
        });
    return rows;
  }

  static String number(double value) {
    if (value == Math.rint(value)) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    return String.format(Locale.ROOT, Math.abs(value) < 10 ? "%.2f" : "%,.1f", value);
  }
}
