package io.sluice.gatling.check;

import io.gatling.commons.validation.Success;
import io.gatling.commons.validation.Validation;
import io.gatling.core.check.Validator;
import io.gatling.javaapi.core.CheckBuilder;
import io.gatling.javaapi.core.Session;
import io.gatling.javaapi.core.internal.Expressions;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.IntPredicate;
import scala.Option;

/**
 * Check of a duration. Gatling compares numbers only; this check adds the comparison of durations.
 * Immutable.
 */
final class AgeCheck extends CheckBuilder.Find.Default<Object, StreamWindow, Duration, Duration> {
  /** Comparison with a limit, as Gatling evaluates it. */
  private record Comparison(String operator, Duration limit, IntPredicate isMet)
      implements Validator<Duration> {
    @Override
    public String name() {
      return operator + "(" + millis(limit) + ")";
    }

    @Override
    public Validation<Option<Duration>> apply(Option<Duration> actual, boolean showsActual) {
      if (actual.isEmpty()) {
        return Materializers.failure("found nothing");
      }
      if (isMet.test(actual.get().compareTo(limit))) {
        return new Success<>(actual);
      }
      return Materializers.failure("found " + millis(actual.get()));
    }

    private static String millis(Duration duration) {
      return duration.toMillis() + " ms";
    }
  }

  AgeCheck(io.gatling.core.check.CheckBuilder.Find<Object, StreamWindow, Duration> value) {
    super(value, SluiceCheckType.STREAM, Duration.class, Function.identity());
  }

  private CheckBuilder.Final compare(
      String operator, Function<Session, Duration> limit, IntPredicate isMet) {
    Function<Session, Validator<Duration>> comparison =
        session -> new Comparison(operator, limit.apply(session), isMet);
    return new CheckBuilder.Final.Default<>(
        wrapped.find().validate(Expressions.javaFunctionToExpression(comparison)), type);
  }

  /** Returns the duration of an expression: a {@code Duration}, or a number of milliseconds. */
  private static Function<Session, Duration> el(String expression) {
    Function<Session, Object> value =
        Expressions.expressionToJavaFunction(Expressions.toAnyExpression(expression));
    return session -> {
      Object limit = value.apply(session);
      if (limit instanceof Duration duration) {
        return duration;
      }
      if (limit instanceof Number millis) {
        return Duration.ofMillis(millis.longValue());
      }
      throw new IllegalArgumentException(
          expression + " must be a Duration or a number of milliseconds, not " + limit);
    };
  }

  @Override
  public CheckBuilder.Final lt(Function<Session, Duration> limit) {
    return compare("lt", limit, order -> order < 0);
  }

  @Override
  public CheckBuilder.Final lt(Duration limit) {
    return lt(session -> limit);
  }

  @Override
  public CheckBuilder.Final ltEL(String limit) {
    return lt(el(limit));
  }

  @Override
  public CheckBuilder.Final lte(Function<Session, Duration> limit) {
    return compare("lte", limit, order -> order <= 0);
  }

  @Override
  public CheckBuilder.Final lte(Duration limit) {
    return lte(session -> limit);
  }

  @Override
  public CheckBuilder.Final lteEL(String limit) {
    return lte(el(limit));
  }

  @Override
  public CheckBuilder.Final gt(Function<Session, Duration> limit) {
    return compare("gt", limit, order -> order > 0);
  }

  @Override
  public CheckBuilder.Final gt(Duration limit) {
    return gt(session -> limit);
  }

  @Override
  public CheckBuilder.Final gtEL(String limit) {
    return gt(el(limit));
  }

  @Override
  public CheckBuilder.Final gte(Function<Session, Duration> limit) {
    return compare("gte", limit, order -> order >= 0);
  }

  @Override
  public CheckBuilder.Final gte(Duration limit) {
    return gte(session -> limit);
  }

  @Override
  public CheckBuilder.Final gteEL(String limit) {
    return gte(el(limit));
  }
}
