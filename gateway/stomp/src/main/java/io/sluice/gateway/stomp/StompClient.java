package io.sluice.gateway.stomp;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ProtocolClient;
import io.sluice.gateway.session.ProtocolContext;
import io.sluice.gateway.session.SessionOptions;
import io.sluice.gateway.websocket.CloseCode;
import io.vertx.core.json.JsonObject;

/**
 * Client of STOMP: its connection from CONNECT to the last ERROR or RECEIPT, and heart-beats. Bound
 * to the event loop of its connection.
 */
final class StompClient extends ProtocolClient {
  private static final String BAD_FRAME = "bad frame";

  /** Intervals without data after which a client that promised heart-beats is closed. */
  private static final int MAX_SILENT = 3;

  private static final int NO_INDEX = -1;

  private final StompNode node;
  private final boolean sockJs;
  private final Credential handshakeCredential;
  private final StompParser parser;
  private final StompRequests requests;

  /** Null before CONNECT. */
  private StompVersion version;

  private HeartBeat heartBeat;

  /** Index in the {@link HeartBeats} of the loop, or {@link #NO_INDEX}. */
  private int heartBeatIndex = NO_INDEX;

  private int sendTick;
  private int expectTick;
  private int silent;
  private boolean connected;

  /** True behind DISCONNECT or ERROR: further frames are ignored. */
  private boolean ending;

  /** True behind ERROR and the last RECEIPT: nothing more is sent. */
  private boolean ended;

  /** Receipt of DISCONNECT, or null. */
  private String lastReceipt;

  /**
   * @param sockJs whether the client uses SockJS
   * @param handshakeCredential credential of the handshake, or null
   */
  StompClient(
      ProtocolContext loop,
      Connection connection,
      StompNode node,
      boolean sockJs,
      Credential handshakeCredential) {
    super(loop, connection);
    this.node = node;
    this.sockJs = sockJs;
    this.handshakeCredential = handshakeCredential;
    this.parser = new StompParser((int) options().messageBytes());
    this.requests = new StompRequests(this, node.ids());
  }

  /** Returns the limits of the node. */
  SessionOptions options() {
    return loop.policy().options();
  }

  /** Returns the negotiated version. */
  StompVersion version() {
    return version;
  }

  /** Returns the encoder of server frames, also before the negotiation. */
  StompFrames frames() {
    return node.frames(version == null ? StompVersion.V1_0 : version, sockJs);
  }

  /** Passes a frame to the session. */
  void pass(ClientFrame frame, long bytes) {
    give(frame, bytes);
  }

  /** Passes a frame of the node to the session, outside of the session's calls. */
  void passLater(Runnable task) {
    later(task);
  }

  /** Sends a server frame, and takes ownership. */
  void sendFrame(ByteBuf frame) {
    send(frame);
  }

  void sendReceipt(String id) {
    if (id != null) {
      send(frames().receipt(id));
    }
  }

  /** Returns whether frames of the client are ignored. */
  boolean isEnding() {
    return ending;
  }

  @Override
  public void onOpen() {
    if (sockJs) {
      later(() -> sendLast(SockJs.open(StompNode.ALLOCATOR)));
    }
  }

  @Override
  public void onText(ByteBuf payload) {
    onBinary(payload);
  }

  @Override
  public void onBinary(ByteBuf payload) {
    silent = 0;
    if (ending || isClosing()) {
      return;
    }
    try {
      if (sockJs) {
        for (ByteBuf text : SockJs.texts(payload)) {
          parser.read(text, this::onStomp);
        }
      } else {
        parser.read(payload, this::onStomp);
      }
    } catch (BadStomp e) {
      fail(BAD_FRAME, e.getMessage(), null);
    }
  }

  private void onStomp(StompFrame frame) {
    if (ending || isClosing()) {
      return;
    }
    try {
      if (version == null) {
        connect(frame);
      } else if (!requests.hold(frame)) {
        process(frame);
      }
    } catch (BadStomp e) {
      fail(BAD_FRAME, e.getMessage(), frame.header("receipt"));
    }
  }

  /** Processes a frame behind CONNECT. */
  void process(StompFrame frame) {
    if (ending || isClosing()) {
      return;
    }
    try {
      if (frame.command() == StompCommand.DISCONNECT) {
        lastReceipt = frame.header("receipt");
        ending = true;
        endIfComplete();
      } else {
        requests.process(frame);
      }
    } catch (BadStomp e) {
      fail(BAD_FRAME, e.getMessage(), frame.header("receipt"));
    }
  }

