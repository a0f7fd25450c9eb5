// Watch a long design: say how far it is, let it be cancelled, and tell when it has ended.

export function watchJob(inside, ended) {
  const box = inside.querySelector("[data-job]");
  if (!box) return () => {};
  const url = `/api/jobs/${encodeURIComponent(box.dataset.job)}`;
  const told = box.querySelector("[data-job-message]");
  const cancel = box.querySelector("[data-job-cancel]");
  let stopped = false;

  async function look() {
    if (stopped) return;
    try {
      const job = await (await fetch(url, { credentials: "same-origin" })).json();
      if (stopped) return;
      if (job.state && job.state !== "running") return ended(job);
      if (job.message && told.textContent !== job.message) told.textContent = job.message;
    } catch { /* the next look may succeed */ }
    setTimeout(look, 700);
  }

  cancel.addEventListener("click", async (event) => {
    event.preventDefault();
    stopped = true;
    await fetch(url, { method: "DELETE", headers: { "X-CSRF-Token": box.dataset.csrf }, credentials: "same-origin" });
    told.textContent = "Cancelled.";
    box.querySelector(".pulse")?.remove();
    cancel.disabled = true;
  });
  setTimeout(look, 700);
  return () => { stopped = true; };
}
