package io.sluice.gateway.socket;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.sluice.gateway.handshake.Refusal;
import java.util.LinkedHashMap;
import java.util.Map;

/** Encoder of HTTP responses. Stateless, for any thread. */
public final class ResponseHead {
  private ResponseHead() {}

  /**
   * Returns a head, which the caller releases.
   *
   * @param status such as {@code 101 Switching Protocols}
   * @param headers all headers of the response
   */
  public static ByteBuf encode(String status, Map<String, String> headers) {
    StringBuilder text = new StringBuilder(256).append("HTTP/1.1 ").append(status).append("\r\n");
    headers.forEach((name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
    text.append("\r\n");
    ByteBuf head = PooledByteBufAllocator.DEFAULT.directBuffer(text.length());
    ByteBufUtil.writeAscii(head, text);
    return head;
  }

  /**
   * Returns a complete error response, which the caller releases.
   *
   * @param common headers before those of the refusal
   */
  public static ByteBuf encode(Refusal refusal, Map<String, String> common) {
    byte[] body = refusal.body().getBytes(UTF_8);
    Map<String, String> headers = new LinkedHashMap<>(common);
    headers.putAll(refusal.headers());
    headers.putAll(Refusal.BODY_HEADERS);
    headers.put("content-length", String.valueOf(body.length));
    String status = HttpResponseStatus.valueOf(refusal.status()).toString();
    return encode(status, headers).writeBytes(body);
  }
}
