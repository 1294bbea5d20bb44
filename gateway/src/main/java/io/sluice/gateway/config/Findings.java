package io.sluice.gateway.config;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What the rules have found wrong, each told where the operator has written it. A finding is left
 * out where a value that it needs is itself broken. Used once, by one thread.
 */
final class Findings {
  private final ConfigDraft draft;
  private final Config config;
  private final List<Problem> problems = new ArrayList<>();

  Findings(ConfigDraft draft) {
    this.draft = draft;
    this.config = draft.config();
  }

  /** The values that the rules are about. */
  Config config() {
    return config;
  }

  List<Problem> problems() {
    return problems;
  }

  /** Whether the operator has written a value, be it the default. */
  boolean isGiven(Setting<?> setting) {
    return draft.origin(setting).isPresent();
  }

  /** Told at the first of the settings that was given. */
  void report(String what, String expected, Setting<?>... settings) {
    if (!Arrays.stream(settings).allMatch(draft::isSound)) {
      return;
    }
    Optional<Setting<?>> given = Arrays.stream(settings).filter(this::isGiven).findFirst();
    Origin origin = given.flatMap(draft::origin).orElse(Origin.of("defaults"));
    problems.add(new Problem(origin, settings[0].key(), what, expected));
  }

  /** Reports a value without effect: a mistake that would otherwise go unseen. */
  void needless(Setting<?> setting, String missing, String expected) {
    if (isGiven(setting)) {
      report("has no effect without " + missing, expected, setting);
    }
  }

  /**
   * Reports two values of which the low one is too high.
   *
   * @param wrongly how the low one compares then
   * @param allowed the order that is still right: 0 if both may be the same, -1 if not
   */
  <T extends Comparable<T>> void ordered(
      Setting<T> low, String wrongly, Setting<T> high, int allowed) {
    T lower = config.get(low);
    T higher = config.get(high);
    if (lower.compareTo(higher) <= allowed) {
      return;
    }
    String compared = ValueText.write(lower) + " is " + wrongly + " " + high.key();
    report(compared + ", " + ValueText.write(higher), "", low, high);
  }

  /**
   * Reports a high value that is less than twice the low one.
   *
   * @param why the end of the sentence, or empty
   */
  void atLeastTwice(Setting<Duration> high, Setting<Duration> low, String why) {
    Duration lower = config.get(low);
    Duration higher = config.get(high);
    if (higher.compareTo(lower.multipliedBy(2)) < 0) {
      String compared = ValueText.write(higher) + " is less than twice " + low.key();
      report(compared + ", " + ValueText.write(lower) + why, "", high, low);
    }
  }

  /** A file in the place of a value: not both, and it can be read already. */
  void oneOf(Setting<String> file, Setting<String> value) {
    String name = config.get(file);
    if (name.isEmpty()) {
      return;
    }
    if (!config.get(value).isEmpty()) {
      report("stands beside " + value.key(), "one of the two", file, value);
    }
    try {
      new LineFile(file, name).read();
    } catch (IOException e) {
      report(e.getMessage().substring(file.key().length() + 2), "a file with one line", file);
    }
  }
}
