package io.sluice.gatling.engine;

import io.gatling.commons.validation.Failure;
import io.gatling.commons.validation.Success;
import io.gatling.commons.validation.Validation;
import io.gatling.core.session.Session;
import io.gatling.javaapi.core.internal.Expressions;
import java.util.Objects;
import scala.Function1;

/** String in Gatling's expression language, resolved per virtual user. Immutable. */
public final class Template {
  /** Attribute of the session that is missing or of the wrong type. */
  static final class UnresolvedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnresolvedException(String message) {
      super(message, null, false, false);
    }
  }

  private final String text;
  private final Function1<Session, Validation<String>> expression;

  private Template(String text, Function1<Session, Validation<String>> expression) {
    this.text = text;
    this.expression = expression;
  }

  /**
   * Compiles a text.
   *
   * @throws IllegalArgumentException if an expression is malformed
   */
  public static Template of(String text) {
    Objects.requireNonNull(text, "text");
    try {
      return new Template(text, Expressions.toStringExpression(text));
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("expression \"" + text + "\": " + e.getMessage(), e);
    }
  }

  /**
   * Returns the text for one virtual user.
   *
   * @throws UnresolvedException if an attribute is missing
   */
  String resolve(Session session) {
    Validation<String> result = expression.apply(session);
    if (result instanceof Success<String> success) {
      return success.value();
    }
    throw new UnresolvedException(((Failure) (Object) result).message());
  }

  /** Returns the unresolved text. */
  @Override
  public String toString() {
    return text;
  }
}
