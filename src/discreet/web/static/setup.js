// Warnings while a column is filled in: the form is sent to be checked, and nothing is saved.
const form = document.querySelector("[data-check]");
let waiting = 0;
let busy = false;
let again = false;

function say(kind, text) {
  const line = document.createElement("p");
  line.className = kind;
  line.textContent = text;
  document.querySelector("#remarks").replaceChildren(line);
}

// One check at a time: what was typed meanwhile is checked after it, and an older reply is not shown.
async function check() {
  clearTimeout(waiting);
  if (busy) { again = true; return; }
  busy = true;
  do {
    again = false;
    say("quiet", "Checking against the rows …");
    try {
      const reply = await fetch(form.dataset.check, { method: "POST", headers: { "X-Part": "remarks" }, body: new URLSearchParams(new FormData(form)) });
      const told = new DOMParser().parseFromString(await reply.text(), "text/html").querySelector("#remarks");
      if (!told) throw new Error("no remarks");
      if (!again) document.querySelector("#remarks").replaceChildren(...told.children);
    } catch {
      say("say bad", "This could not be checked; press “Check against the rows” again.");
    }
  } while (again);
  busy = false;
}

function soon(event) {
  if (event.target.name === "why") return;
  clearTimeout(waiting);
  waiting = setTimeout(check, 800);
}

if (form) {
  form.addEventListener("input", soon);
  form.querySelector("[data-checks]").addEventListener("click", (event) => {
    event.preventDefault();
    check();
  });
}