  private void connect(StompFrame frame) throws BadStomp {
    if (!frame.command().isConnect()) {
      throw new BadStomp("the first frame must be CONNECT or STOMP, not " + frame.command());
    }
    String accepted = frame.header("accept-version");
    StompVersion negotiated = StompVersion.negotiate(accepted);
    if (negotiated == null || sockJs && negotiated == StompVersion.V1_0) {
      end(frames().noVersion(accepted), CloseCode.PROTOCOL_ERROR);
      return;
    }
    heartBeat = HeartBeat.of(frame.header("heart-beat"));
    version = negotiated;
    parser.version(negotiated);
    open(
        loop.encoding(node.format(negotiated, sockJs)),
        handshakeCredential,
        new ClientFrame.Connect(
            ClientFrame.NO_REF,
            StompLogin.token(frame),
            "STOMP " + negotiated.text(),
            false,
            false,
            false));
  }

  @Override
  protected void onFrame(String type, JsonObject frame) {
    if (ended) {
      return;
    }
    switch (type) {
      case "hello" -> onHello(frame);
      case "draining" ->
          // No frame requests a client to move. The drain paces its notifications.
          end(CloseCode.DRAINING, "the node stops or restarts: connect again");
      default -> requests.answers().onFrame(type, frame);
    }
  }

  private void onHello(JsonObject hello) {
    connected = true;
    send(
        frames()
            .connected(
                hello.getString("session"),
                hello.getString("subject"),
                "Sluice/" + hello.getString("version"),
                HeartBeat.OFFER));
    if (heartBeat.sendTicks() > 0 || heartBeat.expectTicks() > 0) {
      HeartBeats beats = node.heartBeats(loop);
      heartBeatIndex = beats.add(this);
      sendTick = beats.tick() + heartBeat.sendTicks();
      expectTick = beats.tick() + heartBeat.expectTicks();
    }
  }

  /** Sets the index among the clients with heart-beats. */
  void heartBeatIndex(int index) {
    heartBeatIndex = index;
  }

  /** Sends and expects heart-beats. */
  void onTick(int tick) {
    if (ended || isClosing()) {
      return;
    }
    if (heartBeat.sendTicks() > 0 && tick >= sendTick) {
      sendTick = tick + heartBeat.sendTicks();
      send(frames().heartBeat());
    }
    if (heartBeat.expectTicks() > 0 && tick >= expectTick) {
      expectTick = tick + heartBeat.expectTicks();
      silent++;
      if (silent > MAX_SILENT) {
        end(CloseCode.IDLE, "no heart-beat arrived in " + MAX_SILENT + " intervals");
      }
    }
  }

  /** Ends the session once all frames before DISCONNECT are answered. */
  void endIfComplete() {
    if (ending && !ended && requests.areAnswered()) {
      sendReceipt(lastReceipt);
      ended = true;
      closeLater(CloseCode.NORMAL);
    }
  }

  /** Sends an ERROR and closes the connection, as STOMP requires. */
  void fail(String code, String message, String receipt) {
    end(frames().error(code, message, receipt), CloseCode.PROTOCOL_ERROR);
  }

  /** Ends the session for a reason that no frame of the client has caused. */
  void end(CloseCode code, String why) {
    end(frames().error(code.reason(), why, null), code);
  }

  private void end(ByteBuf error, CloseCode code) {
    sendError(error);
    closeLater(code);
  }

  private void sendError(ByteBuf error) {
    if (ended) {
      error.release();
    } else {
      ended = true;
      ending = true;
      sendLast(error);
    }
  }

  private void closeLater(CloseCode code) {
    parser.stop();
    later(() -> close(code));
  }

  @Override
  protected void onClosing(CloseCode code) {
    boolean isQuiet = code == CloseCode.NORMAL || code == CloseCode.SLOW_CONSUMER;
    if (!isQuiet) {
      String why = connected ? "the node ends the session: " : "the node opens no session: ";
      sendError(frames().error(code.reason(), why + code.reason(), null));
    }
    parser.stop();
    if (sockJs && code != CloseCode.SLOW_CONSUMER) {
      sendLast(SockJs.close(StompNode.ALLOCATOR, code.code(), code.reason()));
    }
    super.onClosing(code);
  }

  @Override
  protected void onEnd() {
    parser.stop();
    requests.close();
    if (heartBeatIndex != NO_INDEX) {
      node.heartBeats(loop).remove(heartBeatIndex);
    }
  }
}
