package io.sluice.gateway.websocket;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.testkit.EchoConnection;

/** The codec alone, without a network. */
class EchoConformanceTest extends EchoConformance {
  @Override
  EchoConnection open(String extensions) {
    return new MemoryEcho(
        UnpooledByteBufAllocator.DEFAULT,
        new FrameDecoder.Limits(MOST_BYTES, MOST_BYTES),
        extensions);
  }
}
