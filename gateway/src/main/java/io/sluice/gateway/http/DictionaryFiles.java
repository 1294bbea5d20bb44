package io.sluice.gateway.http;

import io.sluice.gateway.dictionary.Dictionaries;
import io.sluice.gateway.protocol.Refusal;
import io.sluice.gateway.protocol.dictionary.Dictionary;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;

/**
 * Trained dictionaries that pages of any origin may load, as {@code /dictionary/HASH}. Stateless,
 * for event loops. The hash is announced only to clients that may subscribe to a topic.
 */
final class DictionaryFiles {
  private static final String FOLDER = "/dictionary/";

  private DictionaryFiles() {}

  /** Returns whether a path may name a dictionary. */
  static boolean matches(String path) {
    return path != null && path.startsWith(FOLDER);
  }

  static void serve(HttpServerRequest request, Dictionaries dictionaries) {
    if (request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD) {
      Pages.refuse(request, Pages.NOT_GET);
      return;
    }
    Dictionary found = dictionaries.withHash(request.path().substring(FOLDER.length()));
    if (found == null) {
      Pages.refuse(
          request,
          Refusal.notFound("this node has no dictionary with this hash").with(Refusal.READABLE));
    } else {
      send(request, found);
    }
  }

  private static void send(HttpServerRequest request, Dictionary found) {
    HttpServerResponse response =
        request
            .response()
            .putHeader("Access-Control-Allow-Origin", "*")
            .putHeader("Cross-Origin-Resource-Policy", "cross-origin")
            .putHeader("Cache-Control", ClientFiles.IMMUTABLE)
            .putHeader("Content-Type", "application/octet-stream")
            .putHeader("X-Content-Type-Options", "nosniff");
    if (request.method() == HttpMethod.HEAD) {
      response.putHeader("Content-Length", String.valueOf(found.bytes().length)).end();
    } else {
      response.end(Buffer.buffer(found.bytes()));
    }
  }
}
