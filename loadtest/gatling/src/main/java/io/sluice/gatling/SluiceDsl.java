package io.sluice.gatling;

import io.gatling.javaapi.core.CheckBuilder;
import io.sluice.gatling.check.Extractors;
import io.sluice.gatling.check.SluiceMessage;

/**
 * Entry of the Java DSL, for a static import next to {@code CoreDsl}.
 *
 * <p>A request's name identifies its responses in Gatling's report and assertions. Messages of
 * {@code sluice("quotes").subscribe(…)} are responses of the request {@code quotes}, whose response
 * time is the age of the message. The answer to the subscribe is a response of {@code quotes
 * subscribe}, and the checks of the stream are responses of {@code quotes check}.
 */
public final class SluiceDsl {
  /** Protocol with every default; begin with {@code sluice.url(…)}. */
  public static final SluiceProtocolBuilder sluice = SluiceProtocolBuilder.DEFAULTS;

  private SluiceDsl() {}

  /**
   * Begins an action.
   *
   * @param requestName name of the request in the report, a Gatling EL string
   */
  public static SluiceRequest sluice(String requestName) {
    return new SluiceRequest(requestName);
  }

  /** Returns the checks of a stream's sequence. */
  public static SequenceChecks seq() {
    return new SequenceChecks();
  }

  /**
   * Returns the checks of the ages of a stream's messages. Replayed messages have no age. A check
   * fails if there are no messages.
   */
  public static AgeChecks age() {
    return new AgeChecks();
  }

  /** Returns the check of the number of a stream's messages, including replayed ones. */
  public static CheckBuilder.Find<Integer> count() {
    return Extractors.ofStream("count", Integer.class, window -> window.messages());
  }

  /** Returns the check of each message or of a reply, with all members. */
  public static CheckBuilder.Find<SluiceMessage> message() {
    return Extractors.ofMessage("message", SluiceMessage.class, message -> message);
  }

  /**
   * Returns the check of a JMS property of each message or of a reply.
   *
   * @param name name of the property
   */
  public static CheckBuilder.Find<String> property(String name) {
    return Extractors.ofMessage(
        "property(" + name + ")", String.class, message -> message.property(name));
  }
}
