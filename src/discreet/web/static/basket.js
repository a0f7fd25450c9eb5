// The basket, live: every change plans again. Without this file its button does the same.

import { announce, debounced, fetchPiece, swap } from "/static/live.js";
import { watchJob } from "/static/jobs.js";

const form = document.getElementById("basket");
const LEAST = Math.log(0.01);
const MOST = Math.log(10);
let fetching = null;
let stopWatching = () => {};

function address(part) {
  const query = new URLSearchParams(new FormData(form));
  if (part) query.set("part", part);
  return `${form.getAttribute("action")}?${query}`;
}

async function replan() {
  const status = form.querySelector("[data-status]");
  fetching?.abort();
  stopWatching();
  fetching = new AbortController();
  status.textContent = "Planning …";
  try {
    const piece = await fetchPiece(address("plan"), fetching.signal);
    for (const one of form.querySelectorAll("[id^=told-]")) swap(piece, one.id);
    const total = swap(piece, "basket-total");
    if (!total) throw new Error("no plan");
    for (const button of form.querySelectorAll("button[formaction]")) button.disabled = !total.dataset.enough;
    announce(total);
    history.replaceState(null, "", address());
    status.textContent = "Nothing is spent yet.";
    watch();
  } catch (problem) {
    if (problem.name === "AbortError") return;
    status.textContent = "The plan could not be fetched; press Plan again.";
  }
}

function watch() {
  const total = document.getElementById("basket-total");
  stopWatching = watchJob(total, (job) => {
    if (job.state === "done") location.reload();
    else total.querySelector("[data-job-message]").textContent = job.message || job.state;
  });
}

if (form) {
  const soon = debounced(replan, 350);
  const total = document.getElementById("total");
  const slide = document.getElementById("slide");
  const place = () => {
    const value = Number(total.value);
    if (!(value > 0)) return;
    const share = (Math.log(value) - LEAST) / (MOST - LEAST);
    slide.value = String(Math.round(100 * Math.min(1, Math.max(0, share))));
    slide.setAttribute("aria-valuetext", `ε = ${total.value}`);
  };
  for (const one of form.querySelectorAll("[name=e]")) {
    one.addEventListener("input", () => {
      const given = [...form.querySelectorAll("[name=e]")].map((each) => Number(each.value));
      if (given.every((each) => each > 0)) total.value = String(Number(given.reduce((sum, each) => sum + each, 0).toPrecision(9)));
    });
  }
  if (slide) {
    form.querySelector("[data-slider]").hidden = false;
    place();
    slide.addEventListener("input", () => {
      const value = Math.exp(LEAST + (MOST - LEAST) * (Number(slide.value) / 100));
      total.value = String(Number(value.toPrecision(2)));
      slide.setAttribute("aria-valuetext", `ε = ${total.value}`);
    });
    total.addEventListener("input", place);
  }
  form.addEventListener("input", soon);
  watch();
}
