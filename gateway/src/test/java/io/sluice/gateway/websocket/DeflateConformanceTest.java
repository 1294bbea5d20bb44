package io.sluice.gateway.websocket;

import io.netty.buffer.UnpooledByteBufAllocator;

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
