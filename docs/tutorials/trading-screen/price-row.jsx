import { memo } from "react";

// memo: the row renders again only if its stock has a new message or becomes stale.
export const PriceRow = memo(function PriceRow({ message, isStale }) {
  const { symbol, name, price, change } = message.payload;
  return (
    <tr className={isStale ? "stale" : undefined}>
      <td>{symbol}</td>
      <td>{name}</td>
      {/* The key replaces the cell when the price changes, which starts its animation. */}
      <td key={price} className="number updated">
        {price.toFixed(2)}
      </td>
      <td className="number">{change.toFixed(2)} %</td>
    </tr>
  );
});
