// Draws every chart from the data beside it, again when day turns to night, and on paper in the colours of day.
const dark = matchMedia("(prefers-color-scheme: dark)");
const atNight = (part) =>
  typeof part === "string" ? NIGHT[part] ?? part
  : Array.isArray(part) ? part.map(atNight)
  : part && typeof part === "object" ? Object.fromEntries(Object.entries(part).map(([key, value]) => [key, atNight(value)]))
  : part;

// A grid of small charts has no width of its own: it gets the columns that fit, and their share of the page.
function placed(given, width) {
  const legend = { ...given.config.legend, columns: Math.max(1, Math.floor(width / 150)) };
  const spec = { ...given, config: { ...given.config, legend } };
  const most = spec.usermeta?.columns;
  if (!most) return spec;
  const columns = Math.max(1, Math.min(most, Math.floor(width / 260)));
  return { ...spec, columns, spec: { ...spec.spec, width: Math.max(120, Math.floor(width / columns) - 52) } };
}

async function draw(figure, night) {
  const box = figure.querySelector(".vega");
  const spec = JSON.parse(figure.querySelector("script").textContent);
  const actions = { export: true, source: false, compiled: false, editor: false };
  const options = { mode: "vega-lite", renderer: "svg", actions, tooltip: { theme: night ? "dark" : "light" } };
  const old = figure.view;
  const name = figure.querySelector(".chart-title").textContent.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const { view } = await vegaEmbed(box, placed(night ? atNight(spec) : spec, box.clientWidth), { ...options, downloadFileName: name });
  // the box says what the picture shows; its hundreds of marks would only be noise in a screen reader
  for (const part of box.querySelectorAll("svg")) part.setAttribute("aria-hidden", "true");
  old?.finalize();
  figure.view = view;
}

const figures = [...document.querySelectorAll("figure.chart")];
const drawAll = (night) => Promise.all(figures.map((figure) => draw(figure, night).catch((fault) => {
  figure.querySelector(".vega").textContent = `This chart could not be drawn: ${fault.message}`;
})));

drawAll(dark.matches);
dark.addEventListener("change", () => drawAll(dark.matches));

// charts in a fold have no width until it opens
for (const fold of document.querySelectorAll("details")) {
  fold.addEventListener("toggle", () => {
    if (fold.open) for (const figure of fold.querySelectorAll("figure.chart")) draw(figure, dark.matches);
  });
}

let width = innerWidth, waiting;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  clearTimeout(waiting);
  waiting = setTimeout(() => drawAll(dark.matches), 150);
});

// Printing does not wait for a new drawing, so the colours of this one are changed in place.
const DAY = Object.fromEntries(Object.entries(NIGHT).map(([day, night]) => [night, day]));
function repaint(colours) {
  for (const part of document.querySelectorAll(".vega svg *")) {
    for (const key of ["fill", "stroke"]) {
      const now = part.getAttribute(key);
      if (now in colours) part.setAttribute(key, colours[now]);
    }
  }
}
addEventListener("beforeprint", () => repaint(DAY));
addEventListener("afterprint", () => dark.matches && repaint(NIGHT));
