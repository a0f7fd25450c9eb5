// The Ask page, live: every choice replans, and ε and accuracy follow one another.
// Without this file the page works by its button; nothing here can spend anything.

import { announce, debounced, fetchPiece, swap } from "/static/live.js";
import { watchJob } from "/static/jobs.js";

const form = document.getElementById("ask");
const status = form.querySelector("[data-status]");
const slider = form.querySelector("[data-slider]");
const slide = document.getElementById("slide");
const epsilon = document.getElementById("epsilon");
const within = document.getElementById("within");
const LEAST = Math.log(0.01);
const MOST = Math.log(10);

let fetching = null;
let stopWatching = () => {};

function address(part) {
  const query = new URLSearchParams(new FormData(form));
  if (part) query.set("part", part);
  return `${form.getAttribute("action")}?${query}`;
}

function placeSlider() {
  const value = Number(epsilon.value);
  if (!(value > 0)) return;
  const share = (Math.log(value) - LEAST) / (MOST - LEAST);
  slide.value = String(Math.round(100 * Math.min(1, Math.max(0, share))));
  slide.setAttribute("aria-valuetext", `ε = ${epsilon.value}`);
}

function follow(plan) {
  const aim = form.elements.aim.value;
  if (aim === "epsilon") within.value = plan.dataset.within ?? "";
  else if (plan.dataset.epsilon) epsilon.value = plan.dataset.epsilon;
  placeSlider();
}

async function replan() {
  fetching?.abort();
  stopWatching();
  fetching = new AbortController();
  const { signal } = fetching;
  document.getElementById("plan").setAttribute("aria-busy", "true");
  status.textContent = "Working out the plan …";
  try {
    const piece = await fetchPiece(address("plan"), signal);
    swap(piece, "candidates");
    swap(piece, "slip");
    const plan = swap(piece, "plan");
    if (!plan) throw new Error("no plan");
    follow(plan);
    announce(plan);
    history.replaceState(null, "", address());
    status.textContent = "";
    stopWatching = watchJob(plan, (job) => {
      if (job.state === "done") replan();
      else plan.querySelector("[data-job-message]").textContent = job.message || job.state;
    });
  } catch (problem) {
    if (problem.name === "AbortError") return;
    document.getElementById("plan").removeAttribute("aria-busy");
    status.textContent = "The plan could not be fetched; press Show the plan.";
  }
}

async function rephrase() {
  try {
    swap(await fetchPiece(address("sentence")), "sentence");
  } catch { /* the plan will say what is wrong */ }
  replan();
}

const soon = debounced(replan, 350);
// Letters typed into a list choose step by step: the list stays until they have stopped.
const reworded = debounced(rephrase, 250);

function aimAt(which) {
  document.getElementById(`aim-${which}`).checked = true;
}

slide.addEventListener("input", () => {
  const value = Math.exp(LEAST + (MOST - LEAST) * (Number(slide.value) / 100));
  epsilon.value = String(Number(value.toPrecision(2)));
  slide.setAttribute("aria-valuetext", `ε = ${epsilon.value}`);
  aimAt("epsilon");
  soon();
});
epsilon.addEventListener("input", () => { aimAt("epsilon"); placeSlider(); soon(); });
within.addEventListener("input", () => { aimAt("within"); soon(); });

form.addEventListener("input", (event) => {
  if (event.target.closest("#sentence") && event.target.matches("input, textarea")) soon();
});
form.addEventListener("change", (event) => {
  const target = event.target;
  if (target === slide || target === epsilon || target === within) return;
  if (target.closest("#sentence")) {
    // Another column has other steps: its groups start at its own usual width.
    const width = document.getElementById(target.id.replace(/^by/, "width"));
    if (target.name === "by" && width) width.value = "";
    if (target.matches("select, [type=checkbox]")) reworded();
    else soon();
    return;
  }
  if (target.name === "aim") {
    (target.value === "epsilon" ? epsilon : within).focus();
    return;
  }
  if (target.id === "confidence") {
    form.querySelector("[data-confidence]").textContent = target.value;
  }
  soon();
});
form.addEventListener("submit", (event) => {
  if (event.submitter?.hasAttribute("formaction") || event.submitter?.closest("[data-job]")) return;
  event.preventDefault();
  replan();
});

slider.hidden = false;
placeSlider();
replan();
