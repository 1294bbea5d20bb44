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
 * Values that were read so far, the place of each, and the problems of reading them. Confined to
 * one thread.
 */
public final class ConfigDraft {
  private final Map<String, Origin> origins = new HashMap<>();
  private final Set<String> broken = new HashSet<>();
  private final List<Problem> problems = new ArrayList<>();
  private Config config = Config.defaults();

  /**
   * Sets a value from an option of the command line; it goes before the file's, whose problems
   * stay. A value that doesn't fit becomes a problem.
   */
  public void override(Setting<?> setting, String text, String option) {
    accept(setting, ValueText.read(setting, text), Origin.of(option));
  }

  /** Takes a list from an option of the command line, which goes before the file. */
  public void override(Setting<List<String>> setting, List<String> values, String option) {
    accept(setting, new ValueText.Reading.Value(List.copyOf(values)), Origin.of(option));
  }

  /** Where a setting's value was written; empty if it has its default. */
  public Optional<Origin> origin(Setting<?> setting) {
    return Optional.ofNullable(origins.get(setting.key()));
  }

  /** Where an entry of a map was written; where the map was if that is not known. */
  public Optional<Origin> origin(Setting<?> setting, String entry) {
    Origin written = origins.get(setting.key() + "." + entry);
    return written == null ? origin(setting) : Optional.of(written);
  }

  /** Returns the problems of reading the values. {@link ConfigFindings} has all others. */
  List<Problem> problems() {
    return List.copyOf(problems);
  }

  /** The values; those that have a problem stand at their defaults. */
  public Config config() {
    return config;
  }

  /** Whether the setting's value can be relied on: given and right, or not given. */
  boolean isSound(Setting<?> setting) {
    return !broken.contains(setting.key());
  }

  /** Notes where an entry of a map was written. */
  void acceptEntry(Setting<?> setting, String entry, Origin origin) {
    origins.put(setting.key() + "." + entry, origin);
  }

  void report(Problem problem) {
    problems.add(problem);
    broken.add(problem.key());
  }

  void accept(Setting<?> setting, ValueText.Reading reading, Origin origin) {
    origins.put(setting.key(), origin);
    if (reading instanceof ValueText.Reading.Value read) {
      config = with(config, setting, read.value());
    } else if (reading instanceof ValueText.Reading.Wrong wrong) {
      report(new Problem(origin, setting.key(), wrong.what(), ValueText.expected(setting)));
    }
  }

  /** ValueText gives each setting a value of its own class. */
  @SuppressWarnings("unchecked")
  private static <T> Config with(Config config, Setting<T> setting, Object value) {
    return config.with(setting, (T) value);
  }
}
