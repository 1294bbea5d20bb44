package io.sluice.gatling;

import io.gatling.core.action.builder.ActionBuilder;
import io.gatling.javaapi.core.CheckBuilder;
import io.sluice.gatling.check.CheckSet;
import io.sluice.gatling.check.SluiceMessage;
import io.sluice.gatling.engine.ConsumeOperation;
import io.sluice.gatling.engine.SluiceAction;
import io.sluice.gatling.engine.SluiceProtocol;
import io.sluice.gatling.engine.StreamPlan;
import io.sluice.gatling.engine.Template;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/** Action that opens a consumer. Immutable. */
public final class ConsumeActionBuilder implements io.gatling.javaapi.core.ActionBuilder {
  /** Options, of which a builder changes one in its copy. */
  private static final class Options {
    private Template durable;
    private Template shared;
    private Template where;
    private int credit = 1;
    private boolean isAcknowledged;
    private ToLongFunction<SluiceMessage> sentAt;
    private CheckSet checks = CheckSet.NONE;

    private Options copy() {
      Options copy = new Options();
      copy.durable = durable;
      copy.shared = shared;
      copy.where = where;
      copy.credit = credit;
      copy.isAcknowledged = isAcknowledged;
      copy.sentAt = sentAt;
      copy.checks = checks;
      return copy;
    }
  }

  private final Template name;
  private final String member;
  private final Template destination;
  private final Options options;

  private ConsumeActionBuilder(
      Template name, String member, Template destination, Options options) {
    this.name = name;
    this.member = member;
    this.destination = destination;
    this.options = options;
  }

  static ConsumeActionBuilder of(Template name, String member, String destination) {
    return new ConsumeActionBuilder(name, member, Template.of(destination), new Options());
  }

  /**
   * Sets the maximum number of pending deliveries; default 1.
   *
   * @param deliveries at least 0, and at most {@code limits.consumer-credit} of the node
   */
  public ConsumeActionBuilder credit(int deliveries) {
    SluiceProtocol.checkAtLeast("credit", deliveries, 0);
    return with(copy -> copy.credit = deliveries);
  }

  /** Acknowledges each delivery when it arrives, without waiting for the node's answer. */
  public ConsumeActionBuilder autoAcknowledge() {
    return with(copy -> copy.isAcknowledged = true);
  }

  /**
   * Receives only messages for which a JMS selector is true.
   *
   * @param selector a Gatling EL string
   */
  public ConsumeActionBuilder where(String selector) {
    return with(copy -> copy.where = Template.of(selector));
  }

  /**
   * Sets the name of the durable subscription of the topic.
   *
   * @param subscription a Gatling EL string
   */
  public ConsumeActionBuilder durable(String subscription) {
    return with(copy -> copy.durable = Template.of(subscription));
  }

  /**
   * Sets the name of the shared subscription of the topic.
   *
   * @param subscription a Gatling EL string
   */
  public ConsumeActionBuilder shared(String subscription) {
    return with(copy -> copy.shared = Template.of(subscription));
  }

  /**
   * Sets the start of a delivery's age, instead of the message's acceptance by the broker.
   *
   * @param unixMillis returns when a message was sent, such as a time in its payload
   */
  public ConsumeActionBuilder sentAt(ToLongFunction<SluiceMessage> unixMillis) {
    return with(copy -> copy.sentAt = unixMillis);
  }

  /** Adds checks, as {@link SubscribeActionBuilder#check} does. */
  public ConsumeActionBuilder check(CheckBuilder... checks) {
    return with(copy -> copy.checks = options.checks.with(List.of(checks)));
  }

  private ConsumeActionBuilder with(Consumer<Options> change) {
    Options changed = options.copy();
    change.accept(changed);
    return new ConsumeActionBuilder(name, member, destination, changed);
  }

  /** For Gatling only. */
  @Override
  public ActionBuilder asScala() {
    StreamPlan plan =
        new StreamPlan(
            StreamPlan.Kind.CONSUMER,
            true,
            false,
            options.isAcknowledged,
            options.sentAt,
            options.checks);
    return SluiceAction.builder(
        name,
        new ConsumeOperation(
            member,
            destination,
            options.durable,
            options.shared,
            options.where,
            options.credit,
            plan));
  }
}
