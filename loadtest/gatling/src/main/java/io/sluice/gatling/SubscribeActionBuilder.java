package io.sluice.gatling;

import io.gatling.core.action.builder.ActionBuilder;
import io.gatling.javaapi.core.CheckBuilder;
import io.sluice.gatling.check.CheckSet;
import io.sluice.gatling.check.SluiceMessage;
import io.sluice.gatling.engine.SluiceAction;
import io.sluice.gatling.engine.StreamPlan;
import io.sluice.gatling.engine.SubscribeOperation;
import io.sluice.gatling.engine.Template;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/** Action that subscribes to a topic or pattern. Immutable. */
public final class SubscribeActionBuilder implements io.gatling.javaapi.core.ActionBuilder {
  private static final int MAX_LAST = 1_000_000;
  private static final double MIN_RATE = 0.001;
  private static final double MAX_RATE = 1_000;

  /** Options, of which a builder changes one in its copy. */
  private static final class Options {
    private Template from;
    private Template where;
    private boolean isLatest;
    private double rate;
    private boolean isTagged;
    private ToLongFunction<SluiceMessage> sentAt;
    private CheckSet checks = CheckSet.NONE;

    private Options copy() {
      Options copy = new Options();
      copy.from = from;
      copy.where = where;
      copy.isLatest = isLatest;
      copy.rate = rate;
      copy.isTagged = isTagged;
      copy.sentAt = sentAt;
      copy.checks = checks;
      return copy;
    }
  }

  private final Template name;
  private final Template topic;
  private final Options options;

  private SubscribeActionBuilder(Template name, Template topic, Options options) {
    this.name = name;
    this.topic = topic;
    this.options = options;
  }

  static SubscribeActionBuilder of(Template name, String topic) {
    return new SubscribeActionBuilder(name, Template.of(topic), new Options());
  }

  /** Begins with the newest message of each topic or key. */
  public SubscribeActionBuilder snapshot() {
    return from("\"snapshot\"");
  }

  /**
   * Begins with the latest messages.
   *
   * @param messages 1 to 1,000,000
   */
  public SubscribeActionBuilder last(int messages) {
    if (messages < 1 || messages > MAX_LAST) {
      throw new IllegalArgumentException("last must be 1 to 1,000,000, not " + messages);
    }
    return from("{\"last\":" + messages + "}");
  }

  /**
   * Begins at a value of {@code from} in the protocol, such as a position.
   *
   * @param json JSON, a Gatling EL string
   */
  public SubscribeActionBuilder from(String json) {
    return with(copy -> copy.from = Template.of(json));
  }

  /**
   * Receives only messages for which a JMS selector is true. The subscription is tagged.
   *
   * @param selector a Gatling EL string
   */
  public SubscribeActionBuilder where(String selector) {
    return with(
        copy -> {
          copy.where = Template.of(selector);
          copy.isTagged = true;
        });
  }

  /** Retains only the newest message of each topic or key for a slow client. */
  public SubscribeActionBuilder latest() {
    return with(copy -> copy.isLatest = true);
  }

  /**
   * Receives at most a number of messages per second of each topic or key, the newest ones.
   *
   * @param perSecond 0.001 to 1,000
   */
  public SubscribeActionBuilder rate(double perSecond) {
    if (!(perSecond >= MIN_RATE && perSecond <= MAX_RATE)) {
      throw new IllegalArgumentException("rate must be 0.001 to 1,000, not " + perSecond);
    }
    return with(copy -> copy.rate = perSecond);
  }

  /** Creates a tagged subscription, of which a connection can have several of one topic. */
  public SubscribeActionBuilder tagged() {
    return with(copy -> copy.isTagged = true);
  }

  /**
   * Sets the start of a message's age, instead of its acceptance by the broker.
   *
   * @param unixMillis returns when a message was sent, such as a time in its payload
   */
  public SubscribeActionBuilder sentAt(ToLongFunction<SluiceMessage> unixMillis) {
    return with(copy -> copy.sentAt = unixMillis);
  }

  /**
   * Adds checks. Those of {@link SluiceDsl#seq}, {@link SluiceDsl#age} and {@link SluiceDsl#count}
   * apply to all messages since the previous evaluation, all others to each message. Expressions of
   * the latter are resolved when the subscription begins. Values that they save are those of the
   * latest message.
   */
  public SubscribeActionBuilder check(CheckBuilder... checks) {
    return with(copy -> copy.checks = options.checks.with(List.of(checks)));
  }

  private SubscribeActionBuilder with(Consumer<Options> change) {
    Options changed = options.copy();
    change.accept(changed);
    return new SubscribeActionBuilder(name, topic, changed);
  }

  /** For Gatling only. */
  @Override
  public ActionBuilder asScala() {
    boolean isSequence = !options.isLatest && options.rate == 0;
    StreamPlan plan =
        new StreamPlan(
            StreamPlan.Kind.SUBSCRIPTION,
            options.isTagged,
            isSequence,
            false,
            options.sentAt,
            options.checks);
    return SluiceAction.builder(
        name,
        new SubscribeOperation(
            topic, options.from, options.where, options.isLatest, options.rate, plan));
  }
}
