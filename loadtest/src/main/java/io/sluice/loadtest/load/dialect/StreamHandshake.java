package io.sluice.loadtest.load.dialect;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import java.net.URLEncoder;

/** Request for a stream of events, and the checks of its response. Bound to its event loop. */
final class StreamHandshake implements Handshake {
  private static final String OK = "200";
  private static final String TYPE = "text/event-stream";

  private final DialectOptions options;
  private final String topic;
  private final HandshakeResponse response = new HandshakeResponse();

  StreamHandshake(DialectOptions options, String topic) {
    this.options = options;
    this.topic = topic;
  }

  @Override
  public void writeRequest(ByteBuf out) {
    String folder = options.path().endsWith("/") ? options.path() : options.path() + "/";
    String encoded = URLEncoder.encode(topic, UTF_8).replace("+", "%20");
    String request =
        ("GET " + folder + encoded + " HTTP/1.1\r\n")
            + ("Host: " + options.authority() + "\r\n")
            + ("Accept: " + TYPE + "\r\nCache-Control: no-store\r\n")
            + (options.token() == null ? "" : "Authorization: Bearer " + options.token() + "\r\n")
            + "\r\n";
    out.writeCharSequence(request, ISO_8859_1);
  }

  @Override
  public boolean read(ByteBuf in) {
    return response.read(in);
  }

  @Override
  public String fault(ByteBuf body) {
    String fault = response.faultOfStatus(OK, body);
    if (fault != null) {
      return fault;
    }
    String type = response.header("content-type");
    return type.startsWith(TYPE) ? null : "the response is '" + type + "' instead of " + TYPE;
  }

  /** Returns whether the body has chunked transfer coding. */
  boolean isChunked() {
    return response.header("transfer-encoding").equalsIgnoreCase("chunked");
  }
}
