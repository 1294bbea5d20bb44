package io.sluice.gatling;

import io.gatling.javaapi.core.ActionBuilder;
import io.sluice.gatling.engine.AwaitOperation;
import io.sluice.gatling.engine.CloseOperation;
import io.sluice.gatling.engine.ConnectOperation;
import io.sluice.gatling.engine.Operation;
import io.sluice.gatling.engine.SettleOperation;
import io.sluice.gatling.engine.SluiceAction;
import io.sluice.gatling.engine.SluiceProtocol;
import io.sluice.gatling.engine.Template;
import io.sluice.gatling.engine.UnsubscribeOperation;
import java.time.Duration;

/**
 * Named request, the first part of an action. Actions connect a virtual user that is not connected,
 * with a response of the request {@code connect}.
 *
 * <p>UserStreams are identified by the name of the request that has opened them. If there are
 * several, an action applies to all of them.
 */
public final class SluiceRequest {
  private final Template name;

  SluiceRequest(String name) {
    this.name = Template.of(name);
  }

  /** Connects the virtual user. */
  public ActionBuilder connect() {
    return action(new ConnectOperation());
  }

  /**
   * Subscribes to a topic or pattern. Messages arrive in the background until {@link #unsubscribe},
   * {@link #close} or the end of the virtual user.
   *
   * @param topic a Gatling EL string
   */
  public SubscribeActionBuilder subscribe(String topic) {
    return SubscribeActionBuilder.of(name, topic);
  }

  /**
   * Waits for messages of the streams with this name, then evaluates their checks. Messages since
   * the previous evaluation count.
   *
   * @param messages number of messages, at least 1
   */
  public AwaitActionBuilder await(int messages) {
    SluiceProtocol.checkAtLeast("await", messages, 1);
    return new AwaitActionBuilder(name, messages, null);
  }

  /**
   * Receives messages of the streams with this name for a time, then evaluates their checks.
   *
   * @param time a positive duration
   */
  public ActionBuilder awaitFor(Duration time) {
    SluiceProtocol.checkPositive("awaitFor", time);
    return action(new AwaitOperation(0, time));
  }

  /** Ends the streams with this name, and evaluates their checks. */
  public ActionBuilder unsubscribe() {
    return action(new UnsubscribeOperation());
  }

  /**
   * Publishes a message to a topic. The response time ends with the broker's acceptance.
   *
   * @param topic a Gatling EL string
   */
  public PublishActionBuilder publish(String topic) {
    return PublishActionBuilder.publish(name, "topic", topic);
  }

  /**
   * Publishes a message to a queue.
   *
   * @param queue a Gatling EL string
   */
  public PublishActionBuilder publishToQueue(String queue) {
    return PublishActionBuilder.publish(name, "queue", queue);
  }

  /**
   * Publishes a request to a topic and waits for the reply.
   *
   * @param topic a Gatling EL string
   */
  public RequestActionBuilder request(String topic) {
    return RequestActionBuilder.request(name, "topic", topic);
  }

  /**
   * Publishes a request to a queue and waits for the reply.
   *
   * @param queue a Gatling EL string
   */
  public RequestActionBuilder requestToQueue(String queue) {
    return RequestActionBuilder.request(name, "queue", queue);
  }

  /**
   * Opens a consumer of a queue. Deliveries arrive in the background, as for a subscription.
   *
   * @param queue a Gatling EL string
   */
  public ConsumeActionBuilder consume(String queue) {
    return ConsumeActionBuilder.of(name, "queue", queue);
  }

  /**
   * Opens a consumer of a durable or shared subscription; one of {@link
   * ConsumeActionBuilder#durable} and {@link ConsumeActionBuilder#shared} is required.
   *
   * @param topic topic or pattern, a Gatling EL string
   */
  public ConsumeActionBuilder consumeTopic(String topic) {
    return ConsumeActionBuilder.of(name, "topic", topic);
  }

  /** Acknowledges all pending deliveries of the consumers with this name. */
  public ActionBuilder acknowledge() {
    return action(new SettleOperation("ack", "acknowledge"));
  }

  /** Returns all pending deliveries of the consumers with this name to their queues. */
  public ActionBuilder release() {
    return action(new SettleOperation("release", "release"));
  }

  /** Moves all pending deliveries of the consumers with this name to the dead-letter queue. */
  public ActionBuilder reject() {
    return action(new SettleOperation("reject", "reject"));
  }

  /**
   * Closes the connection and evaluates the checks of all streams. A later action connects again.
   */
  public ActionBuilder close() {
    return action(new CloseOperation());
  }

  private ActionBuilder action(Operation operation) {
    return action(name, operation);
  }

  static ActionBuilder action(Template name, Operation operation) {
    return () -> SluiceAction.builder(name, operation);
  }
}
