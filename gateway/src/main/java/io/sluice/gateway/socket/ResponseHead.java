package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Map;

/** Encoder of the head of an HTTP response. Stateless, for any thread. */
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
}
