package io.sluice.gateway.config;

import io.sluice.gateway.config.Problem.Origin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Configuration values parsed so far, with the origin of each value and the parse problems.
 * Confined to one thread.
 */
public final class ConfigDraft {
  private final Map<String, Origin> origins = new HashMap<>();
  private final Set<String> invalid = new HashSet<>();
  private final List<Problem> problems = new ArrayList<>();
  private Config config = Config.defaults();

  /**
   * Sets a value from a command-line option, which overrides the file's value. Problems of the
   * file's value remain. An invalid value becomes a problem.
   */
  public void override(Setting<?> setting, String text, String option) {
    accept(setting, ValueText.read(setting, text), Origin.of(option));
  }

  /** Sets a list from a command-line option, which overrides the file's list. */
  public void override(Setting<List<String>> setting, List<String> values, String option) {
    accept(setting, new ValueText.Reading.Value(List.copyOf(values)), Origin.of(option));
  }

  /** Returns the origin of a setting's value; empty if the setting has its default. */
  public Optional<Origin> origin(Setting<?> setting) {
    return Optional.ofNullable(origins.get(setting.key()));
  }

  /** Returns the origin of a map entry, or of the map if the entry's origin is unknown. */
  public Optional<Origin> origin(Setting<?> setting, String entry) {
    Origin written = origins.get(setting.key() + "." + entry);
    return written == null ? origin(setting) : Optional.of(written);
  }

  /** Returns the problems of reading the values. {@link ConfigFindings} has all others. */
  List<Problem> problems() {
    return List.copyOf(problems);
  }

  /** Returns the values; invalid ones have their defaults. */
  public Config config() {
    return config;
  }

  /** Returns whether a setting's value is valid or absent. */
  boolean isValid(Setting<?> setting) {
    return !invalid.contains(setting.key());
  }

  /** Stores the origin of a map entry. */
  void acceptEntry(Setting<?> setting, String entry, Origin origin) {
    origins.put(setting.key() + "." + entry, origin);
  }

  void report(Problem problem) {
    problems.add(problem);
    invalid.add(problem.key());
  }

  void accept(Setting<?> setting, ValueText.Reading reading, Origin origin) {
    origins.put(setting.key(), origin);
    if (reading instanceof ValueText.Reading.Value read) {
      config = with(config, setting, read.value());
    } else if (reading instanceof ValueText.Reading.Wrong wrong) {
      report(new Problem(origin, setting.key(), wrong.what(), ValueText.expected(setting)));
    }
  }

  /** Casts unchecked: {@link ValueText} creates values of the setting's class. */
  @SuppressWarnings("unchecked")
  private static <T> Config with(Config config, Setting<T> setting, Object value) {
    return config.with(setting, (T) value);
  }
}
