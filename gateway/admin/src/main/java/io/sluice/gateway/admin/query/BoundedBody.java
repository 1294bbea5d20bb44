package io.sluice.gateway.admin.query;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import java.io.IOException;

/** Bodies of responses from other servers, with a size limit. Bound to the admin event loop. */
final class BoundedBody {
  private BoundedBody() {}

  /** Reads the body of a response that has just begun. */
  static Future<Buffer> read(HttpClientResponse response, long maxBytes) {
    Promise<Buffer> read = Promise.promise();
    Buffer body = Buffer.buffer();
    response.exceptionHandler(read::tryFail);
    response.handler(
        part -> {
          body.appendBuffer(part);
          if (body.length() > maxBytes) {
            read.tryFail(new IOException("response exceeds the limit of " + maxBytes + " B"));
            response.request().connection().close();
          }
        });
    response.endHandler(end -> read.tryComplete(body));
    return read.future();
  }
}
