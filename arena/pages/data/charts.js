// Draws the charts of the page with uPlot: lines with bands around them, in the page's colours, at any width.

// Moves and games are counted: their axes have no ticks between whole numbers.
const WHOLE_STEPS = [1, 2, 5].flatMap((digit) => [...Array(7).keys()].map((power) => digit * 10 ** power)).sort((a, b) => a - b);

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function draw(element) {
  const chart = JSON.parse(element.dataset.chart);
  const data = [chart.x], bands = [];
  const series = [{ label: chart.xlabel }];
  const add = (values, options) => { data.push(values); series.push({ points: { show: false }, ...options }); };
  for (const line of chart.series) {
    const stroke = colour(line.colour);
    if (line.high) {
      bands.push({ series: [data.length, data.length + 1], fill: `${stroke}2a` });
      add(line.high, { class: "unlisted" });
      add(line.low, { class: "unlisted" });
    }
    add(line.y, { label: line.label, stroke, width: 1.8, paths: chart.steps ? uPlot.paths.stepped({ align: 1 }) : undefined });
  }
  for (const level of chart.levels)
    add(chart.x.map(() => level), { stroke: colour("soft"), width: 1, dash: [5, 4], class: "unlisted" });
  const axis = (label, size) => ({
    label, size, stroke: colour("ink"), grid: { stroke: colour("grid"), width: 1 }, ticks: { show: false },
    font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", labelSize: 20,
  });
  const xAxis = axis(chart.xlabel, 34);
  if (!chart.log) xAxis.incrs = WHOLE_STEPS;
  const size = () => ({ width: element.clientWidth, height: element.clientWidth < 500 ? 200 : 260 });
  element.replaceChildren();
  const plot = new uPlot({
    ...size(), series, bands,
    scales: { x: { time: false, distr: chart.log ? 3 : 1 }, y: { range: chart.range } },
    axes: [xAxis, axis(chart.ylabel, 50)],
    cursor: { y: false },
  }, data, element);
  new ResizeObserver(() => plot.setSize(size())).observe(element);
}

const drawAll = () => document.querySelectorAll("[data-chart]").forEach(draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
drawAll();
