package io.sluice.gatling.check;

import static io.gatling.javaapi.core.internal.Converters.toScalaFunction;

import io.gatling.commons.validation.Success;
import io.gatling.commons.validation.Validation;
import io.gatling.core.check.Extractor;
import io.gatling.core.check.FindExtractor;
import io.gatling.javaapi.core.CheckBuilder;
import io.gatling.javaapi.core.internal.Expressions;
import java.time.Duration;
import java.util.function.Function;
import scala.Option;

/** Checks of this protocol for the Java DSL. Without state. */
public final class Extractors {
  private Extractors() {}

  /**
   * Returns a check of all messages of a stream.
   *
   * @param name name of the value in errors
   * @param value returns the value, or null without one
   */
  public static <X> CheckBuilder.Find<X> ofStream(
      String name, Class<X> type, Function<StreamWindow, X> value) {
    return find(SluiceCheckType.STREAM, name, type, value);
  }

  /**
   * Returns a check of each message.
   *
   * @param name name of the value in errors
   * @param value returns the value, or null without one
   */
  public static <X> CheckBuilder.Find<X> ofMessage(
      String name, Class<X> type, Function<SluiceMessage, X> value) {
    return find(SluiceCheckType.MESSAGE, name, type, value);
  }

  /**
   * Returns a check of a duration of a stream.
   *
   * @param name name of the value in errors
   * @param value returns the value, or null without one
   */
  public static CheckBuilder.Find<Duration> ofAges(
      String name, Function<StreamWindow, Duration> value) {
    return new AgeCheck(scalaFind(name, value));
  }

  private static <P, X> CheckBuilder.Find<X> find(
      CheckBuilder.CheckType kind, String name, Class<X> type, Function<P, X> value) {
    return new CheckBuilder.Find.Default<>(scalaFind(name, value), kind, type, Function.identity());
  }

  @SuppressWarnings("unchecked")
  private static <P, X> io.gatling.core.check.CheckBuilder.Find<Object, P, X> scalaFind(
      String name, Function<P, X> value) {
    Function<P, Validation<Option<X>>> extract =
        response -> new Success<>(Option.apply(value.apply(response)));
    Extractor<P, X> extractor = new FindExtractor<>(name, toScalaFunction(extract));
    return (io.gatling.core.check.CheckBuilder.Find<Object, P, X>)
        NestedClass.FIND.create(Expressions.toStaticValueExpression(extractor), true);
  }
}
