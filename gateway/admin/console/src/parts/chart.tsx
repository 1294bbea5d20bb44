import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

/** Line of a chart; a missing value leaves a hole. */
export interface Series {
  readonly label: string;
  readonly values: readonly (number | undefined)[];
}

interface ChartProps {
  readonly title: string;
  /** Unix milliseconds of the samples. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

const HEIGHT = 180;

/** Half of the width of the last time, which is centered at the right edge of the plot. */
const HALF_TIME = 32;

/** Distance of a label to the plot, and to the edge of the chart. */
const LABEL_SPACE = 20;

/** Chart of at most two lines over time. Its text has the latest values. */
export function Chart(props: ChartProps) {
  const { title, series, format } = props;
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const lines = series.length;
  useEffect(() => {
    const target = element.current;
    if (!target) return;
    const drawn = new uPlot(
      options(latest, lines, target.clientWidth),
      data(latest.current),
      target,
    );
    plot.current = drawn;
    return observe(target, drawn);
  }, [lines]);
  useEffect(() => {
    plot.current?.setData(data(props));
  }, [props.times, series]);
  return (
    <figure class="card h-100 m-0 p-3">
      <figcaption class="d-flex flex-wrap gap-3 mb-2">
        <span class="fw-semibold me-auto">{title}</span>
        {series.map(({ label, values }, index) => (
          <span key={label} class="small">
            <span class={`legend-line legend-line-${index + 1}`} aria-hidden="true" />
            {label} {latestText(values, format)}
          </span>
        ))}
      </figcaption>
      <div ref={element} class="chart" aria-hidden="true" />
    </figure>
  );
}

function latestText(values: readonly (number | undefined)[], format: (value: number) => string) {
  const value = values.at(-1);
  return value === undefined ? "–" : format(value);
}

function data({ times, series }: ChartProps): uPlot.AlignedData {
  return [times.map((at) => at / 1000), ...series.map(({ values }) => [...values])];
}

function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name);
}

function clock(_: uPlot, seconds: number[]): string[] {
  return seconds.map((at) => new Date(at * 1000).toLocaleTimeString("sv"));
}

/** Returns the width of the longest label of an axis; there is none before the first layout. */
function labelWidth({ ctx }: uPlot, labels: readonly string[] | null): number {
  const widths = (labels ?? []).map((label) => ctx.measureText(label).width);
  return LABEL_SPACE + Math.ceil(Math.max(0, ...widths) / devicePixelRatio);
}

function options(
  latest: { readonly current: ChartProps },
  lines: number,
  width: number,
): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: () => color("--bs-secondary-color"),
    grid: { stroke: () => color("--bs-border-color"), width: 1 },
    ticks: { show: false },
  };
  const values = (_: uPlot, splits: number[]) =>
    splits.map((value) => latest.current.format(value));
  return {
    width,
    height: HEIGHT,
    padding: [null, HALF_TIME, null, null],
    cursor: { show: false },
    legend: { show: false },
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      { ...axis, space: 80, size: 30, values: clock },
      { ...axis, size: labelWidth, values },
    ],
    series: [
      {},
      ...Array.from({ length: lines }, (_, index) => ({
        stroke: () => color(`--sluice-series-${index + 1}`),
        width: 2,
        points: { show: false },
      })),
    ],
  };
}

/** Redraws a chart after changes of its width and of the theme. */
function observe(target: HTMLElement, drawn: uPlot): () => void {
  const size = new ResizeObserver(() => {
    drawn.setSize({ width: target.clientWidth, height: HEIGHT });
  });
  const theme = new MutationObserver(() => {
    drawn.redraw();
  });
  size.observe(target);
  theme.observe(document.documentElement, { attributeFilter: ["data-bs-theme"] });
  return () => {
    size.disconnect();
    theme.disconnect();
    drawn.destroy();
  };
}
