"use strict";
// Apache ECharts, Copyright 2017-2024 The Apache Software Foundation.
// This product includes software developed at The Apache Software Foundation (https://www.apache.org/).
// Draws each figure's options. The style sheet defines the colours for the reader's colour scheme.
{
  const text = (color) => ({ color: `var(--${color})`, fontSize: 11 });
  const line = { lineStyle: { color: "var(--rule)" } };
  const axis = {
    axisLabel: text("faint"),
    axisLine: { show: false },
    axisTick: { show: false },
    minorTick: { length: 0 },
    nameTextStyle: text("ink"),
    splitLine: { show: true, ...line },
    minorSplitLine: { lineStyle: { color: "var(--shade)" } },
  };
  const series = {
    emphasis: { disabled: true },
    markArea: {
      silent: true,
      itemStyle: { color: "var(--shade)", opacity: 0.75 },
      label: { ...text("faint"), position: "insideTopLeft" },
    },
  };
  echarts.registerTheme("report", {
    animation: false,
    textStyle: { fontFamily: "system-ui, sans-serif" },
    valueAxis: axis,
    logAxis: axis,
    categoryAxis: {
      ...axis,
      axisLabel: { ...text("faint"), interval: 0, width: 66, overflow: "truncate" },
      splitLine: { show: false },
    },
    line: series,
    scatter: series,
    legend: { left: 0, right: 0, top: 0, itemGap: 16, itemWidth: 26, itemStyle: { opacity: 0 }, textStyle: text("ink") },
    tooltip: {
      formatter: "{b}",
      confine: true,
      backgroundColor: "var(--paper)",
      borderColor: "var(--rule)",
      textStyle: text("ink"),
      transitionDuration: 0,
      extraCssText: "white-space: normal; max-width: 320px",
    },
  });
  const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });
  for (const figure of document.querySelectorAll("figure")) {
    const options = JSON.parse(figure.querySelector("script").textContent);
    for (const each of [...options.xAxis, ...options.yAxis]) {
      if (each.type === "category") continue;
      const { labels } = each;
      each.axisLabel = {
        formatter: (value) => (labels ? (labels[value] ?? "") : number.format(value)),
      };
    }
    const place = figure.querySelector(".chart");
    const chart = echarts.init(place, "report", { renderer: "svg" });
    chart.setOption({
      baseOption: { tooltip: {}, ...options },
      // The height leaves space for the rows of a wide legend; a narrow one has pages instead.
      media: [
        { query: { maxWidth: 499 }, option: { legend: { type: "scroll" } } },
        { option: { legend: { type: "plain" } } },
      ],
    });
    // Printing scales the drawing without redrawing it.
    chart.on("rendered", () => {
      const box = `0 0 ${chart.getWidth()} ${chart.getHeight()}`;
      place.querySelector("svg").setAttribute("viewBox", box);
    });
    new ResizeObserver(() => chart.resize()).observe(place);
  }
}
