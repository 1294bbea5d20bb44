package io.sluice.gateway.admin;

import ch.qos.logback.classic.LoggerContext;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.audit.Operator;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/** Page {@code /loggers}, which lists and changes levels of loggers. Admin event loop. */
final class LoggerPages {
  private final Vertx vertx;
  private final AuditLog audit;
  private final LogLevels levels;

  LoggerPages(Vertx vertx, AuditLog audit) {
    this.vertx = vertx;
    this.audit = audit;
    this.levels = new LogLevels((LoggerContext) LoggerFactory.getILoggerFactory());
  }

  /** Lists loggers or changes one, depending on the method. */
  void serve(HttpServerRequest request, Operator by) {
    if (Responses.isRead(request)) {
      JsonArray loggers = new JsonArray();
      levels.list().forEach(each -> loggers.add(json(each)));
      Responses.json(request, 200, new JsonObject().put("loggers", loggers));
    } else {
      JsonBody.read(request, body -> change(request, LoggerOrder.parse(body), by));
    }
  }

  private static JsonObject json(LogLevels.Entry entry) {
    JsonObject json =
        new JsonObject()
            .put("logger", entry.logger())
            .put("level", entry.level())
            .put("changed", entry.changed());
    return entry.untilMs() == 0 ? json : json.put("until", entry.untilMs());
  }

  private void change(HttpServerRequest request, LoggerOrder order, Operator by) {
    if (order.level().equals(LoggerOrder.CONFIGURED)) {
      levels.reset(order.logger());
    } else if (!apply(order)) {
      String full = "the levels of " + LogLevels.MAX + " loggers are changed; reset one first";
      Responses.text(request, 507, full);
      return;
    }
    audit.commanded("log-level", order.logger() + " " + order.level(), by);
    Responses.json(request, 200, json(levels.entry(order.logger())));
  }

  private boolean apply(LoggerOrder order) {
    long ms = TimeUnit.SECONDS.toMillis(order.seconds());
    long untilMs = ms == 0 ? 0 : System.currentTimeMillis() + ms;
    long number = levels.change(order.logger(), order.level(), untilMs);
    if (number > 0 && ms > 0) {
      vertx.setTimer(ms, timer -> levels.expire(order.logger(), number));
    }
    return number > 0;
  }

  /** Ends all changes and applies new configured levels. For any thread. */
  void reconfigure(Runnable configured) {
    levels.reconfigure(configured);
  }
}
