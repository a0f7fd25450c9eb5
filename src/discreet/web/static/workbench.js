// The workbench, live: a change redesigns. Without this file its button does the same.

import { announce, debounced, fetchPiece, swap } from "/static/live.js";
import { watchJob } from "/static/jobs.js";

const form = document.getElementById("bench");
const status = form.querySelector("[data-status]");
let fetching = null;
let stopWatching = () => {};

function address(part) {
  const query = new URLSearchParams(new FormData(form));
  if (part) query.set("part", part);
  return `${form.getAttribute("action")}?${query}`;
}

function watch() {
  const design = document.getElementById("design");
  stopWatching = watchJob(design, (job) => {
    if (job.state === "done") redesign();
    else design.querySelector("[data-job-message]").textContent = job.message || job.state;
  });
}

async function redesign() {
  fetching?.abort();
  stopWatching();
  fetching = new AbortController();
  status.textContent = "Designing …";
  document.getElementById("design").setAttribute("aria-busy", "true");
  try {
    const piece = await fetchPiece(address("design"), fetching.signal);
    const design = swap(piece, "design");
    if (!design) throw new Error("no design");
    announce(design);
    history.replaceState(null, "", address());
    status.textContent = "";
    watch();
  } catch (problem) {
    if (problem.name === "AbortError") return;
    document.getElementById("design").removeAttribute("aria-busy");
    status.textContent = "The design could not be fetched; press Design.";
  }
}

const soon = debounced(redesign, 450);
form.addEventListener("input", soon);
form.addEventListener("submit", (event) => {
  if (event.submitter?.closest("[data-job]")) return;
  event.preventDefault();
  redesign();
});
watch();
