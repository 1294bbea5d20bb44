// Server component that uses the package's provider, which is a client component.
import { SluiceProvider } from "@sluice/client/react";
import { Price } from "./price.jsx";

export default function Page() {
  return (
    <SluiceProvider url={process.env.SLUICE_URL}>
      <Price topic={process.env.SLUICE_TOPIC} />
    </SluiceProvider>
  );
}
