package io.sluice.gateway.admin;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.Consumer;

/** The bodies of commands: short, and of a type. Stateless; used on the admin event loop. */
final class JsonBody {
  private static final int MOST_BYTES = 8 * 1024;

  private JsonBody() {}

  /**
   * Hands the body over, or answers what is wrong with its header.
   *
   * @param then may throw an {@link IllegalArgumentException}, whose message is the answer then
   */
  // A page of another site can't send this type without asking first, and is not answered then.
  static void read(HttpServerRequest request, Consumer<Buffer> then) {
    String type = request.getHeader("Content-Type");
    if (type == null || !type.split(";")[0].strip().equalsIgnoreCase("application/json")) {
      Answers.text(request, 415, "the body must be of Content-Type application/json");
    } else if (!isShort(request.getHeader("Content-Length"))) {
      Answers.text(request, 413, "a Content-Length of at most " + MOST_BYTES + " is needed");
    } else {
      request.body().onSuccess(body -> take(request, body, then));
    }
  }

  private static boolean isShort(String length) {
    return length != null && length.matches("\\d{1,9}") && Integer.parseInt(length) <= MOST_BYTES;
  }

  private static void take(HttpServerRequest request, Buffer body, Consumer<Buffer> then) {
    try {
      then.accept(body);
    } catch (IllegalArgumentException e) {
      Answers.text(request, 400, e.getMessage());
    }
  }
}
