import { SluiceProvider, useConnectionState, useMessages } from "@sluice/client/react";
import { createRoot } from "react-dom/client";

// For example index.html?url=ws://localhost:8080/ws&topic=stocks.7
const parameters = new URLSearchParams(location.search);

function Connection() {
  const { status } = useConnectionState();
  return <p>Connection: {status}</p>;
}

function Messages({ topic }) {
  // The last ten messages. The component renders at most once a frame, at any message rate.
  const { messages, gap, error } = useMessages(topic, { keep: 10, from: "snapshot" });
  if (error) return <p>This topic is not to be had: {error.message}</p>;
  return (
    <>
      {gap && <p>Some messages may be missing ({gap.reason}).</p>}
      <ul id="messages">
        {messages.map((message) => (
          <li key={message.id}>
            {message.topic}: {message.payload}
          </li>
        ))}
      </ul>
    </>
  );
}

// The provider owns the page's single connection, for all components within it.
createRoot(document.getElementById("root")).render(
  <SluiceProvider url={parameters.get("url")}>
    <Connection />
    <Messages topic={parameters.get("topic")} />
  </SluiceProvider>,
);
