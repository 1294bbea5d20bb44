// Application for React Native without components: receives in a loop, and publishes.
import { connect } from "@sluice/client";

const MESSAGES = 3;

globalThis.receive = async (url, topic) => {
  const client = connect(url, { transports: ["websocket"] });
  let count = 0;
  try {
    for await (const { payload } of client.messages(topic)) {
      if (payload.length > 0 && ++count === MESSAGES) break;
    }
    await client.publish("bundlers.echo", "hello");
    return "PASSED";
  } finally {
    client.close();
  }
};
