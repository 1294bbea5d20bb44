package io.sluice.gateway.admin;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.Consumer;

/** JSON bodies of commands, with a size limit. Stateless; used on the admin event loop. */
final class JsonBody {
  private static final int MAX_BYTES = 8 * 1024;

  private JsonBody() {}

  /**
   * Reads the body, or responds with an error of its headers.
   *
   * @param then receiver of the body; may throw an {@link IllegalArgumentException}, whose message
   *     is sent as the response
   */
  // A page of another site must not send this type without a CORS preflight, which is refused.
  static void read(HttpServerRequest request, Consumer<Buffer> then) {
    String type = request.getHeader("Content-Type");
    if (type == null || !type.split(";")[0].strip().equalsIgnoreCase("application/json")) {
      Responses.text(request, 415, "Content-Type is not application/json");
    } else if (!isShort(request.getHeader("Content-Length"))) {
      Responses.text(request, 413, "a Content-Length of at most " + MAX_BYTES + " is required");
    } else {
      request.body().onSuccess(body -> take(request, body, then));
    }
  }

  private static boolean isShort(String length) {
    return length != null && length.matches("\\d{1,9}") && Integer.parseInt(length) <= MAX_BYTES;
  }

  private static void take(HttpServerRequest request, Buffer body, Consumer<Buffer> then) {
    try {
      then.accept(body);
    } catch (IllegalArgumentException e) {
      Responses.text(request, 400, e.getMessage());
    }
  }
}
