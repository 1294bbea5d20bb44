package io.sluice.gatling.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gatling.core.action.Action;
import io.gatling.core.session.Session;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One execution of an action by a virtual user. Bound to the event loop of the user. */
public final class Execution {
  private final SluiceComponents components;
  private final VirtualUser user;
  private final String request;
  private final Action next;
  private final long startMs;
  private Session session;

  private Execution(
      SluiceComponents components, VirtualUser user, Session session, String request, Action next) {
    this.components = components;
    this.user = user;
    this.session = session;
    this.request = request;
    this.next = next;
    this.startMs = components.responses().nowMs();
  }

  static Execution of(SluiceComponents components, Session session, String request, Action next) {
    VirtualUser user = VirtualUser.of(session);
    if (user != null) {
      return new Execution(components, user, session, request, next);
    }
    VirtualUser created = new VirtualUser(components, session);
    return new Execution(
        components, created, session.set(VirtualUser.ATTRIBUTE, created), request, next);
  }

  VirtualUser user() {
    return user;
  }

  Session session() {
    return session;
  }

  String request() {
    return request;
  }

  ResponseLog responses() {
    return components.responses();
  }

  SluiceProtocol protocol() {
    return components.protocol();
  }

  /** Returns a text for this user; null for null. */
  String resolve(Template template) {
    return template == null ? null : template.resolve(session);
  }

  /** Replaces the session. */
  void session(Session changed) {
    session = changed;
  }

  /** Returns the name of a response: that of the request, with a suffix unless it is empty. */
  ResponseLog.Name name(String suffix) {
    ResponseLog.Name name = ResponseLog.Name.of(session, request);
    return suffix.isEmpty() ? name : name.with(suffix);
  }

  /** Returns the time at which the action began. */
  long startMs() {
    return startMs;
  }

  /** Runs a task once the user is connected. A failure ends the execution. */
  void whenConnected(Runnable task) {
    if (user.isOpen()) {
      task.run();
      return;
    }
    ResponseLog.Name name = ResponseLog.Name.of(session, VirtualUser.CONNECT);
    user.connect(
        session,
        new VirtualUser.Answer() {
          @Override
          public void onFrame(JsonNode hello) {
            responses().succeed(name, startMs);
            task.run();
          }

          @Override
          public void onFailure(String code, String message) {
            responses().fail(name, startMs, code, message);
            session = session.markAsFailed();
            proceed();
          }
        });
  }

  /**
   * Sends a frame with a ref, and logs the answer.
   *
   * @param suffix suffix of the name of the response
   * @param onAnswer called with the answer, after a success is logged
   * @param onFailure called after a failure is logged
   */
  void request(
      ObjectNode frame, long ref, String suffix, Consumer<JsonNode> onAnswer, Runnable onFailure) {
    long fromMs = responses().nowMs();
    user.request(
        frame,
        ref,
        protocol().answerTimeout().toMillis(),
        new VirtualUser.Answer() {
          @Override
          public void onFrame(JsonNode answer) {
            log(name(suffix), fromMs, null, null);
            onAnswer.accept(answer);
          }

          @Override
          public void onFailure(String code, String message) {
            log(name(suffix), fromMs, code, message);
            onFailure.run();
          }
        });
  }

  /**
   * Logs the end of a part of the action.
   *
   * @param message cause of a failure, which marks the session as failed; null for a success
   */
  void log(ResponseLog.Name name, long fromMs, String code, String message) {
    long now = responses().nowMs();
    session = session.logGroupRequestTimings(fromMs, now);
    if (message == null) {
      responses().succeed(name, fromMs);
    } else {
      responses().fail(name, fromMs, code, message);
      session = session.markAsFailed();
    }
  }

  /** Continues with the next action of the scenario. */
  void proceed() {
    next.$bang(session);
  }

  /** Runs a task on the event loop of the user after a time. */
  Future<?> after(Duration time, Runnable task) {
    return session.eventLoop().schedule(task, time.toNanos(), TimeUnit.NANOSECONDS);
  }
}
