// Warnings while a column is filled in: the form is sent to be checked, and nothing is saved.
const form = document.querySelector("[data-check]");
let waiting = 0;
let last = 0;

async function check() {
  const mine = ++last;
  const reply = await fetch(form.dataset.check, { method: "POST", headers: { "X-Part": "remarks" }, body: new URLSearchParams(new FormData(form)) });
  if (mine !== last) return;
  if (!reply.ok) return;
  const told = new DOMParser().parseFromString(await reply.text(), "text/html").querySelector("#remarks");
  if (told) document.querySelector("#remarks").replaceWith(told);
}

function soon() {
  clearTimeout(waiting);
  waiting = setTimeout(check, 600);
}

if (form) {
  form.addEventListener("change", (event) => { if (event.target.name !== "why") soon(); });
  form.querySelector("[data-checks]").addEventListener("click", (event) => { event.preventDefault(); check(); });
}
