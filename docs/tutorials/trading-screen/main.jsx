import { SluiceProvider } from "@sluice/client/react";
import { createRoot } from "react-dom/client";
import { Connection } from "./connection.jsx";
import { Prices } from "./prices.jsx";

// The provider owns the page's only connection.
createRoot(document.getElementById("root")).render(
  <SluiceProvider url="ws://localhost:8080/ws">
    <h1>Prices</h1>
    <Connection />
    <Prices />
  </SluiceProvider>,
);
