// The feed has no sectors: they follow from the words of the companies' names.
const WORDS = {
  Technology:
    "Networks Instruments Games Robotics Sensors Semiconductor Optics Security Storage Labs Telecom Navigation Software Data Cloud Drones Media",
  Health: "Health Biotech Pharma Clinics Diagnostics Nutrition Cosmetics",
  Finance: "Insurance Bank Capital Realty Union Payments Homes",
  Resources:
    "Water Mining Energy Utilities Steel Drilling Cement Timber Chemicals Gas Hydro Solar Turbines Quarries Kiln Paper Masonry Paints",
  Transport:
    "Shipping Rail Logistics Harbour Avionics Airways Marine Cranes Tractors Freight Couriers Motors Bicycles Tyres Cruise",
};
const REST = "Consumer";
const BY_WORD = new Map(
  Object.entries(WORDS).flatMap(([sector, words]) =>
    words.split(" ").map((word) => [word, sector]),
  ),
);

export const SECTORS = [...Object.keys(WORDS), REST];

/** Returns the sector of a company. */
export function sectorOf(name) {
  return BY_WORD.get(name.slice(name.lastIndexOf(" ") + 1)) ?? REST;
}
