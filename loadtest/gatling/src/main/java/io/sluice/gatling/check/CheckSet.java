package io.sluice.gatling.check;

import io.gatling.commons.validation.Failure;
import io.gatling.commons.validation.Success;
import io.gatling.commons.validation.Validation;
import io.gatling.core.check.Check;
import io.gatling.core.check.Check$;
import io.gatling.core.check.CheckResult;
import io.gatling.core.session.Session;
import io.gatling.javaapi.core.CheckBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Checks of one action: those of each message, and those of a stream. Immutable. */
public final class CheckSet {
  /** Set without checks. */
  public static final CheckSet NONE = new CheckSet(List.of(), List.of());

  /**
   * Result of checks.
   *
   * @param failure reason of the first failure; null without one
   * @param saved values for the session
   */
  public record Verdict(String failure, List<CheckResult> saved) {
    /** Returns the session with the saved values. */
    public Session save(Session session) {
      Session result = session;
      for (CheckResult value : saved) {
        result = value.update(result);
      }
      return result;
    }
  }

  private final List<Check<SluiceMessage>> message;
  private final List<Check<StreamWindow>> stream;

  private CheckSet(List<Check<SluiceMessage>> message, List<Check<StreamWindow>> stream) {
    this.message = List.copyOf(message);
    this.stream = List.copyOf(stream);
  }

  /**
   * Returns this set with further checks.
   *
   * @throws IllegalArgumentException if a check applies to HTTP responses only
   */
  public CheckSet with(List<CheckBuilder> checks) {
    List<Check<SluiceMessage>> perMessage = new ArrayList<>(message);
    List<Check<StreamWindow>> perStream = new ArrayList<>(stream);
    for (CheckBuilder check : checks) {
      if (check.type() == SluiceCheckType.STREAM) {
        perStream.add(Materializers.ofStream(check));
      } else {
        perMessage.add(Materializers.ofMessage(check));
      }
    }
    return new CheckSet(perMessage, perStream);
  }

  /** Returns whether there are checks of each message. */
  public boolean readsMessages() {
    return !message.isEmpty();
  }

  /** Returns whether there are checks of a stream. */
  public boolean readsStream() {
    return !stream.isEmpty();
  }

  /** Evaluates the checks of a message. */
  public Verdict check(SluiceMessage received, Session session) {
    return check(message, received, session);
  }

  /** Evaluates the checks of a stream. */
  public Verdict check(StreamWindow window, Session session) {
    return check(stream, window, session);
  }

  private static <R> Verdict check(List<Check<R>> checks, R response, Session session) {
    Map<Object, Object> cache = Check$.MODULE$.newPreparedCache();
    String failure = null;
    List<CheckResult> saved = new ArrayList<>();
    for (Check<R> check : checks) {
      Validation<CheckResult> result = check.check(response, session, cache);
      if (result instanceof Success<CheckResult> success) {
        saved.add(success.value());
      } else if (failure == null) {
        failure = ((Failure) (Object) result).message();
      }
    }
    return new Verdict(failure, saved);
  }
}
