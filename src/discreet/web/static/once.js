// One press is enough: the button rests after it. The server would not charge twice anyway.

for (const form of document.querySelectorAll("form[data-once]")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "yes";
    const button = form.querySelector("button.main");
    button.setAttribute("aria-disabled", "true");
    button.textContent = "Drawing the answer …";
  });
}
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
