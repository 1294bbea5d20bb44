package io.sluice.gateway.websocket;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.testkit.EchoConnection;

/** Compression in the codec alone, without a network. */
class DeflateConformanceTest extends DeflateConformance {
  @Override
  EchoConnection open(String extensions) {
    return new MemoryEcho(
        UnpooledByteBufAllocator.DEFAULT,
        new FrameDecoder.Limits(EchoConformance.MOST_BYTES, EchoConformance.MOST_BYTES),
        extensions);
  }
}
