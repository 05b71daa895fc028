/* On a page of its own, the data stand in the page, and nobody else is told anything. */

const data = JSON.parse(document.querySelector("script.data").textContent);
render({ model: { get: (name) => (name === "data" ? data : undefined) }, el: document.querySelector("main") });
