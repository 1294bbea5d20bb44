package io.sluice.gateway.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import org.slf4j.LoggerFactory;

/**
 * Sets up the log: one line an event, on standard error, so that standard output is left to
 * addresses and results. Used by the main thread and, at the end, by a shutdown hook.
 */
final class Logging {
  /** A line break inside a message or a stack trace would make one event look like several. */
  private static final String TEXT =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{0} %replace(%msg){'[\\r\\n]+', ' '}"
          + " %replace(%kvp){'[\\r\\n]+', ' '}%replace( %ex){'[\\r\\n]+\\s*', ' | '}%nopex%n";

  private Logging() {}

  /** Before there is a configuration: text, and only what matters. */
  static void start() {
    set("text", "warn");
  }

  /** For commands that have no configuration. */
  static void info() {
    set("text", "info");
  }

  static void apply(Config config) {
    set(config.get(AdminSettings.LOG_FORMAT), config.get(AdminSettings.LOG_LEVEL));
  }

  /** Nothing is logged after this. */
  static void stop() {
    context().stop();
  }

  private static void set(String format, String level) {
    LoggerContext context = context();
    context.reset();
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setContext(context);
    appender.setTarget("System.err");
    appender.setEncoder(format.equals("json") ? json(context) : text(context));
    appender.start();
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.addAppender(appender);
    root.setLevel(Level.WARN);
    // What matters of it the cluster says itself, and not each second while a node is away.
    context.getLogger("org.jgroups").setLevel(Level.OFF);
    // It says what Artemis' client sets on its factory: at debug, the passwords of the broker's
    // URL.
    context.getLogger("org.apache.commons.beanutils").setLevel(Level.WARN);
    // Libraries say at info what only their authors want to know.
    Level wanted = Level.toLevel(level);
    context.getLogger("io.sluice").setLevel(wanted);
    if (wanted.isGreaterOrEqual(Level.WARN) || Level.DEBUG.isGreaterOrEqual(wanted)) {
      root.setLevel(wanted == Level.TRACE ? Level.DEBUG : wanted);
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
    JsonEncoder encoder = new JsonEncoder();
    encoder.setContext(context);
    encoder.setWithSequenceNumber(false);
    encoder.setWithNanoseconds(false);
    encoder.setWithContext(false);
    encoder.setWithMarkers(false);
    encoder.setWithArguments(false);
    encoder.start();
    return encoder;
  }

  private static LoggerContext context() {
    return (LoggerContext) LoggerFactory.getILoggerFactory();
  }
}
