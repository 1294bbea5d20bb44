package io.sluice.gatling.check;

import static io.gatling.javaapi.core.internal.Converters.toScalaFunction;

import com.fasterxml.jackson.databind.JsonNode;
import io.gatling.commons.validation.Failure;
import io.gatling.commons.validation.Success;
import io.gatling.commons.validation.Validation;
import io.gatling.core.check.Check;
import io.gatling.core.check.CheckMaterializer;
import io.gatling.javaapi.core.CheckBuilder;
import io.gatling.javaapi.core.internal.CoreCheckType;
import java.util.function.Function;
import scala.Function1;

/** Conversion of the Java DSL's checks to checks of messages and streams. Without state. */
final class Materializers {
  private static final class Prepared<T, R, P> extends CheckMaterializer<T, Check<R>, R, P> {
    private final Function1<R, Validation<P>> preparer;

    Prepared(Function<R, Validation<P>> preparer) {
      super(toScalaFunction(Function.identity()));
      this.preparer = toScalaFunction(preparer);
    }

    @Override
    public Function1<R, Validation<P>> preparer() {
      return preparer;
    }
  }

  private Materializers() {}

  static Check<StreamWindow> ofStream(CheckBuilder check) {
    return build(check, Success::new);
  }

  static Check<SluiceMessage> ofMessage(CheckBuilder check) {
    if (check.type() == SluiceCheckType.MESSAGE) {
      return build(check, Success::new);
    }
    if (check.type() instanceof CoreCheckType type) {
      switch (type) {
        case BodyString, Substring, Regex:
          return build(check, message -> new Success<>(message.text()));
        case BodyBytes:
          return build(check, message -> new Success<>(message.bytes()));
        case BodyLength:
          return build(check, message -> new Success<>(message.length()));
        case JsonPath, JmesPath:
          return build(check, Materializers::json);
        default:
      }
    }
    throw new IllegalArgumentException(
        "check of type "
            + check.type()
            + " does not apply to messages; allowed are bodyString, bodyBytes, bodyLength,"
            + " substring, regex, jsonPath, jmesPath, message, property, seq, age and count");
  }

  private static Validation<JsonNode> json(SluiceMessage message) {
    try {
      return new Success<>(Frames.parse(message.text(), "payload"));
    } catch (Frames.MalformedException e) {
      return failure(e.getMessage());
    }
  }

  /** Returns a failure, which Scala's covariance makes a validation of any type. */
  @SuppressWarnings("unchecked")
  static <T> Validation<T> failure(String message) {
    return (Validation<T>) (Object) new Failure(message);
  }

  /** Only the type of a check shows which response it prepares. */
  @SuppressWarnings("unchecked")
  private static <R, P> Check<R> build(CheckBuilder check, Function<R, Validation<P>> preparer) {
    var builder = (io.gatling.core.check.CheckBuilder<Object, P>) check.asScala();
    return builder.build(new Prepared<Object, R, P>(preparer));
  }
}
