// Draws the charts of a page from the JSON that stands in it. Runs in the reader's browser; touches no network, and
// builds no markup from texts: a text of the program reaches a chart as a string, or textContent.
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const charts = [];

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  }

  function size(count) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let unit = 0;
    while (Math.abs(count) >= 999.5 && unit < units.length - 1) { count /= 1024; unit += 1; }
    const digits = unit === 0 || Math.abs(count) >= 99.95 ? 0 : Math.abs(count) >= 9.995 ? 1 : 2;
    return count.toFixed(digits) + " " + units[unit];
  }

  function seconds(value) {
    if (value < 60) { return (value < 10 ? value.toFixed(1) : value.toFixed(0)) + " s"; }
    const minutes = Math.floor(value / 60);
    if (minutes < 60) { return minutes + " min " + Math.round(value % 60) + " s"; }
    return Math.floor(minutes / 60) + " h " + (minutes % 60) + " min";
  }

  function clock(value) {
    if (value < 120) { return Math.round(value * 10) / 10 + " s"; }
    if (value < 7200) { return Math.round(value / 6) / 10 + " min"; }
    return Math.round(value / 360) / 10 + " h";
  }

  function number(value) {
    if (value === 0 || (Math.abs(value) >= 0.01 && Math.abs(value) < 1e5)) { return String(Number(value.toPrecision(4))); }
    return value.toExponential(2);
  }

  // Round steps of memory in powers of two: 256 MiB, not 268 435 456.
  function step(most, parts) {
    let width = 1024;
    while (most / width > parts) { width *= 2; }
    return width;
  }

  function common() {
    return {
      animation: !still, animationDuration: 250,
      textStyle: { fontFamily: "system-ui, 'DejaVu Sans', sans-serif", color: colour("ink") },
      tooltip: {
        renderMode: "richText", confine: true, backgroundColor: colour("card"), borderColor: colour("line"),
        textStyle: { color: colour("ink"), fontSize: 12 }
      }
    };
  }

  function axis(more) {
    return Object.assign({
      axisLine: { lineStyle: { color: colour("line") } }, axisTick: { show: false },
      axisLabel: { color: colour("faint"), hideOverlap: true }, splitLine: { lineStyle: { color: colour("line"), opacity: 0.6 } },
      nameTextStyle: { color: colour("faint") }
    }, more);
  }

  function legend(more) {
    return Object.assign({ top: 0, left: 0, textStyle: { color: colour("ink") }, icon: "roundRect", itemHeight: 8, type: "plain" }, more);
  }

  function zoom(indices) {
    return [
      { type: "inside", xAxisIndex: indices, filterMode: "none" },
      {
        type: "slider", xAxisIndex: indices, filterMode: "none", height: 20, bottom: 6, borderColor: colour("line"),
        fillerColor: "rgba(127,127,127,.15)", labelFormatter: "", textStyle: { color: colour("faint") },
        dataBackground: { lineStyle: { opacity: 0 }, areaStyle: { opacity: 0 } },
        selectedDataBackground: { lineStyle: { opacity: 0 }, areaStyle: { opacity: 0 } }
      }
    ];
  }

  const LINES = { process: "s1", children: "s2", allocator: "s3", group: "s5", gpu: "s4", good: "s3", bad: "s2" };

  function timeline(view) {
    const last = Math.max.apply(null, view.lines.map(function (line) { return line.points[line.points.length - 1][0]; }));
    const top = Math.max.apply(null, view.lines.map(function (line) {
      return Math.max.apply(null, line.points.map(function (point) { return point[1]; }));
    }));
    // A limit far above all that was used would press the lines to the ground.
    const limit = view.limit_bytes && view.limit_bytes < 3 * top ? view.limit_bytes : null;
    const highest = Math.max(top, limit || 0) * 1.06;
    const width = step(highest, 6);
    const stepped = view.steps.length > 0;
    const moments = view.marks.filter(function (mark) { return mark.kind !== "call"; });
    const calls = view.marks.filter(function (mark) { return mark.kind === "call"; });
    const twins = view.lines.length > 1 && view.lines[0].kind === "good";
    // Labels that would lie over each other are left to the tooltip and the table; the end's always stays.
    let taken = last;
    const labelled = moments.slice().reverse().filter(function (mark) {
      if (mark.kind === "census") { return false; }
      if (mark.kind === "end" && !twins) { return true; }
      if (taken - mark.at < last * 0.09) { return false; }
      taken = mark.at;
      return true;
    });
    const tones = { jump: "s2", census: "faint", warning: "doubt", bad: "bad", end: "bad" };
    const series = view.lines.map(function (line, at) {
      const tone = colour(LINES[line.kind]);
      const one = {
        name: line.name, type: "line", data: line.points, showSymbol: false, lineStyle: { width: 2, color: tone },
        itemStyle: { color: tone }, areaStyle: at === 0 && !twins ? { color: tone, opacity: 0.1 } : undefined, sampling: false
      };
      if (at === 0) {
        one.markArea = {
          silent: false, itemStyle: { color: colour("faint"), opacity: 0.09 },
          label: { color: colour("faint"), position: "insideTopLeft", fontSize: 11 },
          data: calls.map(function (mark) {
            const wide = (mark.until - mark.at) / last > 0.04;
            return [{ name: mark.label, xAxis: mark.at, label: { show: wide } }, { xAxis: mark.until }];
          })
        };
        one.markLine = {
          symbol: "none", animation: false,
          data: moments.filter(function (mark) { return mark.kind !== "census"; }).map(function (mark) {
            const tone = colour(tones[mark.kind]);
            return {
              name: mark.words, xAxis: mark.at, lineStyle: { color: tone, type: mark.kind === "end" ? "solid" : "dashed" },
              label: {
                show: labelled.indexOf(mark) >= 0, formatter: mark.label, color: tone, fontSize: 11, position: "end",
                align: mark.at > 0.95 * last ? "right" : "center"
              }
            };
          }).concat(limit ? [{
            name: view.limit_words, yAxis: limit, lineStyle: { color: colour("bad"), type: "dotted", width: 2 },
            label: { formatter: view.limit_words, position: "insideStartTop", color: colour("bad"), fontSize: 11 }
          }] : [])
        };
        one.markPoint = {
          symbol: "circle", symbolSize: 7, itemStyle: { color: colour("ground"), borderColor: tone, borderWidth: 2 }, label: { show: false },
          data: moments.filter(function (mark) { return mark.kind === "census"; }).map(function (mark) {
            return { name: mark.words, coord: [mark.at, near(line.points, mark.at)] };
          })
        };
      }
      return one;
    });
    if (stepped) {
      series.push({
        name: "steps a second", type: "line", step: "end", xAxisIndex: 1, yAxisIndex: 1, showSymbol: false,
        lineStyle: { color: colour("s5"), width: 1.5 }, itemStyle: { color: colour("s5") }, areaStyle: { color: colour("s5"), opacity: 0.12 },
        data: [].concat.apply([], view.steps.map(function (bar) { return [[bar[0], bar[2]], [bar[1], bar[2]]]; }))
      });
    }
    const grids = stepped
      ? [{ left: 74, right: 20, top: 52, height: 200 }, { left: 74, right: 20, top: 282, height: 46 }]
      : [{ left: 74, right: 20, top: 52, bottom: 58 }];
    const option = common();
    option.tooltip.trigger = "axis";
    option.tooltip.axisPointer = { lineStyle: { color: colour("faint") } };
    option.tooltip.formatter = function (shown) {
      if (!Array.isArray(shown)) { return shown.name; }
      const at = shown[0].value[0];
      const rows = shown.map(function (one) {
        return one.seriesName + ": " + (one.seriesName === "steps a second" ? number(one.value[1]) : size(one.value[1]));
      });
      const happened = moments.filter(function (mark) { return Math.abs(mark.at - at) < last / 120; }).map(function (mark) { return mark.words; });
      const open = calls.filter(function (mark) { return mark.at <= at && at <= mark.until; }).map(function (mark) { return mark.words; });
      return ["after " + seconds(at)].concat(rows, open, happened).join("\n");
    };
    return Object.assign(option, {
      legend: legend({ data: series.map(function (one) { return one.name; }) }),
      grid: grids,
      xAxis: grids.map(function (_, at) {
        return axis({
          type: "value", gridIndex: at, min: 0, max: last, splitLine: { show: false },
          axisLabel: { color: colour("faint"), formatter: clock, hideOverlap: true, show: at === grids.length - 1 }
        });
      }),
      yAxis: grids.map(function (_, at) {
        return at === 0
          ? axis({ type: "value", min: 0, max: Math.ceil(highest / width) * width, interval: width, axisLabel: { color: colour("faint"), formatter: size } })
          : axis({ type: "value", gridIndex: 1, name: "steps/s", nameLocation: "middle", nameGap: 50, splitNumber: 2, axisLabel: { color: colour("faint"), formatter: number } });
      }),
      dataZoom: zoom(grids.map(function (_, at) { return at; })),
      series: series
    });
  }

  function near(points, at) {
    let best = points[0];
    points.forEach(function (point) { if (Math.abs(point[0] - at) < Math.abs(best[0] - at)) { best = point; } });
    return best[1];
  }

  function treemap(view) {
    // White letters stand on these in light and dark.
    const tones = ["#2f6fb7", "#7a4fb5", "#0a7280", "#2e7d4f", "#b0561b"];
    let used = 0;
    function node(part) {
      const one = { name: part.name, value: part.bytes, told: part.words || "" };
      if (part.parts && part.parts.length > 1) { one.children = part.parts.map(node); }
      return one;
    }
    const option = common();
    option.tooltip.formatter = function (shown) {
      const told = shown.data && shown.data.told ? "\n" + shown.data.told : "";
      return shown.name + "\n" + size(shown.value) + told;
    };
    return Object.assign(option, {
      series: [{
        type: "treemap", roam: false, nodeClick: false, breadcrumb: { show: false }, left: 0, right: 0, top: 0, bottom: 0,
        label: {
          color: "#fff", fontSize: 12, lineHeight: 17, overflow: "truncate",
          formatter: function (shown) { return shown.name + "\n" + size(shown.value); }
        },
        upperLabel: { show: true, height: 20, color: "#fff", fontSize: 12, overflow: "truncate", formatter: function (shown) { return shown.name + "  " + size(shown.value); } },
        itemStyle: { borderColor: colour("ground"), borderWidth: 2, gapWidth: 2 },
        levels: [{ upperLabel: { show: false }, itemStyle: { gapWidth: 3 } }, {}, {}],
        data: view.parts.map(function (part) {
          const tone = part.rest ? "#6b7682" : tones[used++ % tones.length];
          const one = node(part);
          one.itemStyle = { color: tone, borderColor: one.children ? tone : colour("ground") };
          (one.children || []).forEach(function (child) { child.itemStyle = { color: tone }; });
          return one;
        })
      }]
    });
  }

  function courses(list) {
    const tones = ["s1", "s2", "s3", "s4", "s5"].map(colour);
    const least = Math.min.apply(null, [].concat.apply([], list.map(function (course) {
      return course.points.map(function (point) { return point[1] > 0 ? point[1] : Infinity; });
    })));
    const most = Math.max.apply(null, [].concat.apply([], list.map(function (course) {
      return course.points.map(function (point) { return point[1] === null ? 0 : point[1]; });
    })));
    const negative = list.some(function (course) { return course.points.some(function (point) { return point[1] !== null && point[1] <= 0; }); });
    const log = !negative || most / Math.max(least, 1e-30) > 1e3;
    const option = common();
    option.tooltip.trigger = "axis";
    option.tooltip.formatter = function (shown) {
      return ["step " + shown[0].value[0]].concat(shown.filter(function (one) { return one.value[1] !== null; }).map(function (one) {
        return one.seriesName + ": " + (one.data.bad ? "not finite" : number(one.value[1]));
      })).join("\n");
    };
    return Object.assign(option, {
      legend: legend({ type: "scroll", right: 0 }),
      grid: { left: 64, right: 20, top: 40, bottom: 58 },
      xAxis: axis({ type: "value", name: "step", nameLocation: "end", min: "dataMin", max: "dataMax", splitLine: { show: false }, minInterval: 1 }),
      yAxis: axis({ type: log ? "log" : "value", axisLabel: { color: colour("faint"), formatter: number } }),
      dataZoom: zoom([0]),
      series: [].concat.apply([], list.map(function (course, at) {
        const tone = tones[at % tones.length];
        const finite = course.points.filter(function (point) { return point[1] !== null && (!log || point[1] > 0); });
        const bad = course.points.filter(function (point) { return point[1] === null; });
        return [{
          name: course.name, type: "line", symbolSize: 4, lineStyle: { width: course.of === "loss" ? 2.5 : 1.5, color: tone },
          itemStyle: { color: tone }, data: broken(finite)
        }, {
          name: course.name, type: "line", lineStyle: { opacity: 0 }, symbol: CROSS, symbolSize: 12, itemStyle: { color: colour("bad") },
          data: bad.map(function (point) { return { value: [point[0], most || 1], bad: true }; })
        }];
      }))
    });
  }

  const CROSS = "path://M2,0 L5,3 L8,0 L10,2 L7,5 L10,8 L8,10 L5,7 L2,10 L0,8 L3,5 L0,2 Z";

  // No line where steps are missing that nobody recorded.
  function broken(points) {
    const gaps = points.slice(1).map(function (point, at) { return point[0] - points[at][0]; }).sort(function (a, b) { return a - b; });
    const usual = gaps.length ? gaps[Math.floor(gaps.length / 2)] : 1;
    const found = [];
    points.forEach(function (point, at) {
      if (at && point[0] - points[at - 1][0] > 6 * usual) { found.push({ value: [point[0], null] }); }
      found.push({ value: point });
    });
    return found;
  }

  function levels(list) {
    const option = common();
    option.tooltip.trigger = "axis";
    option.tooltip.formatter = function (shown) {
      const level = list[shown[0].dataIndex];
      return level.layer + "\n" + (level.largest === null ? "not finite" : "up to " + number(level.largest)) + (level.place ? "\n" + level.place : "");
    };
    return Object.assign(option, {
      grid: { left: 64, right: 20, top: 14, bottom: 70 },
      xAxis: axis({ type: "category", data: list.map(function (level) { return level.layer; }), axisLabel: { color: colour("faint"), rotate: 28, overflow: "truncate", width: 110 } }),
      yAxis: axis({ type: "log", axisLabel: { color: colour("faint"), formatter: number } }),
      series: [{
        type: "bar", barMaxWidth: 40,
        data: list.map(function (level) {
          const bad = level.largest === null;
          return { value: bad ? 3e38 : Math.max(level.largest, 1e-12), itemStyle: { color: colour(bad ? "bad" : "s1") } };
        })
      }]
    });
  }

  function histogram(one) {
    const option = common();
    option.tooltip.trigger = "axis";
    option.tooltip.formatter = function (shown) {
      const at = shown[0].dataIndex;
      return number(one.edges[at]) + " to " + number(one.edges[at + 1]) + "\n" + one.counts[at] + " values";
    };
    return Object.assign(option, {
      grid: { left: 44, right: 8, top: 8, bottom: 24 },
      xAxis: axis({ type: "category", data: one.counts.map(function (_, at) { return number(one.edges[at]); }), splitLine: { show: false } }),
      yAxis: axis({ type: "value", splitNumber: 2 }),
      series: [{ type: "bar", barCategoryGap: "8%", itemStyle: { color: colour("s1") }, data: one.counts }]
    });
  }

  function waiting(view) {
    const option = common();
    const told = {};
    view.nodes.forEach(function (node) { told[node.id] = node; });
    option.tooltip.formatter = function (shown) {
      if (shown.dataType === "edge") { return shown.data.how + (shown.data.place ? "\n" + shown.data.place : ""); }
      const node = told[shown.data.id];
      return node.name + "\n" + node.words;
    };
    const linked = {};
    view.edges.forEach(function (edge) { linked[edge.begin] = linked[edge.end] = true; });
    const shown = view.nodes.filter(function (node) { return linked[node.id]; });
    return Object.assign(option, {
      series: [{
        type: "graph", layout: "circular", circular: { rotateLabel: false }, roam: false, edgeSymbol: ["none", "arrow"], edgeSymbolSize: 10,
        left: "30%", right: "30%", top: 46, bottom: 46,
        label: { show: true, color: colour("ink"), position: "top", distance: 8, fontSize: 13 },
        edgeLabel: { show: true, color: colour("faint"), fontSize: 11, formatter: function (one) { return one.data.how; } },
        lineStyle: { color: colour("faint"), width: 2, curveness: 0.18 },
        data: shown.map(function (node) {
          return {
            id: node.id, name: node.name, symbol: node.kind === "thread" ? "circle" : "roundRect", symbolSize: node.kind === "thread" ? 34 : 26,
            itemStyle: { color: colour(node.stuck ? "bad" : "faint") }
          };
        }),
        links: view.edges.map(function (edge) {
          return {
            source: edge.begin, target: edge.end, how: edge.how, place: edge.place,
            lineStyle: { type: edge.how === "holds" ? "solid" : "dashed", color: colour(edge.how === "holds" ? "faint" : "bad") }
          };
        })
      }]
    });
  }

  function batches(view) {
    const option = common();
    option.tooltip.trigger = "axis";
    option.tooltip.formatter = function (shown) {
      return ["batch " + shown[0].value[0]].concat(shown.map(function (one) { return one.seriesName + ": " + size(one.value[1]); })).join("\n");
    };
    const top = Math.max(view.limit_bytes || 0, Math.max.apply(null, view.points.map(function (point) { return point.rss; })));
    const width = step(top * 1.06, 6);
    function line(name, key, tone) {
      return {
        name: name, type: "line", symbolSize: 7, lineStyle: { color: colour(tone), width: 2 }, itemStyle: { color: colour(tone) },
        data: view.points.map(function (point) { return [point.batch, point[key]]; })
      };
    }
    const process = line("process", "rss", "s1");
    process.markLine = {
      symbol: "none", animation: false,
      data: view.limit_bytes ? [{
        yAxis: view.limit_bytes, lineStyle: { color: colour("bad"), type: "dotted", width: 2 },
        label: { formatter: "limit " + size(view.limit_bytes), position: "insideStartTop", color: colour("bad") }
      }] : []
    };
    return Object.assign(option, {
      legend: legend(), grid: { left: 74, right: 30, top: 40, bottom: 44 },
      xAxis: axis({ type: "value", name: "batch", nameLocation: "middle", nameGap: 26, min: 0, splitLine: { show: false } }),
      yAxis: axis({ type: "value", min: 0, max: Math.ceil(top * 1.06 / width) * width, interval: width, axisLabel: { color: colour("faint"), formatter: size } }),
      series: [process, line("tensors", "tensors", "s3")]
    });
  }

  function draw(id, make) {
    const place = document.getElementById(id);
    if (!place) { return; }
    const chart = echarts.init(place, null, { renderer: "canvas" });
    charts.push({ chart: chart, make: make });
    chart.setOption(make());
    place.addEventListener("keydown", function (event) { keyed(chart, event); });
  }

  // Zoom and move without a mouse.
  function keyed(chart, event) {
    const zooms = chart.getOption().dataZoom;
    if (!zooms || !zooms.length) { return; }
    let start = zooms[0].start, end = zooms[0].end;
    const width = end - start;
    if (event.key === "+" || event.key === "=") { start += width / 4; end -= width / 4; }
    else if (event.key === "-") { start -= width / 2; end += width / 2; }
    else if (event.key === "ArrowLeft") { start -= width / 5; end = start + width; }
    else if (event.key === "ArrowRight") { end += width / 5; start = end - width; }
    else if (event.key === "0") { start = 0; end = 100; }
    else { return; }
    event.preventDefault();
    chart.dispatchAction({ type: "dataZoom", start: Math.max(0, start), end: Math.min(100, end) });
  }

  function all() {
    (data.runs || [data]).forEach(function (run, at) {
      const mark = data.runs ? "-" + at : "";
      if (run.timeline) { draw("timeline" + mark, function () { return timeline(run.timeline); }); }
      if (run.waiting) { draw("waiting" + mark, function () { return waiting(run.waiting); }); }
      if (run.bad_value) {
        const bad = run.bad_value;
        if (bad.courses.length) { draw("courses" + mark, function () { return courses(bad.courses); }); }
        if (bad.levels.length) { draw("levels" + mark, function () { return levels(bad.levels); }); }
        bad.histograms.forEach(function (one, index) {
          if (one.counts.length) { draw("histogram" + mark + "-" + index, function () { return histogram(one); }); }
        });
      }
      (run.alive || []).forEach(function (one) { draw("alive" + mark + "-" + one.by, function () { return treemap(one); }); });
    });
    (data.plans || []).forEach(function (plan, at) {
      draw("batches-" + at, function () { return batches(plan); });
      draw("alive-" + at, function () { return treemap(plan.alive); });
    });
  }

  function tabs(list) {
    const buttons = Array.from(list.querySelectorAll("[role=tab]"));
    function choose(at, focus) {
      buttons.forEach(function (button, index) {
        button.setAttribute("aria-selected", String(index === at));
        button.tabIndex = index === at ? 0 : -1;
        document.getElementById(button.getAttribute("aria-controls")).hidden = index !== at;
      });
      if (focus) { buttons[at].focus(); }
      charts.forEach(function (one) { one.chart.resize(); });
    }
    buttons.forEach(function (button, at) {
      button.addEventListener("click", function () { choose(at, false); });
      button.addEventListener("keydown", function (event) {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (by) { event.preventDefault(); choose((at + by + buttons.length) % buttons.length, true); }
      });
    });
    choose(0, false);
  }

  all();
  Array.from(document.querySelectorAll("[role=tablist]")).forEach(tabs);
  window.addEventListener("resize", function () { charts.forEach(function (one) { one.chart.resize(); }); });
  Array.from(document.querySelectorAll("details")).forEach(function (one) {
    one.addEventListener("toggle", function () { charts.forEach(function (each) { each.chart.resize(); }); });
  });
  window.addEventListener("beforeprint", function () { charts.forEach(function (one) { one.chart.resize(); }); });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () {
    charts.forEach(function (one) { one.chart.setOption(one.make(), true); });
  });
})();
