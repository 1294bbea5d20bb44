package io.sluice.gateway.admin;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/**
 * Levels of loggers that operators have changed at run time, on top of the configured ones. For any
 * thread; the lock is held briefly and never by a thread of the clients.
 */
final class LogLevels {
  /** Maximum number of loggers with a changed level. */
  static final int MAX = 100;

  private final LoggerContext context;

  /** Changes by the name of the logger. */
  private final Map<String, Change> changes = new HashMap<>();

  /**
   * Change of a logger.
   *
   * @param configured level before the change; null if it was inherited
   * @param untilMs end of the change, Unix milliseconds; 0 without one
   * @param number number of the change, by which an expiry recognizes a later one
   */
  private record Change(Level configured, long untilMs, long number) {}

  /**
   * Logger with a level.
   *
   * @param level effective level, in lower case
   * @param untilMs end of an operator's change, Unix milliseconds; 0 without one
   */
  record Entry(String logger, String level, boolean changed, long untilMs) {}

  private long number;

  LogLevels(LoggerContext context) {
    this.context = context;
  }

  /** Returns the loggers that have a level themselves, by name. */
  synchronized List<Entry> list() {
    List<Entry> entries = new ArrayList<>();
    for (String name : names()) {
      entries.add(entry(name));
    }
    return entries;
  }

  private TreeSet<String> names() {
    TreeSet<String> names = new TreeSet<>(Comparator.naturalOrder());
    context.getLoggerList().stream()
        .filter(logger -> logger.getLevel() != null)
        .forEach(logger -> names.add(logger.getName()));
    names.addAll(changes.keySet());
    return names;
  }

  /** Returns the state of a logger. */
  synchronized Entry entry(String name) {
    Change change = changes.get(name);
    String level = context.getLogger(name).getEffectiveLevel().toString().toLowerCase(Locale.ROOT);
    return new Entry(name, level, change != null, change == null ? 0 : change.untilMs);
  }

  /**
   * Changes the level of a logger and of those below it.
   *
   * @param untilMs end of the change, Unix milliseconds; 0 without one
   * @return number of the change, or 0 if {@link #MAX} loggers are changed already
   */
  synchronized long change(String name, String level, long untilMs) {
    Change former = changes.get(name);
    if (former == null && changes.size() >= MAX) {
      return 0;
    }
    Logger logger = context.getLogger(name);
    Level configured = former == null ? logger.getLevel() : former.configured;
    logger.setLevel(Level.toLevel(level));
    changes.put(name, new Change(configured, untilMs, ++number));
    return number;
  }

  /** Returns a logger to its configured level. */
  synchronized void reset(String name) {
    Change change = changes.remove(name);
    if (change != null) {
      context.getLogger(name).setLevel(change.configured);
    }
  }

  /** Ends a change, unless another one followed. */
  synchronized void expire(String name, long changeNumber) {
    Change change = changes.get(name);
    if (change != null && change.number == changeNumber) {
      reset(name);
    }
  }

  /** Ends all changes and applies new configured levels. */
  synchronized void reconfigure(Runnable configured) {
    List.copyOf(changes.keySet()).forEach(this::reset);
    configured.run();
  }
}
