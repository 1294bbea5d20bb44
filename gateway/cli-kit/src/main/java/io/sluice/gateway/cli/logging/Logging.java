package io.sluice.gateway.cli.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import java.util.Map;
import org.slf4j.LoggerFactory;

/**
 * Setup of the log: one line per event, on standard error. Used by the main thread and, at the end,
 * by a shutdown hook. Standard output is reserved for addresses and results.
 */
public final class Logging {
  /** Log format; line breaks are replaced, because they would make one event look like several. */
  private static final String TEXT =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{0}"
          + "%replace( %replace(%msg){'[\\r\\n]+', ' '} %replace(%kvp){'[\\r\\n]+', ' '}"
          + "%replace( %ex){'[\\r\\n]+\\s*', ' | '}){' +$', ''}%nopex%n";

  private Logging() {}

  /** Configures text and level warn, until the configuration is known. */
  public static void start() {
    set("text", "warn", Map.of());
  }

  /** Configures text and level info, for commands without a configuration. */
  public static void info() {
    set("text", "info", Map.of());
  }

  /** Applies {@code log.format}, {@code log.level} and {@code log.levels}. */
  public static void apply(Config config) {
    set(
        config.get(AdminSettings.LOG_FORMAT),
        config.get(AdminSettings.LOG_LEVEL),
        config.get(AdminSettings.LOG_LEVELS));
  }

  /** Applies {@code log.level} and {@code log.levels} to a log that is in use. */
  public static void applyLevels(Config config) {
    LoggerContext context = context();
    context.getLoggerList().stream()
        .filter(logger -> !logger.getName().equals(Logger.ROOT_LOGGER_NAME))
        .forEach(logger -> logger.setLevel(null));
    setLevels(context, config.get(AdminSettings.LOG_LEVEL), config.get(AdminSettings.LOG_LEVELS));
  }

  /** Flushes and stops the log. */
  public static void stop() {
    context().stop();
  }

  private static void set(String format, String level, Map<String, String> levels) {
    LoggerContext context = context();
    context.reset();
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setContext(context);
    appender.setTarget("System.err");
    appender.setEncoder(format.equals("json") ? json(context) : text(context));
    appender.start();
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.addAppender(appender);
    setLevels(context, level, levels);
  }

  private static void setLevels(LoggerContext context, String level, Map<String, String> levels) {
    setLevel(context, level);
    levels.forEach((name, own) -> context.getLogger(name).setLevel(Level.toLevel(own)));
  }

  private static void setLevel(LoggerContext context, String level) {
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.WARN);
    // The cluster logs relevant events itself; JGroups would log each second while a node is down.
    context.getLogger("org.jgroups").setLevel(Level.OFF);
    // The node logs outages itself; these clients would log each attempt to connect.
    context.getLogger("org.apache.kafka").setLevel(Level.ERROR);
    context.getLogger("org.apache.qpid.jms").setLevel(Level.OFF);
    // At debug it would log the passwords of the broker's URL, which Artemis sets on its factory.
    context.getLogger("org.apache.commons.beanutils").setLevel(Level.WARN);
    // The root stays at warn for info: info messages of libraries are irrelevant to operators.
    Level configured = Level.toLevel(level);
    context.getLogger("io.sluice").setLevel(configured);
    if (configured.isGreaterOrEqual(Level.WARN) || Level.DEBUG.isGreaterOrEqual(configured)) {
      root.setLevel(configured == Level.TRACE ? Level.DEBUG : configured);
    }
  }

  private static Encoder<ILoggingEvent> text(LoggerContext context) {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern(TEXT);
    encoder.start();
    return encoder;
  }

  private static Encoder<ILoggingEvent> json(LoggerContext context) {
    JsonLineEncoder encoder = new JsonLineEncoder();
    encoder.setContext(context);
    encoder.start();
    return encoder;
  }

  private static LoggerContext context() {
    return (LoggerContext) LoggerFactory.getILoggerFactory();
  }
}
